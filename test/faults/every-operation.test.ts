/** Every operation × every call to the database that it makes × what may go wrong there. Read from the router. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { env, freshDemo } from "../harness.ts";
import { startSessions } from "../security/support.ts";
import { type Fault, faultyDatabase, kvWith, TRANSIENT } from "./faulty.ts";
import { openRoundToApprove, type Sampled, sampled, sampledNames, settled } from "./operations.ts";

vi.setConfig({ testTimeout: 60_000 });

async function freshState(): Promise<void> {
  await freshDemo();
  await startSessions();
  await openRoundToApprove();
}

beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await freshState();
});

const LOST = "D1_ERROR: Network connection lost.";
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";

const each = sampled.map((one): [string, Sampled] => [one.name, one]);

it("has a sample for every operation that writes, and no other", () => {
  const names = sampled
    .filter(({ isWrite, name }) => isWrite && !name.includes(" /operator"))
    .map(({ name }) => name);
  expect(names.filter((name) => !sampledNames.has(name))).toEqual([]);
  expect([...sampledNames].filter((name) => !sampled.some((one) => one.name === name))).toEqual([]);
});

async function honest(response: Response, good: number, label: string): Promise<boolean> {
  if (response.status !== 503) expect(response.status, label).toBe(good);
  else expect(response.headers.get("retry-after"), label).toMatch(/^[1-9]\d*$/);
  return response.status !== 503;
}

describe.each(each.filter(([, { isConsole }]) => !isConsole))("%s", (_, { send, repeats, isWrite }) => {
  /** What a request does where nothing goes wrong. */
  async function clean() {
    const before = await settled();
    const { database, calls } = faultyDatabase();
    const { status } = await send({ DB: database });
    return { before, status, after: await settled(), calls: calls() };
  }

  it("answers right or 503, with all of it stored or nothing, and once after the same again", async () => {
    const good = await clean();
    expect(good.status).toBeLessThan(isWrite ? 404 : 500);
    const changes = JSON.stringify(good.before) !== JSON.stringify(good.after);
    let isDirty = changes;
    for (let number = 1; number <= good.calls; number++) {
      for (const [when, message] of [
        ["before", OVERLOADED],
        ["before", LOST],
        ["after", LOST],
        ["after", OVERLOADED],
      ] as const) {
        if (when === "after" && !changes) continue;
        if (isDirty) await freshState();
        const label = `call ${number}, ${when}: ${message}`;
        const fault: Fault = { at: (call) => call === number, when, message };
        const answered = await honest(await send({ DB: faultyDatabase(fault).database }), good.status, label);
        const state = await settled();
        const wasDone = changes && JSON.stringify(state) === JSON.stringify(good.after);
        isDirty = changes && (answered || wasDone);
        if (answered) expect(state, label).toEqual(good.after);
        else expect([good.before, good.after], label).toContainEqual(state);
        if (answered || !changes) continue;
        if (wasDone && repeats) continue;
        isDirty = true;
        const again = await send();
        // Told as done, or that it stands already; a session that ended with what was done leads to the sign-in.
        expect([good.status, 200, 303, 400, 401, 404, 409], label).toContain(again.status);
        if (!wasDone) expect(again.status, label).toBe(good.status);
        expect(withoutLog(await settled()), label).toEqual(withoutLog(good.after));
      }
    }
  });

  it("answers 503 where every call fails, and changes nothing, whatever the error says", async () => {
    const { calls, before, after, status } = await clean();
    const changes = JSON.stringify(before) !== JSON.stringify(after);
    if (changes) await freshState();
    for (const message of TRANSIENT) {
      const { database } = faultyDatabase({ at: () => true, when: "before", message });
      const response = await send({ DB: database });
      if (calls === 0) expect(response.status).toBe(status);
      else expect(response.status).toBe(503);
    }
    expect(await settled()).toEqual(before);
  });

  it("answers the same where KV fails, is empty or cannot be written", async () => {
    const good = await clean();
    const down = () => Promise.reject(new Error("KV GET failed: 503 Service Unavailable"));
    for (const operations of [{ get: down, put: down }, { get: async () => null }, { put: down }]) {
      if (JSON.stringify(good.before) !== JSON.stringify(good.after)) await freshState();
      const bindings = { TOKENS: kvWith(env.TOKENS, operations), LINKS: kvWith(env.LINKS, operations) };
      expect((await send(bindings)).status).toBe(good.status);
      expect(await settled()).toEqual(good.after);
    }
  });
});

/** The audit log may hold that the same was asked for again. */
function withoutLog({ audit_log, ...rest }: Record<string, string[]>) {
  return rest;
}
