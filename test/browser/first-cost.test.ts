/** From a new partner and a new app to the first matched cost that counts: what each person does, and how many forms that takes. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { BASE_URL, service, useDemoUsers } from "./browser.ts";

const openAs = useDemoUsers();

async function callApi<T>(path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${BASE_URL}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${service.OPERATOR_TOKEN}`, "content-type": "application/json" },
    body: body ? JSON.stringify(body) : null,
  });
  expect(response.ok, await response.clone().text()).toBe(true);
  return (await response.json()) as T;
}

/** An app of the demo user without links. */
async function createApp(name: string): Promise<string> {
  const body = { name, default_url: "https://example.com/" };
  const { data } = await callApi<{ data: { items: { token: string }[] } }>("/operator/v1/apps", body);
  const token = data.items[0]?.token ?? "";
  await callApi(`/operator/v1/apps/${token}/members`, { user_id: 1 });
  return token;
}

/** Does what the text for a partner says: opens the URL and sends the cost. Returns the answer to the cost. */
async function followText(text: string): Promise<{ match?: string }> {
  const [, opened = ""] = /^ +(http\S+\?cost_id=\S+)$/m.exec(text) ?? [];
  expect((await fetch(`${opened}&s2s=1`)).status).toBe(200);
  const [, url = "", header = "", body = ""] = /curl -X POST "(.+?)" -H "(.+?)" -d "(.+?)"/.exec(text) ?? [];
  return sendCost(url, header.replace("Authorization: ", ""), body);
}

async function sendCost(url: string, authorization: string, body: string): Promise<{ match?: string }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization, "content-type": "application/x-www-form-urlencoded" },
    body,
  });
  return (await response.json()) as { match?: string };
}

/** The forms that a person sends from here on. */
function countForms(page: Page): { sent: number } {
  const forms = { sent: 0 };
  page.on("request", (request) => {
    if (request.method() === "POST") forms.sent++;
  });
  return forms;
}

it.each([
  ["by mouse at a desk", { viewport: { width: 1280, height: 900 } }],
  ["without scripts on a phone", { viewport: { width: 390, height: 844 }, javaScriptEnabled: false }],
])("five forms of an operator and one of a member lead to the first matched cost, %s", async (_, options) => {
  const name = `Flow ${crypto.randomUUID().slice(0, 8)}`;
  const app = await createApp(name);
  const page = await openAs("/operator", options, "operator");
  const forms = countForms(page);
  await page.getByRole("navigation").getByRole("link", { name: "Partners" }).first().click();
  await page.getByRole("link", { name: "New partner" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "Create partner" }).click();
  await page.getByRole("heading", { name: `Set up ${name}` }).waitFor();
  const setup = new URL(page.url()).pathname;

  await page.getByRole("link", { name: "Costs by call" }).click();
  await page.getByRole("button", { name: "Save templates" }).click();
  await page.getByRole("status").getByText("Templates saved.").waitFor();

  await page.getByLabel("App of the test link").selectOption(app);
  await page.getByRole("button", { name: "Open round and create link" }).click();
  expect(new URL(page.url()).pathname).toBe(`${setup}/round`);
  const text = await page.getByLabel(`Text for ${name}`).inputValue();
  expect(await followText(text)).toMatchObject({ match: "matched" });

  await page.goto(setup);
  await page.getByRole("link", { name: /^Review round/ }).click();
  await page.getByRole("button", { name: "Approve cpc" }).click();
  await page.getByRole("status").getByText("Round approved.").waitFor();

  await page.goto(setup);
  await page.getByRole("button", { name: "Issue live credential" }).click();
  const live = await page.getByLabel(`Text for ${name}`).inputValue();
  const [, link = ""] = new RegExp(`/apps/${app}/links/(\\w+)`).exec(await page.content()) ?? [];
  expect(forms.sent).toBe(5);

  const member = await openAs(`/apps/${app}/links/${link}/settings`, options);
  const memberForms = countForms(member);
  await member.getByLabel("Cost data", { exact: true }).selectOption("on");
  await member.getByRole("button", { name: "Preview changes" }).click();
  await member.getByRole("button", { name: "Save changes" }).click();
  await member.getByRole("status").getByText("Partner and cost data saved.").waitFor();
  expect(memberForms.sent).toBe(1);

  const [, header = ""] = /"Authorization: (.+?)"/.exec(live) ?? [];
  const id = `first-${crypto.randomUUID()}`;
  expect((await fetch(`${BASE_URL}/${link}?s2s=1&cost_id=${id}`)).status).toBe(200);
  const cost = `cost_id=${id}&cost_type=cpc&cost_currency=USD&cost_amount=0.25&tag=first`;
  expect(await sendCost(`${BASE_URL}/cost`, header, cost)).toMatchObject({ match: "matched" });
  await member.goto(`/apps/${app}?period=today`);
  await member.locator(".figures").getByText("$0.25").first().waitFor();
});
