/** Voids of costs on shards: the audit log is in another database, so it says what was requested, and what was not carried out. */
import { beforeEach, describe, expect, it } from "vitest";
import { faultyDatabase, withoutPauses } from "../faults/faulty.ts";
import { ask, type Call, call, click, DEMO, rows, sendCost, withMethods, wrapDatabases } from "../harness.ts";
import { freshLedger, inLedger, totals } from "../support.ts";

const ID = "sharded-void-0001";
const send = (amount?: string) => sendCost({ cost_id: ID, ...(amount && { cost_amount: amount }) });

interface Voider {
  /** The number of the call that changes the shard: after the check and the audit entry, for an operator after the token too. */
  voidsAt: number;
  voidCost: (database?: D1Database) => ReturnType<typeof ask<{ code?: string; duplicate?: boolean }>>;
}
const voider = (voidsAt: number, path: string, options: Call): Voider => ({
  voidsAt,
  voidCost: (database) =>
    ask(path, { method: "POST", ...options, ...(database && { env: { DB: database } }) }),
});
const partner = voider(3, `/cost/${ID}/void`, { token: DEMO.costToken });
const operator = voider(4, "/operator/v1/partners/1/voids", {
  token: DEMO.operatorToken,
  json: { cost_id: ID, reason: "fraud" },
});

/** What the audit log says about voids: `requested 0.5`, in order. */
const outcomes = async () =>
  (await rows<{ detail: string }>("SELECT detail FROM audit_log WHERE action = 'void cost' ORDER BY id")).map(
    ({ detail }) => {
      const { outcome, amount } = JSON.parse(detail);
      return `${outcome} ${amount}`;
    },
  );

/** Databases on which something happens before some calls, by their number. */
function changingDatabase(before: (call: number) => Promise<unknown>): D1Database {
  let calls = 0;
  return wrapDatabases((real) =>
    withMethods(real, {
      batch: async (statements: D1PreparedStatement[]) => {
        await before(++calls);
        return real.batch(statements);
      },
    }),
  );
}

beforeEach(async () => {
  await freshLedger();
  await click(ID);
  await send();
  // The day of the last use of the token is written once, and the partner of a credential is read once.
  await call("/operator/v1/partners/1", { token: DEMO.operatorToken });
  await call(`/cost/${ID}`, { token: DEMO.costToken });
});

describe.each([
  ["a partner", partner, operator],
  ["an operator", operator, partner],
])("a void by %s", (_, { voidCost, voidsAt }, other) => {
  const beforeVoid = (change: () => Promise<unknown>) =>
    changingDatabase(async (number) => number === voidsAt && (await change()));

  it("is requested, and nothing more is said if it is carried out", async () => {
    expect((await voidCost()).body).toMatchObject({ duplicate: false });
    expect(await outcomes()).toEqual(["requested null"]);
  });

  it("is not carried out if the cost changed meanwhile, and is requested again with the new values", async () => {
    const { body } = await voidCost(beforeVoid(() => send("0.5")));
    expect(body).toMatchObject({ duplicate: false });
    expect(await outcomes()).toEqual(["requested null", "not carried out null", "requested 0.5"]);
    expect(await totals()).toEqual([]);
  });

  it("is not carried out if another one came first, and is a duplicate", async () => {
    const { body } = await voidCost(beforeVoid(() => other.voidCost()));
    expect(body).toMatchObject({ duplicate: true });
    expect(await outcomes()).toEqual(["requested null", "requested null", "not carried out null"]);
  });

  it("is given up after five changes with 503, and none was carried out", async () => {
    let amount = 0;
    const change = () =>
      inLedger(
        `UPDATE ledger_entries SET amount = ${++amount * 100_000} WHERE partner_id = 1 AND cost_id = '${ID}'`,
      );
    // Each attempt makes four calls.
    const isVoid = (number: number) => number >= voidsAt && (number - voidsAt) % 4 === 0;
    const { status, headers } = await voidCost(
      changingDatabase(async (number) => isVoid(number) && (await change())),
    );
    expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
    const attempts = ["null", "1", "2", "3", "4"].flatMap((one) => [
      `requested ${one}`,
      `not carried out ${one}`,
    ]);
    expect(await outcomes()).toEqual(attempts);
    expect(await totals()).toEqual([{ state: "matched", count: 1, amount: 500_000 }]);
  });

  it("is only requested if the shard fails, and can be repeated", async () => {
    const fault = { at: (number: number) => number === voidsAt, message: "D1_ERROR: D1 DB is overloaded" };
    const { status } = await withoutPauses(() =>
      voidCost(faultyDatabase({ ...fault, when: "before" }).database),
    );
    expect([status, await outcomes()]).toEqual([503, ["requested null"]]);
    expect((await voidCost()).body).toMatchObject({ duplicate: false });
    expect(await outcomes()).toEqual(["requested null", "requested null"]);
  });

  it("is carried out as requested if the shard's answer is lost, and repeating it is a duplicate", async () => {
    const fault = {
      at: (number: number) => number === voidsAt,
      message: "D1_ERROR: Network connection lost.",
    };
    const { status } = await withoutPauses(() =>
      voidCost(faultyDatabase({ ...fault, when: "after" }).database),
    );
    expect(status).toBe(503);
    expect((await voidCost()).body).toMatchObject({ duplicate: true });
    expect(await outcomes()).toEqual(["requested null"]);
  });
});

it("a void is not carried out if the partner's credential is revoked meanwhile", async () => {
  const revoke = () =>
    call("/operator/v1/credentials/1/revoke", { method: "POST", token: DEMO.operatorToken });
  const revoking = changingDatabase(async (number) => number === partner.voidsAt && (await revoke()));
  expect(await partner.voidCost(revoking)).toMatchObject({
    status: 403,
    body: { code: "credential_revoked" },
  });
  expect(await outcomes()).toEqual(["requested null", "not carried out null"]);
  expect(await rows("SELECT state FROM ledger_entries WHERE cost_id = ?", ID)).toEqual([
    { state: "unpriced" },
  ]);
});
