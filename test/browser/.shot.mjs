// usage: node shot.mjs BASE OUT path[:name] ... ; env W,H,SCHEME,WHO,FULL
import { chromium } from "playwright-core";

const [base, out, ...paths] = process.argv.slice(2);
const W = Number(process.env.W ?? 1280),
  H = Number(process.env.H ?? 900);
const who = process.env.WHO ?? "demo";
const b = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--disable-gpu"],
});
const c = await b.newContext({
  baseURL: base,
  viewport: { width: W, height: H },
  colorScheme: process.env.SCHEME ?? "light",
});
const p = await c.newPage();
await p.goto("/login");
await p.fill("#email", `${who}@example.com`);
await p.fill("#password", `${who}-password`);
await p.click("main button");
await p.waitForLoadState();
for (const path of paths) {
  const name = path.replaceAll(/\W+/g, "-").slice(0, 60);
  const t = Date.now();
  await p.goto(path);
  const h = await p.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.scrollHeight,
  ]);
  await p.screenshot({
    path: `${out}/${name}-${W}${process.env.SCHEME ?? ""}.png`,
    fullPage: process.env.FULL === "1",
  });
  console.log(path, Date.now() - t, "ms", "scroll", h.join("x"));
}
await b.close();
