/** From a new partner and a new app to the first matched cost that counts: what each person does, and how many forms that takes. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { BASE_URL, db, service, useDemoUsers } from "./browser.ts";

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

/** The steps of the start of an app that are done. */
const doneSteps = (page: Page) =>
  page
    .getByRole("region", { name: /^Start with/ })
    .getByRole("heading", { level: 3, name: /Done$/ })
    .allTextContents();

/** The forms that a person sends from here on. */
function countForms(page: Page): { sent: number } {
  const forms = { sent: 0 };
  page.on("request", (request) => {
    if (request.method() === "POST") forms.sent++;
  });
  return forms;
}

// tasks.test.ts has the forms of the operator by mouse.
it("five forms of an operator and one of a member lead to the first matched cost, without scripts on a phone", async () => {
  const options = { viewport: { width: 390, height: 844 }, javaScriptEnabled: false };
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

it("the five steps of a new app tick as they are done, without scripts on a phone", async () => {
  const name = `Steps ${crypto.randomUUID().slice(0, 8)}`;
  const app = `/apps/${await createApp(name)}`;
  const page = await openAs(app, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
  expect(await doneSteps(page)).toEqual([]);
  await page.getByLabel("Network").fill("Acme");
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByRole("status").getByText("Link created.").waitFor();
  const link = new URL(page.url()).pathname.split("/").at(-1);

  await page.goto(app);
  expect(await doneSteps(page)).toEqual(["Create a link Done"]);
  await page.getByRole("link", { name: "Choose a partner" }).click();
  await page.getByLabel("Partner", { exact: true }).selectOption("1");
  await page.getByLabel("Cost data", { exact: true }).selectOption("on");
  await page.getByRole("button", { name: "Preview changes" }).click();
  await page.getByRole("button", { name: "Save changes" }).click();

  await page.goto(app);
  expect(await doneSteps(page)).toEqual(["Create a link Done", "Attach a partner Done"]);
  const id = `steps-${crypto.randomUUID()}`;
  await fetch(`${BASE_URL}/${link}?s2s=1&cost_id=${id}`);
  await page.goto(`${app}?period=today`);
  expect(await doneSteps(page)).toEqual([
    "Create a link Done",
    "Share the click URL Done",
    "First click Done",
    "Attach a partner Done",
  ]);
  const cost = `cost_id=${id}&cost_type=cpc&cost_currency=USD&cost_amount=0.25&tag=first`;
  await sendCost(`${BASE_URL}/cost`, `Token token=${service.COST_TOKEN}`, cost);
  await page.reload();
  await page.locator(".figures").getByText("$0.25").first().waitFor();
  expect(await doneSteps(page)).toEqual([]);
});

it.each([true, false])(
  "a path is checked before it is created, with scripts: %s",
  async (javaScriptEnabled) => {
    const token = await createApp("Checked");
    await db
      .prepare("INSERT INTO links (token, app_token, level, label, created_at) VALUES (?1, ?1, 1, 'Nova', 0)")
      .bind(token)
      .run();
    const app = `/apps/${token}`;
    const page = await openAs(`${app}/links/new`, { javaScriptEnabled });
    await page.getByLabel("Network").fill("Nova");
    await page.getByLabel("Campaign").fill("Autumn");
    const preview = page.getByRole("region", { name: "Preview" });
    const check = page.getByRole("button", { name: "Check", exact: true });
    if (javaScriptEnabled) await expect.poll(() => check.count()).toBe(0);
    else await check.click();
    await preview.getByText("Autumn New").waitFor();
    expect((await preview.innerText()).replace(/\s+/g, " ")).toMatch(/Nova Exists.*Autumn New/);
    await expect.poll(() => page.getByLabel("Campaign").inputValue()).toBe("Autumn");
    if (javaScriptEnabled) {
      // The focus stays where a person types, and what cannot be created has no preview.
      await page.locator("#campaign:focus").waitFor();
      await page.keyboard.type("::");
      await preview.getByText("Type a network to see what will be created").waitFor();
      await page.getByLabel("Campaign").fill("Autumn");
      await preview.getByText("Autumn New").waitFor();
    }
    await page.getByRole("button", { name: "Create link" }).click();
    await page.getByRole("heading", { name: "Autumn", level: 1 }).waitFor();
  },
);

it("an operator looks at a cost, then voids it with a reason, without scripts on a phone", async () => {
  const id = `looked-${crypto.randomUUID()}`;
  await fetch(`${BASE_URL}/${service.LINK_TOKEN}?s2s=1&cost_id=${id}`);
  const cost = `cost_id=${id}&cost_type=cpc&cost_currency=USD&cost_amount=0.75&tag=look`;
  await sendCost(`${BASE_URL}/cost`, `Token token=${service.COST_TOKEN}`, cost);
  const options = { javaScriptEnabled: false, viewport: { width: 390, height: 844 } };
  const page = await openAs("/operator/partners/1", options, "operator");
  await page.getByRole("textbox", { name: "Cost ID" }).fill(id);
  await page.getByRole("button", { name: "Find cost" }).click();
  const shown = (await page.getByRole("region", { name: "Cost", exact: true }).innerText()).replace(
    /\s+/g,
    " ",
  );
  expect(shown).toMatch(
    /Type cpc Amount \$0\.75 .*Click or impression click, .*Day in reports .*App \w{12} Link Acme/,
  );
  const forms = countForms(page);
  await page.getByLabel("Reason").fill("Sent twice");
  await page.getByRole("button", { name: "Void cost" }).click();
  await page.getByRole("status").getByText(/void/i).waitFor();
  expect(forms.sent).toBe(1);
  await page.getByText("This cost is void and no longer counts.").waitFor();
  await page.goto("/operator/audit?object=partner%201");
  await page.getByText(`voided cost ${id}`).waitFor();
});
