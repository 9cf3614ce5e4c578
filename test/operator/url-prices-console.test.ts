/** In the console, operators decide held prices on URLs, void those of a day, and choose the daily limit. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Browser, freshSession } from "../account/support.ts";
import { ask, DAY, DEMO, NOW, rows } from "../harness.ts";
import { freshLedger, totals } from "../support.ts";
import { textOf } from "../workspace/page-text.ts";

let operator: Browser;
beforeEach(async () => {
  operator = await freshSession(freshLedger, DEMO.operatorEmail, DEMO.operatorPassword);
});

const PARTNER = "/operator/partners/1";
const PATH = `${PARTNER}/url-prices`;
const TODAY = new Date(NOW).toISOString().slice(0, 10);
const OF = { app_token: DEMO.appToken, day: TODAY, reason: "checked" };
const limit = (most: number | null) =>
  rows("UPDATE partners SET max_url_spend = ? WHERE id = 1", most === null ? null : most * 100_000);
const open = async (count: number, { id = "", now = NOW } = {}) => {
  for (let index = 0; index < count; index++)
    await ask(
      `/${DEMO.linkToken}?s2s=1&cost_type=cpc&cost_amount=20&cost_currency=USD${id && `&cost_id=${id}`}`,
      { now },
    );
};
const spend = async () =>
  (await totals("amount")).reduce((sum, { amount }) => sum + Number(amount), 0) / 100_000;
/** What the form of the notice sends. */
const next = (text: string) =>
  Object.fromEntries(
    [
      ...(/<form.*?<\/form>/s.exec(text.slice(text.indexOf('role="status"')))?.[0] ?? "").matchAll(
        /name="([^"]+)" value="([^"]*)"/g,
      ),
    ].map(([, name, value]) => [name, value]),
  );

describe("held prices", () => {
  it("are shown by app and day on the page and announced on those of the partner and the overview", async () => {
    expect(textOf((await operator.get(PARTNER)).text)).toContain("No prices are held.");
    expect((await operator.get("/operator")).text).not.toContain(PATH);
    await limit(0);
    await open(3);
    await open(1, { now: NOW - DAY });
    expect(textOf((await operator.get(PARTNER)).text)).toContain("4 prices are held above the daily limit");
    expect(textOf((await operator.get("/operator")).text)).toContain("4 held prices on URLs");
    const { text } = await operator.get(PATH);
    expect(textOf(text)).toMatch(/\$60\.00 3 .*\$20\.00 1 /s);
    expect(text.match(/Accept 3 prices|Drop 3 prices|Accept 1 price<|Drop 1 price</g)).toHaveLength(4);
  });

  it("count once they are accepted and never once they are dropped", async () => {
    await limit(0);
    await open(2);
    await open(1, { now: NOW - DAY });
    const accepted = await operator.post(PATH, { ...OF, decision: "accept" });
    expect(accepted.status).toBe(200);
    expect(textOf(accepted.text)).toContain("2 prices accepted: $40.00. None are left of this app and day.");
    expect(await spend()).toBe(40);
    const day = new Date(NOW - DAY).toISOString().slice(0, 10);
    const dropped = await operator.post(PATH, { ...OF, day, decision: "drop" });
    expect(textOf(dropped.text)).toContain("1 price dropped: $20.00. None are left");
    expect(await spend()).toBe(40);
    expect(await rows("SELECT action FROM audit_log WHERE action LIKE '%prices' ORDER BY id")).toEqual([
      { action: "accept held prices" },
      { action: "drop held prices" },
    ]);
  });

  it("are shown again with the error of a form without a reason", async () => {
    await limit(0);
    await open(1);
    const rejected = await operator.post(PATH, { ...OF, decision: "accept", reason: " " });
    expect(rejected.status).toBe(400);
    expect(rejected.text).toContain(`href="#accept-${DEMO.appToken}-${TODAY}-reason"`);
    expect(await spend()).toBe(0);
    expect((await operator.post(PATH, { ...OF, decision: "keep" })).status).toBe(400);
    expect((await operator.get("/operator/partners/99/url-prices")).status).toBe(404);
    expect(
      (await operator.post("/operator/partners/99/url-prices", { ...OF, decision: "drop" })).status,
    ).toBe(404);
  });

  it("are decided 1,000 at a time", async () => {
    await limit(0);
    await open(1, { id: "held-many-0000" });
    const copy = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)`;
    const columns = (
      await rows<{ name: string }>("SELECT name FROM pragma_table_info('ledger_entries')")
    ).map(({ name }) => name);
    const values = columns.map((name) => (name === "cost_id" ? "printf('held-many-%04d', i)" : name));
    await rows(
      `INSERT INTO ledger_entries (${columns}) ${copy} SELECT ${values} FROM ledger_entries CROSS JOIN n WHERE cost_id = 'held-many-0000'`,
    );
    await rows("UPDATE daily_url_prices SET held_count = 1001, held = 1001 * 2000000000");
    const first = await operator.post(PATH, { ...OF, decision: "drop" });
    expect(textOf(first.text)).toContain("1,000 prices dropped: $20,000.00. 1 price is left");
    expect(next(first.text)).toEqual({ ...OF, decision: "drop" });
    const last = await operator.post(PATH, next(first.text) as Record<string, string>);
    expect(textOf(last.text)).toContain("1 price dropped: $20.00. None are left");
  });
});

describe("the void of a day", () => {
  const voidDay = (fields: Record<string, string>) => operator.post(`${PATH}/voids`, fields);

  /** Goes on until the end. Returns how many were voided. */
  async function voidAll(generated: string): Promise<number> {
    let count = 0;
    for (let fields: Record<string, string> = { ...OF, generated }; "reason" in fields; ) {
      const { status, text } = await voidDay(fields);
      expect(status).toBe(200);
      count += Number(/(\d+) prices? voided/.exec(textOf(text))?.[1]);
      fields = /complete\./.test(text) ? {} : (next(text) as Record<string, string>);
    }
    return count;
  }

  it("voids the prices without an ID, or the others, and says how many", async () => {
    await limit(null);
    await open(2);
    await open(1, { id: "void-day-page-1" });
    await open(1, { now: NOW - DAY });
    expect(await voidAll("yes")).toBe(2);
    expect(await spend()).toBe(40);
    expect(await voidAll("no")).toBe(1);
    expect(await spend()).toBe(20);
  });

  it("is rejected with every error, in its own form", async () => {
    await limit(null);
    await open(1);
    const rejected = await voidDay({
      app_token: DEMO.appToken,
      day: "tomorrow",
      generated: "all",
      reason: "",
    });
    expect(rejected.status).toBe(400);
    for (const field of ["day", "generated", "reason"])
      expect(rejected.text).toContain(`href="#void-day-${field}"`);
    expect((await voidDay({ ...OF, generated: "yes", next: "x" })).status).toBe(400);
    expect(await spend()).toBe(20);
  });
});

describe("the daily limit", () => {
  const WITH_PRICE = "cost_id={id}&cost_type=cpc&cost_currency=USD&cost_amount={price}";
  const read = () => rows("SELECT cost_parameters, max_url_spend FROM partners WHERE id = 2");
  beforeEach(() => rows("UPDATE partners SET cost_parameters = '', max_url_spend = NULL WHERE id = 2"));

  it.each(["/operator/partners/2", "/operator/partners/2/setup"])(
    "is asked for when the cost parameters name cost_amount: %s",
    async (path) => {
      const [before] = await read();
      const fields = { cost_parameters: WITH_PRICE, max_url_spend: "", click_parameters: "#" };
      const rejected = await operator.post(path, fields);
      expect(rejected.status).toBe(400);
      expect(textOf(rejected.text)).toMatch(/is required because the cost parameters name cost_amount/);
      // Every error is in one response.
      expect(textOf(rejected.text)).toMatch(/Click parameters must not/);
      expect(await read()).toEqual([before]);
      const both = { ...fields, click_parameters: "", max_url_spend: "5", no_max_url_spend: "yes" };
      expect((await operator.post(path, both)).status).toBe(400);
      expect(await read()).toEqual([before]);

      expect((await operator.post(path, { ...both, max_url_spend: "" })).status).toBe(303);
      expect(await read()).toEqual([{ cost_parameters: WITH_PRICE, max_url_spend: null }]);
      expect((await operator.get(path)).text).toMatch(/name="no_max_url_spend" value="yes" checked/);
      await operator.post(path, { ...fields, click_parameters: "", max_url_spend: "500" });
      expect(await read()).toEqual([{ cost_parameters: WITH_PRICE, max_url_spend: 50_000_000 }]);
      expect((await operator.get(path)).text).not.toMatch(/name="no_max_url_spend" value="yes" checked/);
    },
  );

  it("can be empty without a price in the cost parameters", async () => {
    const fields = { cost_parameters: "cost_id={id}", max_url_spend: "" };
    expect((await operator.post("/operator/partners/2", fields)).status).toBe(303);
    expect(await read()).toEqual([{ cost_parameters: "cost_id={id}", max_url_spend: null }]);
  });
});
