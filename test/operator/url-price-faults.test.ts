/** Accepting, dropping and voiding prices on URLs while the database fails at any call: nothing is half done, and a repeat completes it. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { faultyDatabase, type InjectedFault, withoutPauses } from "../faults/faulty.ts";
import { ask, DEMO, freshState, ledgerOn, NOW, rows } from "../harness.ts";
import { isLong } from "../part.ts";
import { freshLedger, totals } from "../support.ts";

const isSharded = ledgerOn().shards.length > 0;
const TODAY = new Date(NOW).toISOString().slice(0, 10);
const COUNT = 8;

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

/** Resets to prices of 20, which are held or count. */
const freshPrices = (isHeld: boolean) =>
  freshState(`prices of 20, held: ${isHeld}`, async () => {
    await freshLedger();
    await rows("UPDATE partners SET max_url_spend = ? WHERE id = 1", isHeld ? 0 : null);
    for (let index = 0; index < COUNT; index++)
      await ask(`/${DEMO.linkToken}?s2s=1&cost_type=cpc&cost_amount=20&cost_currency=USD`);
  });
const send = (path: string, json: object, database?: D1Database) =>
  withoutPauses(() =>
    ask<Record<string, unknown>>(`/operator/v1/partners/1/${path}`, {
      token: DEMO.operatorToken,
      json: { app_token: DEMO.appToken, day: TODAY, reason: "checked", ...json },
      ...(database && { env: { DB: database } }),
    }),
  );
/** Repeats a void until the end, as its callers do. */
async function act(path: string, json: object): Promise<void> {
  for (let next: unknown; next !== null; ) {
    const { status, body } = await send(path, { ...json, ...(typeof next === "string" && { next }) });
    expect(status).toBe(200);
    next = path === "voids" ? body.next : null;
  }
}
const spend = async () =>
  (await totals("amount")).reduce((sum, { amount }) => sum + Number(amount), 0) / 100_000;
/** What the sums of the day say, which no void changes. */
const sums = async () => {
  const found = await rows<Record<"counted" | "held" | "held_count", number>>(
    "SELECT * FROM daily_url_prices",
  );
  const sum = (key: "counted" | "held" | "held_count") =>
    found.reduce((total, row) => total + Number(row[key]), 0);
  return [sum("counted") / 1e8, sum("held") / 1e8, sum("held_count")];
};
/** The prices that the entries of the audit log name, and how each ended. */
const entries = async () =>
  (
    await rows<{ detail: string }>("SELECT detail FROM audit_log WHERE action LIKE '%prices' ORDER BY id")
  ).map(({ detail }) => JSON.parse(detail) as { count: number; outcome?: string });

const MESSAGE = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";

describe.each([
  ["accepting held prices", "url-prices", { decision: "accept" }, true, 8 * 20, [160, 0, 0]],
  ["dropping held prices", "url-prices", { decision: "drop" }, true, 0, [0, 0, 0]],
  ["voiding the prices of a day", "voids", {}, false, 0, [160, 0, 0]],
] as const)("%s", (_, path, json, isHeld, spent, left) => {
  it.each(["before", "after"] as const)("completes after a failure %s each call to D1", async (when) => {
    await freshPrices(isHeld);
    let calls = 0;
    const before = { spend: await spend(), sums: await sums() };
    // The first two find the operator and the partner.
    for (let call = isLong ? 1 : 3; ; call++) {
      await freshPrices(isHeld);
      const fault: InjectedFault = { at: (number) => number === call, when, message: MESSAGE };
      const { database, calls: made } = faultyDatabase(fault);
      const failed = await send(path, json, database);
      calls = made();
      if (calls < call) break;
      // Each database is changed as a whole, with its sums; without shards the entry in the same transaction.
      const [counted = 0, held = 0, heldCount = 0] = await sums();
      const isDone = path === "voids" ? (await spend()) === spent : heldCount === 0;
      if (!isSharded) {
        const names = (await entries()).map(({ count }) => count);
        expect([isDone, names], `call ${call}`).toContainEqual(isDone ? [COUNT] : []);
        expect(isDone || (await spend()) === before.spend, `call ${call}`).toBe(true);
        expect([before.sums, left], `call ${call}`).toContainEqual([counted, held, heldCount]);
      }
      expect(held, `call ${call}`).toBe(20 * heldCount);
      expect(failed.status, `call ${call}`).toBeGreaterThanOrEqual(200);
      await act(path, json);
      expect([await spend(), await sums()], `call ${call}`).toEqual([spent, left]);
      const named = (await entries()).filter(({ outcome }) => outcome !== "requested");
      if (!isSharded)
        expect(
          named.reduce((sum, { count }) => sum + count, 0),
          `call ${call}`,
        ).toBe(COUNT);
    }
    // The operator, the partner, what is read, what is changed.
    expect(calls).toBeGreaterThanOrEqual(4);
  });
});
