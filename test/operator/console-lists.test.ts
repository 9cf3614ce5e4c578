import { beforeEach, describe, expect, test } from "vitest";
import { Browser, freshSession } from "../account/support.ts";
import { DAY, DEMO, freshDemo, freshWholeDemo, NOW, rows, sendCost } from "../harness.ts";
import { tablesOf, textOf } from "../workspace/page-text.ts";

async function freshLimits() {
  await freshDemo();
  // One unit above the limit of a new partner, and exactly at it.
  await rows("UPDATE partners SET max_url_amount = iif(id = 2, 10000001, 10000000)");
}

let operator: Browser;
beforeEach(async () => {
  operator = await freshSession(freshLimits, DEMO.operatorEmail, DEMO.operatorPassword);
});

const headings = async (path: string) =>
  [...(await operator.get(path)).text.matchAll(/<th scope="row"[^>]*>([\s\S]*?)<\/(?:a|code)>/g)].map(
    ([, text = ""]) => textOf(text),
  );

describe("a list", () => {
  test.each([
    ["/operator/partners", ["Echo Media", "Acme Ads", "Beacon Network", "Corsair Media", "Delta Reach"]],
    [
      "/operator/partners?sort=name",
      ["Acme Ads", "Beacon Network", "Corsair Media", "Delta Reach", "Echo Media"],
    ],
    [
      "/operator/partners?sort=-name",
      ["Echo Media", "Delta Reach", "Corsair Media", "Beacon Network", "Acme Ads"],
    ],
    [
      "/operator/partners?sort=-created",
      ["Echo Media", "Delta Reach", "Corsair Media", "Beacon Network", "Acme Ads"],
    ],
    ["/operator/partners?q=BEACON", ["Beacon Network"]],
    ["/operator/partners?state=round", ["Corsair Media"]],
    ["/operator/partners?state=live&sort=name", ["Acme Ads", "Echo Media"]],
    ["/operator/partners?state=not_integrated&sort=name", ["Beacon Network", "Corsair Media"]],
    ["/operator/partners?state=stopped", ["Delta Reach"]],
    ["/operator/partners?state=high-price", ["Beacon Network"]],
    ["/operator/partners?state=no-round", ["Beacon Network"]],
    ["/operator/users?role=operator", [DEMO.operatorEmail]],
    ["/operator/users?q=demo%40", [DEMO.email]],
    ["/operator/apps?q=otherapp", ["Other App"]],
    ["/operator/credentials?mode=test", ["Corsair Media"]],
    ["/operator/credentials?q=acme", ["Acme Ads"]],
    ["/operator/credentials?state=revoked", []],
  ])("%s finds %j", async (path, expected) => {
    const found = await headings(path);
    expect(found.map((text) => text?.replace(/^Other.*/, "Other App"))).toEqual(expected);
  });

  test.each([
    [
      "/operator/partners?sort=nothing&state=nothing&page=-1",
      "The order must be chosen from the list. The state must be chosen from the list. The page number must be a number from 1 to 1000.",
      5,
    ],
    ["/operator/partners?partner=1&q=acme", "The partner is not a known parameter; remove it.", 1],
    ["/operator/users?role=owner", "The role must be chosen from the list.", 2],
    ["/operator/apps?archived=maybe", "The filter for archived items must be chosen from the list.", 2],
    ["/operator/credentials?mode=old&q=acme", "The mode must be chosen from the list.", 1],
    ["/operator/adjustments?color=red", "color is not a known parameter; remove it.", 0],
    ["/operator/audit?color=red&who=nobody", "color is not a known parameter; remove it.", 0],
    ["/operator/partners/1/costs?color=red&cost_id=none", "color is not a known parameter; remove it.", 0],
    ["/operator/alerts?after=x", "The position in the list is not a cursor from this list.", 7],
    [
      "/operator/partners/1/rejections?cursor=x",
      "The position in the list is not a cursor from this list.",
      0,
    ],
  ])("%s names what is wrong, and shows the rest", async (path, sentences, count) => {
    const { status, text } = await operator.get(path);
    expect([status, (await headings(path)).length]).toEqual([400, count]);
    expect(textOf(text)).toContain(`Check the filters and dates. ${sentences} The page leaves this out.`);
  });

  test("keeps search, filter and order in its form, and clears them", async () => {
    const { text } = await operator.get("/operator/partners?q=acme&state=live&sort=-created");
    expect(text).toContain('name="q" value="acme"');
    expect(text).toContain('<option value="live" selected>');
    expect(text).toContain('<option value="-created" selected>');
    expect(text).toContain('<a href="/operator/partners">Clear filters</a>');
    expect(text).toContain("1 partner<");
  });

  test.each(["/operator/partners", "/operator/apps", "/operator/users", "/operator/credentials"])(
    "%s leads to its first page from a page that it does not have",
    async (path) => {
      const { text } = await operator.get(`${path}?page=2&sort=-created`);
      expect(text).toMatch(new RegExp(`There is no page 2. <a href="${path}[^"]*">Show the first page</a>`));
      expect(text).not.toMatch(/Previous page|None of|No \w+ yet/);
    },
  );

  test("is ordered by its headings, which turn around, and says by which", async () => {
    const head = async (path: string) => {
      const { text } = await operator.get(path);
      return [...text.matchAll(/<th scope="col"([^>]*)><a href="([^"]*)">([^<]*)/g)].map(
        ([, attributes = "", href = "", name = ""]) => [
          name.trim(),
          /aria-sort="(\w+)"/.exec(attributes)?.[1],
          href,
        ],
      );
    };
    const list = "/operator/partners";
    expect(await head(list)).toEqual([
      ["Partner", undefined, `${list}?sort=name`],
      ["Spend", "descending", `${list}?sort=spend`],
      ["Change", undefined, `${list}?sort=-change`],
      ["Coverage", undefined, `${list}?sort=-coverage`],
      ["Discrepancy", undefined, `${list}?sort=-discrepancy`],
    ]);
    expect((await head(`${list}?sort=name&q=e`)).slice(0, 2)).toEqual([
      ["Partner", "ascending", `${list}?q=e&amp;sort=-name`],
      ["Spend", undefined, `${list}?q=e`],
    ]);
    expect((await head("/operator/adjustments")).map(([name, sorted]) => [name, sorted])).toEqual([]);
    await rows(
      "INSERT INTO adjustments SELECT value, ?, value, (SELECT min(id) FROM links), 1, 'cpc', 'USD', 1000, 'x', 2, 0 FROM json_each('[30,20]')",
      DEMO.appToken,
    );
    expect((await head("/operator/adjustments")).map(([name, sorted]) => [name, sorted])).toEqual([
      ["Day", undefined],
      ["Added", "descending"],
    ]);
    expect((await head("/operator/adjustments?sort=day"))[0]?.[1]).toBe("ascending");
    expect((await head("/operator/users"))[0]).toEqual(["User", "ascending", "/operator/users"]);
  });

  test("of one row has no search", async () => {
    await rows("DELETE FROM memberships WHERE app_token = ?", DEMO.otherAppToken);
    expect((await operator.get("/operator/apps")).text).toContain('type="search"');
    await operator.post(`/operator/apps/${DEMO.otherAppToken}/archive`, { archived: "yes" });
    expect((await operator.get("/operator/apps")).text).not.toContain('type="search"');
    expect((await operator.get("/operator/apps?q=demo")).text).toContain('type="search"');
  });

  test("says that nothing matches", async () => {
    expect((await operator.get("/operator/partners?q=zzz")).text).toContain(
      "No partners match these filters.",
    );
  });

  test("has pages that keep its state", async () => {
    await rows(
      "INSERT INTO partners (display_name, supports_cost_data, server_to_server, click_parameters, impression_parameters, cost_parameters, created_at) SELECT printf('Extra %03d', value), 0, 0, '', '', '', 0 FROM generate_series(1, 130)".replace(
        "generate_series(1, 130)",
        "json_each(?)",
      ),
      JSON.stringify(Array.from({ length: 130 }, (_, index) => index + 1)),
    );
    const path = "/operator/partners?q=extra&sort=-created";
    const first = await operator.get(path);
    expect(first.text).toContain("1 to 100 of 130 partners");
    expect(first.text).not.toContain("Previous page");
    const second = await operator.get(`${path}&page=2`);
    expect(second.text).toContain('rel="prev" href="/operator/partners?q=extra&amp;sort=-created"');
    expect(second.text).not.toContain("Next page");
    expect(first.text).toContain('rel="next" href="/operator/partners?q=extra&amp;sort=-created&amp;page=2"');
    expect((await headings(path)).concat(await headings(`${path}&page=2`))).toEqual(
      Array.from({ length: 130 }, (_, index) => `Extra ${String(130 - index).padStart(3, "0")}`),
    );
  });
});

describe("a stopped partner", () => {
  async function stopTwo(browser: Browser) {
    await browser.post("/operator/partners/1/costs", { stopped: "yes" });
    await browser.post("/operator/partners/3/costs", { stopped: "yes" });
  }
  beforeEach(async () => {
    operator = await freshSession(freshDemo, DEMO.operatorEmail, DEMO.operatorPassword, stopTwo);
  });

  test("looks stopped in the list, and its next step is to resume it", async () => {
    const [list = []] = tablesOf((await operator.get("/operator/partners?state=stopped&sort=name")).text);
    expect(list.slice(1).map(({ cells }) => [...cells.slice(0, 2), cells.at(-1)])).toEqual([
      ["Acme Ads", "Stopped", "Resume"],
      ["Corsair Media", "Stopped", "Resume"],
      ["Delta Reach", "Stopped", "Resume"],
    ]);
  });

  test.each(["/operator/partners/1", "/operator/partners/3", "/operator/rounds/1"])(
    "looks stopped on %s, with the time",
    async (path) => {
      const { text } = await operator.get(path);
      expect(text).toMatch(
        /is stopped\.<\/strong> Costs have been rejected since <time[^>]*>15 Mar 2026, 12:00 UTC/,
      );
    },
  );
});

test("an archived app leaves the lists, and its links and reports stay", async () => {
  const path = `/operator/apps/${DEMO.appToken}`;
  expect((await operator.post(`${path}/archive`, { archived: "yes" })).headers.get("location")).toBe(
    `${path}?notice=app-archived`,
  );
  expect(await headings("/operator/apps")).not.toContain("Demo App");
  expect(await headings("/operator/apps?archived=yes")).toEqual(["Demo App"]);
  await operator.post(`/operator/apps/${DEMO.otherAppToken}/members`, { email: DEMO.email });
  const member = new Browser();
  await member.signIn();
  expect((await member.get(`/apps/${DEMO.otherAppToken}`)).text).not.toContain("Demo App");
  expect((await member.get(`/apps/${DEMO.appToken}/links`)).status).toBe(200);
  expect((await new Browser().get(`/${DEMO.linkToken}`)).status).toBe(302);
  await operator.post(`${path}/archive`, { archived: "no" });
  expect(await headings("/operator/apps")).toContain("Demo App");
});

describe("the page of a user", () => {
  test("shows the apps, the last sign-in and the creator, and adds an app", async () => {
    await operator.post("/operator/users/new", {
      email: "new@example.com",
      role: "member",
      sign_in: "password",
    });
    const before = await operator.get("/operator/users/3");
    expect(before.text).toContain(`by ${DEMO.operatorEmail}`);
    expect(before.text).toContain("<dt>Last sign-in</dt><dd>Never");
    await operator.post("/operator/users/3/apps", { app_token: DEMO.appToken });
    expect((await operator.get("/operator/users/3")).text).toContain(
      `<a href="/operator/apps/${DEMO.appToken}">`,
    );
    expect((await operator.get("/operator/users/2")).text).toContain(
      '<dt>Last sign-in</dt><dd><time datetime="2026-03-15T12:00:00.000Z"',
    );
    const unknown = await operator.post("/operator/users/3/apps", { app_token: "nosuchapp000" });
    expect([unknown.status, unknown.text.includes('<a href="#app_token">')]).toEqual([400, true]);
  });

  test("changes the email, unless another user has it", async () => {
    const taken = await operator.post("/operator/users/1", { email: DEMO.operatorEmail });
    expect([taken.status, taken.text.includes("Another user has this email address")]).toEqual([400, true]);
    await operator.post("/operator/users/1", { email: "Renamed@example.com" });
    const user = new Browser();
    await user.signIn("renamed@example.com", DEMO.password);
    expect((await user.get("/account")).status).toBe(200);
    expect(await rows("SELECT detail FROM audit_log WHERE action = 'update user'")).toEqual([
      { detail: '{"email":"changed"}' },
    ]);
  });
});

describe("spend", () => {
  const day = (number: number) => new Date(number * DAY).toISOString().slice(0, 10);

  test("is summed by partner and currency over all apps, in the chosen days", async () => {
    const today = Math.floor(NOW / DAY) - 1;
    await rows("DELETE FROM daily_totals");
    for (const [app, day, partner, type, currency, count, amount] of [
      [DEMO.appToken, today, 1, "cpc", "USD", 2, 250_000],
      [DEMO.otherAppToken, today, 1, "cpm", "USD", 3, 100_000_000],
      [DEMO.appToken, today - 6, 1, "cpc", "EUR", 1, 100_000],
      [DEMO.appToken, today - 7, 2, "cpc", "USD", 1, 900_000],
    ]) {
      await rows(
        "INSERT INTO daily_totals VALUES (?, ?, 1, ?, ?, ?, 'matched', ?, ?)",
        app,
        day,
        partner,
        type,
        currency,
        count,
        amount,
      );
    }
    const tables = async (path: string) =>
      tablesOf((await operator.get(path)).text).map((table) => table.slice(1).map(({ cells }) => cells));
    expect(await tables("/operator/spend")).toEqual([
      [
        ["Acme Ads", "$3.50", "new", "100.0%", "5"],
        ["Total", "$3.50", "▼ −61.1%", "100.0%", "5"],
      ],
      [
        ["Acme Ads", "€1.00", "new", "100.0%", "1"],
        ["Total", "€1.00", "new", "100.0%", "1"],
      ],
    ]);
    expect((await tables("/operator/spend?period=30d"))[0]?.map(([name]) => name)).toEqual([
      "Beacon Network",
      "Acme Ads",
      "Total",
    ]);
    expect(await tables("/operator/spend?from=x")).toHaveLength(2);
    const withToday = `from=${day(today)}&to=${day(today + 1)}`;
    expect((await tables(`/operator/spend?${withToday}`))[0]).toEqual([
      ["Acme Ads", "$3.50", "–", "100.0%", "5"],
      ["Total", "$3.50", "–", "100.0%", "5"],
    ]);
    const [byApp] = await tables("/operator/spend?partner_id=1");
    expect(byApp?.map(([name, spend, , share]) => [name, spend, share])).toEqual([
      ["Demo App", "$2.50", "71.4%"],
      ["Other App", "$1.00", "28.6%"],
      ["Total", "$3.50", "100.0%"],
    ]);
    expect(textOf((await operator.get("/operator/spend?partner_id=1")).text)).toContain(
      "Not final : costs can arrive until ",
    );
  });

  test("lists the pending costs of a partner one by one", async () => {
    for (let number = 10; number < 14; number++)
      await sendCost({ cost_id: `pending-cost-${number}`, cost_amount: "0.5" });
    const { text } = await operator.get("/operator/partners/1/costs?match=pending");
    const found = [...text.matchAll(/<code>(pending-cost-\d+)<\/code>/g)].map(([, id]) => id);
    expect(found).toEqual(["pending-cost-10", "pending-cost-11", "pending-cost-12", "pending-cost-13"]);
    expect(text).toContain("$0.50");
    const rest = await operator.get("/operator/partners/1/costs?match=pending&after=pending-cost-12");
    expect(rest.text).not.toContain("pending-cost-12<");
    expect(rest.text).toContain("pending-cost-13<");
    expect((await operator.get("/operator/partners/99/costs?match=pending")).status).toBe(404);
  });
});

describe("the spend of a partner on its page", () => {
  beforeEach(async () => {
    operator = await freshSession(freshWholeDemo, DEMO.operatorEmail, DEMO.operatorPassword);
  });
  const spendOf = (page: string) => textOf(/<h2 id="spend">[\s\S]*?<\/section>/.exec(page)?.[0] ?? "");

  test("is that of the list of partners, with its changes and a chart of its days", async () => {
    const list = (await operator.get("/operator/partners")).text;
    // Changes of spend have no color, as on the pages of members.
    const inks = new Set([...list.matchAll(/class="change([^"]*)"/g)].map(([, ink]) => ink));
    expect([...inks]).toEqual([""]);
    const [[head, ...partners] = []] = tablesOf(list);
    const at = (name: string) => head?.cells.findIndex((cell) => cell.startsWith(name)) ?? -1;
    const paid = partners.filter(({ cells }) => cells[at("Spend")] !== "–");
    expect(paid).toHaveLength(3);
    for (const { cells, href = "" } of paid) {
      const { text } = await operator.get(href);
      const shown = spendOf(text);
      expect(shown).toContain(`Coverage ${cells[at("Coverage")]} of `);
      const amounts = cells[at("Spend")]?.split(" ") ?? [];
      const changes = cells[at("Change")]?.split(/ (?=[▲▼])/) ?? [];
      expect(amounts.length).toBe(changes.length);
      for (const [index, amount] of amounts.entries()) {
        expect(shown).toMatch(
          new RegExp(`Spend in \\w{3} \\${amount} ${changes[index]?.replace("+", "\\+")} `),
        );
        expect(shown).toMatch(new RegExp(`Spend in \\w{3} by day( and cost type)?: \\${amount}`));
      }
      expect(text).toContain(`<a href="${href}/costs?day=2026-03-08" aria-label="8 Mar 2026: `);
    }
  });

  test("says when an operator stopped it, and that a new partner has none", async () => {
    await operator.post("/operator/partners/1/costs", { stopped: "yes" });
    expect(spendOf((await operator.get("/operator/partners/1")).text)).toContain(
      "15 Mar 2026 Acme Ads was stopped by an operator",
    );
    const none = spendOf((await operator.get("/operator/partners/2")).text);
    expect(none).toMatch(/Spend None Clicks \d+ .*Costs Pending costs Rejected costs$/);
    expect(none).not.toContain("by day");
  });
});
