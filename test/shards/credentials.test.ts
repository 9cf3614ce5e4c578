/** Credentials on the shards: copied automatically, and revoked on every shard before a revocation is confirmed. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { replicateCredentials } from "../../src/db/ledger/shards.ts";
import worker, { serve } from "../../src/index.ts";
import { ask, DEMO, env, freshDemo, ledgerOn, NOW, ORIGIN, withMethods } from "../harness.ts";
import { downDatabase, idOn, shard } from "./support.ts";

beforeEach(freshDemo);

/** Calls the Worker without the harness, which would replicate the credentials. */
async function send(costId: string, token = DEMO.costToken, bindings: Partial<typeof env> = {}) {
  const query = new URLSearchParams({ cost_type: "cpc", cost_currency: "USD", tag: "t", cost_id: costId });
  const request = new Request(`${ORIGIN}/cost?${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  const execution = { waitUntil: () => undefined };
  const response = await serve(request, { ...env, ...bindings }, execution, () => NOW);
  const { code } = await response.json<{ code?: string }>();
  return { status: response.status, code };
}

async function act(path: string, json: object | undefined, bindings: Partial<typeof env> = {}) {
  const request = new Request(`${ORIGIN}/operator/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${DEMO.operatorToken}`, "content-type": "application/json" },
    ...(json && { body: JSON.stringify(json) }),
  });
  const execution = { waitUntil: () => undefined };
  const response = await serve(request, { ...env, ...bindings }, execution, () => NOW);
  const body = await response.json<{ data?: { items: { id: number; credential: string }[] } }>();
  return { status: response.status, item: body.data?.items[0] };
}

const revoke = (id: number, bindings: Partial<typeof env> = {}) =>
  act(`/credentials/${id}/revoke`, undefined, bindings);
const one = { partner_id: 1, mode: "live", cost_types: ["cpc"] };
const REVOKED = { status: 403, code: "credential_revoked" };

it("accepts a new credential on every shard, which copies it at its first use, and rejects an unknown one", async () => {
  const { item } = await act("/credentials", one);
  for (const number of [0, 1, 2, 3]) {
    expect(await send(idOn(number), item?.credential)).toEqual({ status: 200, code: undefined });
  }
  expect((await send(idOn(0), DEMO.costToken.replace("Acme", "Bcme"))).status).toBe(401);
});

describe("a revocation", () => {
  it("applies to every shard when it is confirmed, with or without an earlier copy of the credential", async () => {
    const { item } = await act("/credentials", one);
    await send(idOn(1), item?.credential);
    expect((await revoke(item?.id ?? 0)).status).toBe(200);
    for (const number of [0, 1, 2, 3]) expect(await send(idOn(number), item?.credential)).toEqual(REVOKED);
  });

  it("returns 503 when it does not reach a shard, and applies to that shard after a retry", async () => {
    const { item } = await act("/credentials", one);
    const id = item?.id ?? 0;
    for (const number of [0, 1, 2, 3]) await send(idOn(number), item?.credential);
    const { database, calls } = downDatabase(shard(2));
    expect((await revoke(id, { LEDGER_2: database })).status).toBe(503);
    expect(calls()).toBe(1);
    for (const number of [0, 1, 3]) expect(await send(idOn(number), item?.credential)).toEqual(REVOKED);
    expect((await send(idOn(2), item?.credential)).status).toBe(200);
    expect((await revoke(id)).status).toBe(200);
    expect(await send(idOn(2, "another-cost"), item?.credential)).toEqual(REVOKED);
  });

  it("returns 500 after only DB was restored, and works again once the copies are deleted as in the README", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { item } = await act("/credentials", one);
    const id = item?.id ?? 0;
    for (const number of [0, 1, 2, 3]) await send(idOn(number), item?.credential);
    for (const name of ["a", "b"]) await act("/apps", { name, default_url: "https://a.example/" });
    const { item: lost } = await act("/credentials", one);
    for (const number of [0, 1, 2, 3]) await send(idOn(number), lost?.credential);
    await env.DB.batch([
      // A restore does not run triggers.
      env.DB.prepare("DROP TRIGGER audit_log_deleted"),
      env.DB.prepare("DELETE FROM audit_log WHERE id > 1"),
      env.DB.prepare("DELETE FROM credentials WHERE id > ?").bind(id),
    ]);

    expect((await revoke(id)).status).toBe(500);

    for (const number of [0, 1, 2, 3]) {
      await shard(number).batch([
        shard(number).prepare("UPDATE shard_identity SET credentials_as_of = 0"),
        shard(number).prepare("DELETE FROM credentials"),
      ]);
    }
    expect((await revoke(id)).status).toBe(200);
    for (const number of [0, 1, 2, 3]) {
      expect(await send(idOn(number, "another-cost"), item?.credential)).toEqual(REVOKED);
      expect((await send(idOn(number), lost?.credential)).status).toBe(401);
    }
    const { item: fresh } = await act("/credentials", one);
    expect(fresh?.id).toBe(lost?.id);
    expect((await send(idOn(2, "another-cost"), fresh?.credential)).status).toBe(200);
  });

  it("reaches a shard that it missed with the next hourly run", async () => {
    const { item } = await act("/credentials", one);
    await send(idOn(2), item?.credential);
    await revoke(item?.id ?? 0, { LEDGER_2: downDatabase(shard(2)).database });
    await worker.scheduled(
      { scheduledTime: NOW, cron: "", noRetry: () => undefined } as ScheduledController,
      env,
    );
    expect(await send(idOn(2, "another-cost"), item?.credential)).toEqual(REVOKED);
  });

  it("is not undone by a copy that was read before it and written after it", async () => {
    const { item } = await act("/credentials", one);
    await send(idOn(0), item?.credential);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let markRead = () => {};
    const wasRead = new Promise<void>((resolve) => {
      markRead = resolve;
    });
    const delayed = withMethods(shard(0), {
      batch: async (statements: D1PreparedStatement[]) => {
        markRead();
        await released;
        return shard(0).batch(statements);
      },
    });
    const [, ...others] = ledgerOn().shards;
    const copying = replicateCredentials({ ...ledgerOn(), shards: [delayed, ...others] }, [delayed]);
    await wasRead;
    expect((await revoke(item?.id ?? 0)).status).toBe(200);
    release();
    await copying;
    expect(await send(idOn(0, "another-cost"), item?.credential)).toEqual(REVOKED);
  });
});

it("replication fails until every shard has the partner's cost types and its support for cost data", async () => {
  await env.DB.exec("UPDATE partners SET supports_cost_data = 0 WHERE id = 1");
  await replicateCredentials(ledgerOn());
  expect(await send(idOn(1))).toEqual({ status: 403, code: "cost_type_not_integrated" });
  await env.DB.exec("UPDATE partners SET supports_cost_data = 1 WHERE id = 1");
  const shards = ledgerOn().shards.with(1, downDatabase(shard(1)).database);
  await expect(replicateCredentials({ ...ledgerOn(), shards })).rejects.toThrow("overloaded");
  expect((await send(idOn(1))).status).toBe(403);
  await replicateCredentials(ledgerOn());
  expect((await send(idOn(1))).status).toBe(200);
});

it("copies no partner name, template or hint to a shard", async () => {
  await replicateCredentials(ledgerOn());
  const partners = await shard(0)
    .prepare("SELECT DISTINCT display_name, cost_parameters FROM partners")
    .all();
  expect(partners.results).toEqual([{ display_name: "", cost_parameters: "" }]);
  const credentials = await shard(0).prepare("SELECT DISTINCT hint, round_id FROM credentials").all();
  expect(credentials.results).toEqual([{ hint: "", round_id: null }]);
});

it("names the shard that does not respond in the readiness check", async () => {
  const { body } = await ask<{ checks: { database: { ok: boolean; reason: string } } }>("/readyz", {
    env: { LEDGER_3: downDatabase(shard(3)).database },
  });
  expect(body.checks.database).toEqual({ ok: false, reason: "The database LEDGER_3 does not respond." });
});
