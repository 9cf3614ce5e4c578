/** Countries and platforms from the click to the pages: on a link's page and on Performance, without a pointer and in every width. */
import { describe, expect, it } from "vitest";
import { BASE_URL, checkEveryWidth, service, useDemoUsers } from "./browser.ts";

const openPage = useDemoUsers();
const APP = `/apps/${service.APP_TOKEN}`;
const ANDROID =
  "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile Safari/537.36";

/** Opens a link from a country, as the runtime gets it from Cloudflare. */
async function clickFrom(link: string, country: string): Promise<void> {
  const headers = { "mf-cf-blob": JSON.stringify({ country }), "user-agent": ANDROID };
  const { status } = await fetch(`${BASE_URL}/${link}`, { headers, redirect: "manual" });
  expect(status).toBe(302);
}

async function createLink(name: string): Promise<string> {
  const response = await fetch(`${BASE_URL}/public/v1${APP}/trackers`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.API_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ name, parent_token: service.LINK_TOKEN }),
  });
  const { data } = (await response.json()) as { data: { items: { token: string }[] } };
  return data.items[0]?.token ?? "";
}

describe("the countries and platforms of a link", () => {
  it("are those of its clicks, on its page and on Performance, and one that the server sends is unknown", async () => {
    const link = await createLink("Audience");
    for (const country of ["DE", "DE", "JP"]) await clickFrom(link, country);
    await fetch(`${BASE_URL}/${link}?s2s=1`);
    await fetch(`${BASE_URL}/${link}?s2s=1&country=br&platform=ios`);
    const today = new Date().toISOString().slice(0, 10);
    const days = `from=${today}&to=${today}`;
    const page = await openPage(`${APP}/links/${link}?${days}`);
    const rowsOf = async (by: string) => {
      const table = page.getByRole("region", { name: `Clicks and spend by ${by}` });
      return (await table.locator("tbody tr").allInnerTexts()).map((text) =>
        text.trim().replace(/\s+/g, " "),
      );
    };
    expect(await rowsOf("country")).toEqual([
      "Germany 2 40.0%",
      "Brazil 1 20.0%",
      "Japan 1 20.0%",
      "Unknown 1 20.0%",
    ]);
    expect(await rowsOf("platform")).toEqual(["Android 3 60.0%", "iOS 1 20.0%", "Other 1 20.0%"]);
    await checkEveryWidth(page, "link-audience");
    await page.goto(`${APP}/performance?${days}&link=${link}&group_by=country&sort=-clicks`);
    const table = page.getByRole("region", { name: "Performance by country" });
    const names = await table.locator("tbody th .name").allTextContents();
    expect(names.map((name) => name.trim())).toEqual(["Germany", "Brazil", "Japan", "Unknown"]);
  });
});
