/** The limit of wrong codes holds for requests that the built Worker handles at the same time. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { codeAt } from "../../../src/auth/sign-in/totp.ts";
import { DEMO } from "../../../src/dev/demo.ts";
import { HOUR_MS } from "../../../src/domain/time.ts";
import { Browser } from "./browser.ts";
import { type FaultyWorker, startFaulty } from "./faulty.ts";

/** The Worker's clock shows the middle of an hour, because a new hour would begin with a new limit. */
const AHEAD = HOUR_MS / 2 - (Date.now() % HOUR_MS);

let server: FaultyWorker;
beforeAll(async () => {
  server = await startFaulty({ name: "guesses" });
  await server.begin({ ahead: AHEAD });
});
afterAll(() => server.stop());

async function guess(browser: Browser, codes: string[]) {
  const pages = await Promise.all(codes.map((code) => browser.send("/login/code", { code })));
  return pages.map(({ status }) => status).sort();
}

/** 200 codes that are wrong now and in the next minutes. */
function wrongCodes(secret: string): string[] {
  const right = Array.from({ length: 20 }, (_, step) =>
    codeAt(secret, Date.now() + AHEAD + (step - 1) * 30_000),
  );
  const codes = Array.from({ length: 220 }, (_, index) => String(index).padStart(6, "0"));
  return codes.filter((code) => !right.includes(code)).slice(0, 200);
}

test("of 200 codes that a browser sends at the same time 20 are judged, whether it is known or not", async () => {
  const [known, stranger] = [new Browser(server.url), new Browser(server.url)];
  expect(await known.signIn()).toBe("/");
  const [, secret = ""] =
    /name="secret" value="(\w+)"/.exec((await known.send("/account/two-factor")).text) ?? [];
  const code = codeAt(secret, Date.now() + AHEAD);
  const turnedOn = await known.send("/account/two-factor", { secret, code, password: DEMO.password });
  expect(turnedOn.status).toBe(200);
  for (const browser of [known, stranger]) {
    expect(await browser.signIn()).toBe("/login/code?next=%2F");
    expect(await guess(browser, wrongCodes(secret))).toEqual([
      ...Array(20).fill(401),
      ...Array(180).fill(429),
    ]);
  }
});
