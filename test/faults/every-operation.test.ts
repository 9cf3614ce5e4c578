/** Fault injection: every operation of the router × each of its database calls × every fault. */
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { everyOperation } from "../security/support.ts";
import {
  faultyDatabase,
  type InjectedFault,
  type KvMethods,
  kvFails,
  kvHangs,
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

const HANGS = undefined;
const MESSAGES = [...TRANSIENT, HANGS];
const LOST = "D1_ERROR: Network connection lost.";
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";

/** The faults of one call. */
const FAULTS = [OVERLOADED, LOST, HANGS].flatMap((message): Omit<InjectedFault, "at">[] => [
  { when: "before", message },
  { when: "after", message },
]);

const each = sampled.map((one): [string, Sampled] => [one.name, one]);
/** The operations that write to KV after their response. */
const writingLater = new Set<string>();
/** POST operations that change nothing. */
const CHANGES_NOTHING = [
  "POST /partner/upload",
  "POST /partner/upload/check-part",
  "POST /apps/:app_token/links/import",
];

it("covers every operation of the router, with a sample for each that writes and no other samples", () => {
  expect(sampled).toHaveLength(everyOperation.length);
  const names = sampled.filter(({ isWrite }) => isWrite).map(({ name }) => name);
  expect(names.filter((name) => !sampledNames.has(name))).toEqual([]);
  expect([...sampledNames].filter((name) => !sampled.some((one) => one.name === name))).toEqual([]);
});

/** Checks that the response has the expected status or is a 503 with Retry-After. Returns whether it has the expected status. */
async function isConfirmed(response: Response, expected: number, label: string): Promise<boolean> {
  if (response.status !== 503) expect(response.status, label).toBe(expected);
  else expect(response.headers.get("retry-after"), label).toMatch(/^[1-9]\d*$/);
  return response.status !== 503;
}

describe.each(each)("%s", (name, { send, repeats, isWrite }) => {
  /** Sends the request without a fault. */
  async function sendWithoutFault() {
    const before = await settled();
    const { database, calls } = faultyDatabase();
    const { status } = await send({ DB: database });
    const after = await settled();
    const changes = JSON.stringify(before) !== JSON.stringify(after);
    return { before, status, after, calls: calls(), changes };
  }

  it("succeeds or returns 503, stores everything or nothing, and stores it once after a retry", async () => {
    const normal = await sendWithoutFault();
    const { before, after, changes } = normal;
    expect(normal.status).toBeLessThan(400);
    expect(changes).toBe(isWrite && !CHANGES_NOTHING.includes(name));
    let isDirty = changes;
    for (let number = 1; number <= normal.calls; number++) {
      for (const { when, message } of FAULTS) {
        if (when === "after" && !changes) continue;
        if (isDirty) await restoreState();
        const label = `call ${number}, ${when}: ${message}`;
        const fault: InjectedFault = { at: (call) => call === number, when, message };
        const response = await withoutPauses(() => send({ DB: faultyDatabase(fault).database }));
        const confirmed = await isConfirmed(response, normal.status, label);
        const state = await settled();
        const wasStored = changes && JSON.stringify(state) === JSON.stringify(after);
        isDirty = changes && (confirmed || wasStored);
        if (confirmed) expect(state, label).toEqual(after);
        else expect([before, after], label).toContainEqual(state);
        if (confirmed || !changes || (wasStored && repeats)) continue;
        isDirty = true;
        const again = await send();
        // A retry may find its work already done. If that work ended the session, the retry is redirected to the sign-in page.
        expect([normal.status, 200, 303, 400, 401, 404, 409], label).toContain(again.status);
        if (!wasStored) expect(again.status, label).toBe(normal.status);
        expect(withoutLog(await settled()), label).toEqual(withoutLog(after));
      }
    }
  });

  it("returns 503 and changes nothing when every call fails, with any transient error", async () => {
    const { calls, before, status, changes } = await sendWithoutFault();
    if (changes) await restoreState();
    for (const message of MESSAGES) {
      const { database } = faultyDatabase({ at: () => true, when: "before", message });
      const response = await withoutPauses(() => send({ DB: database }));
      expect(response.status).toBe(calls === 0 ? status : 503);
    }
    expect(await settled()).toEqual(before);
  });

  it("responds the same when KV fails, hangs, is empty or cannot be written", async () => {
    const normal = await sendWithoutFault();
    const kvFaults: KvMethods[] = [
      { get: kvFails, put: kvFails },
      { get: kvHangs },
      { get: async () => null },
      { put: kvFails },
      { put: kvThrows },
    ];
    for (const kv of kvFaults) {
      if (normal.changes) await restoreState();
      const response = await withoutPauses(() => send(kvWith(kv)));
      // The readiness check reports the state of KV.
      const status =
        name === "readReadiness" && (kv.get === kvFails || kv.get === kvHangs) ? 503 : normal.status;
      expect(response.status).toBe(status);
      expect(await settled()).toEqual(normal.after);
    }
  });

  it("responds even if the work after the response never ends", async () => {
    const normal = await sendWithoutFault();
    if (normal.changes) await restoreState();
    const execution = { waitUntil: () => undefined };
    const put = () => {
      writingLater.add(name);
      return new Promise(() => undefined);
    };
    const response = await send(kvWith({ put }), { execution });
    expect(response.status).toBe(normal.status);
    expect(await settled()).toEqual(normal.after);
  });
});

it("has operations that write to KV after the response", () => {
  expect([...writingLater]).toEqual(expect.arrayContaining(["createLink", "updateApp", "issueToken"]));
});

/** Leaves out the audit log, which may have a second entry after a retry. */
function withoutLog({ audit_log, ...rest }: Record<string, string[]>) {
  return rest;
}
