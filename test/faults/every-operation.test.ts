/** Every operation × every call to the database that it makes × what may go wrong there. Read from the router. */
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { everyOperation } from "../security/support.ts";
import {
  faultyDatabase,
  type InputError,
  type KvMethods,
  kvFails,
  kvIsSilent,
  kvThrows,
  kvWith,
  TRANSIENT,
  withoutPauses,
} from "./faulty.ts";
import { type Sampled, sampled, sampledNames } from "./operations.ts";
import { restoreState, settled, startState } from "./state.ts";

vi.setConfig({ testTimeout: 20_000 });

beforeAll(startState);
beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await restoreState();
});

const SILENCE = undefined;
const SAID = [...TRANSIENT, SILENCE];
const LOST = "D1_ERROR: Network connection lost.";
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";

/** What may become of one call. */
const FAULTS = [OVERLOADED, LOST, SILENCE].flatMap((message): Omit<InputError, "at">[] => [
  { when: "before", message },
  { when: "after", message },
]);

const each = sampled.map((one): [string, Sampled] => [one.name, one]);
/** Those that write to KV after their answer. */
const unwritten = new Set<string>();
/** A write that only shows something. */
const CHANGES_NOTHING = ["POST /account/token/show"];

it("has every operation of the router, a sample for each that writes, and no other", () => {
  expect(sampled).toHaveLength(everyOperation.length);
  const names = sampled.filter(({ isWrite }) => isWrite).map(({ name }) => name);
  expect(names.filter((name) => !sampledNames.has(name))).toEqual([]);
  expect([...sampledNames].filter((name) => !sampled.some((one) => one.name === name))).toEqual([]);
});

async function honest(response: Response, good: number, label: string): Promise<boolean> {
  if (response.status !== 503) expect(response.status, label).toBe(good);
  else expect(response.headers.get("retry-after"), label).toMatch(/^[1-9]\d*$/);
  return response.status !== 503;
}

describe.each(each)("%s", (name, { send, repeats, isWrite }) => {
  /** What a request does where nothing goes wrong. */
  async function clean() {
    const before = await settled();
    const { database, calls } = faultyDatabase();
    const { status } = await send({ DB: database });
    const after = await settled();
    const changes = JSON.stringify(before) !== JSON.stringify(after);
    return { before, status, after, calls: calls(), changes };
  }

  it("answers right or 503 in time, with all of it stored or nothing, and once after the same again", async () => {
    const good = await clean();
    const { before, after, changes } = good;
    expect(good.status).toBeLessThan(400);
    expect(changes).toBe(isWrite && !CHANGES_NOTHING.includes(name));
    let isDirty = changes;
    for (let number = 1; number <= good.calls; number++) {
      for (const { when, message } of FAULTS) {
        if (when === "after" && !changes) continue;
        if (isDirty) await restoreState();
        const label = `call ${number}, ${when}: ${message}`;
        const fault: InputError = { at: (call) => call === number, when, message };
        const response = await withoutPauses(() => send({ DB: faultyDatabase(fault).database }));
        const answered = await honest(response, good.status, label);
        const state = await settled();
        const wasDone = changes && JSON.stringify(state) === JSON.stringify(after);
        isDirty = changes && (answered || wasDone);
        if (answered) expect(state, label).toEqual(after);
        else expect([before, after], label).toContainEqual(state);
        if (answered || !changes || (wasDone && repeats)) continue;
        isDirty = true;
        const again = await send();
        // Told as done, or that it stands already; a session that ended with what was done leads to the sign-in.
        expect([good.status, 200, 303, 400, 401, 404, 409], label).toContain(again.status);
        if (!wasDone) expect(again.status, label).toBe(good.status);
        expect(withoutLog(await settled()), label).toEqual(withoutLog(after));
      }
    }
  });

  it("answers 503 where every call fails, and changes nothing, whatever the error says", async () => {
    const { calls, before, status, changes } = await clean();
    if (changes) await restoreState();
    for (const message of SAID) {
      const { database } = faultyDatabase({ at: () => true, when: "before", message });
      const response = await withoutPauses(() => send({ DB: database }));
      expect(response.status).toBe(calls === 0 ? status : 503);
    }
    expect(await settled()).toEqual(before);
  });

  it("answers the same where KV fails, is silent, is empty or cannot be written", async () => {
    const good = await clean();
    const ways: KvMethods[] = [
      { get: kvFails, put: kvFails },
      { get: kvIsSilent },
      { get: async () => null },
      { put: kvFails },
      { put: kvThrows },
    ];
    for (const way of ways) {
      if (good.changes) await restoreState();
      const response = await withoutPauses(() => send(kvWith(way)));
      // It tells how KV is.
      const status =
        name === "readReadiness" && (way.get === kvFails || way.get === kvIsSilent) ? 503 : good.status;
      expect(response.status).toBe(status);
      expect(await settled()).toEqual(good.after);
    }
  });

  it("answers while the work that goes on after it never ends", async () => {
    const good = await clean();
    if (good.changes) await restoreState();
    const execution = { waitUntil: () => undefined };
    const put = () => {
      unwritten.add(name);
      return new Promise(() => undefined);
    };
    const response = await send(kvWith({ put }), { execution });
    expect(response.status).toBe(good.status);
    expect(await settled()).toEqual(good.after);
  });
});

it("some operations do leave such work", () => {
  expect([...unwritten]).toEqual(expect.arrayContaining(["createLink", "updateApp", "issueToken"]));
});

/** The audit log may hold that the same was asked for again. */
function withoutLog({ audit_log, ...rest }: Record<string, string[]>) {
  return rest;
}
