/**
 * Fault injection: every operation of the router × each of its database calls × every fault. The files each-call-*.test.ts run a
 * part of the operations each, so that two processes share the work.
 */
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { env, forgetMemory } from "../harness.ts";
import { isLong, oneOf } from "../part.ts";
import { writtenBy } from "../writes.ts";
import {
  faultyDatabase,
  type InjectedFault,
  type KvMethods,
  kvFails,
  kvHangs,
  kvThrows,
  kvWith,
  notedKv,
  oldLinks,
  oldTokens,
  TRANSIENT,
  withoutPauses,
} from "./faulty.ts";
import { type Sampled, sampled, variants } from "./operations.ts";
import { restoreState, settled, startState } from "./state.ts";

const HANGS = undefined;
const LOST = "D1_ERROR: Network connection lost.";
const OVERLOADED = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
/** What every call fails with. `npm test` tries each message on one operation that reads and one that writes, and one on each other. */
const messagesFor = (name: string) =>
  isLong || name === "readCost" || name === "submitCost"
    ? [...TRANSIENT, HANGS]
    : [name.length % 2 ? OVERLOADED : HANGS];

/** The faults of one call. */
const FAULTS = [OVERLOADED, LOST, HANGS].flatMap((message): Omit<InjectedFault, "at">[] => [
  { when: "before", message },
  { when: "after", message },
]);

/** The calls that failed and only read, by their SQL. */
const failedReads = new Set<string>();

/**
 * The faults of a call, counted from 1. `npm test` tries a failure before an odd call and a lost answer after it, and a missing answer
 * after an even call. A call that only reads has one outcome for all faults, wherever it is, so the same one fails once.
 */
function faultsFor(changes: boolean, call: number, query: string) {
  if (isLong) return changes ? FAULTS : FAULTS.filter(({ when }) => when === "before");
  if (changes && writtenBy(query).length > 0)
    return FAULTS.filter(({ when, message }) =>
      when === "after" ? message === (call % 2 ? LOST : HANGS) : message === OVERLOADED && call % 2 === 1,
    );
  const isKnown = failedReads.has(query);
  failedReads.add(query);
  return isKnown ? [] : FAULTS.slice(0, 1);
}

/** `npm test` tries a KV that fails or one that is empty. */
const KV_FAULTS: KvMethods[] = [
  { get: kvFails, put: kvFails },
  { get: async () => null },
  ...(isLong ? [{ get: kvHangs }, { put: kvFails }, { put: kvThrows }] : []),
];

/** The operations of each file, by their paths. */
export const PARTS = {
  api: (pattern: string) => !/^\/(account|apps|login|logout|operator|partner)\b/.test(pattern),
  members: (pattern: string) => /^\/(account|apps|login|logout)\b/.test(pattern),
  operators: (pattern: string) => /^\/operator\b(?!\/v1)/.test(pattern),
  others: (pattern: string) => /^\/(operator\/v1|partner)\b/.test(pattern),
};
/** The operations that write to KV after their response. */
const WRITES_LATER = [
  "createLink",
  "createLinks",
  "createTestLink",
  "issueToken",
  "openImpression",
  "openLink",
  "updateApp",
  "POST /account/token/reset",
  "POST /account/tokens",
  "POST /account/tokens/end",
  "POST /apps/:app_token/links/:link_token/settings/target",
  "POST /apps/:app_token/links/import/rows",
  "POST /apps/:app_token/links/new",
  "POST /operator/apps/:token",
  "POST /operator/apps/:token/archive",
  "POST /operator/rounds/:id/link",
  "POST /operator/users/:id/token",
];
/** The documentation, which is there without a database, and then without who is signed in. */
const WITHOUT_DATABASE = "GET /docs";

/**
 * The statuses of a retry whose work was already done, where they are not those of the first time. If that work ended the session,
 * the retry is redirected to the sign-in page.
 */
const AFTER_DONE: Record<string, number> = {
  addMember: 409,
  approveRound: 409,
  closeRound: 409,
  createUser: 409,
  deleteAlertRule: 404,
  deleteWebhook: 404,
  dismissFinding: 400,
  eraseUser: 409,
  openRound: 409,
  removeMember: 404,
  undoDismissal: 400,
  "POST /account/password": 303,
  "POST /account/token/reset": 303,
  "POST /account/two-factor": 303,
  "POST /account/two-factor/off": 303,
  "POST /apps/:app_token/alerts/webhooks/:id": 404,
  "POST /operator/alerts/rules/:id of a deletion": 404,
  "POST /operator/alerts/webhooks/:id": 404,
  "POST /operator/apps/:token/members": 409,
  "POST /operator/apps/:token/members/remove": 404,
  "POST /operator/partners/:id/rounds": 409,
  "POST /apps/:app_token/links/undo": 404,
  "POST /operator/rounds/:id/approve": 409,
  "POST /operator/rounds/:id/close": 409,
  "POST /operator/rounds/:id/dismissals": 400,
  "POST /operator/rounds/:id/dismissals/undo": 400,
  "POST /operator/users/:id/apps": 409,
  "POST /operator/users/:id/erase": 409,
  "POST /operator/users/:id/identity": 409,
  "POST /operator/users/:id/identity/unlink": 404,
  "POST /operator/users/new": 400,
};
/** POST operations that change nothing, or whose sample finds nothing to change. */
const CHANGES_NOTHING = [
  "callMcp",
  "decideUrlPrices",
  "POST /operator/partners/:id/url-prices",
  "POST /operator/partners/:id/url-prices/voids",
  "POST /partner/upload",
  "POST /partner/upload of a part",
  "POST /apps/:app_token/links/import",
  "POST /apps/:app_token/links/import of changes",
];

/** Checks that the response has the expected status or is a 503 with Retry-After. Returns whether it has the expected status. */
async function isConfirmed(response: Response, expected: number, label: string): Promise<boolean> {
  if (response.status !== 503) expect(response.status, label).toBe(expected);
  else expect(response.headers.get("retry-after"), label).toMatch(/^[1-9]\d*$/);
  return response.status !== 503;
}

/** Runs the tests of the operations of a part. */
export function injectFaults(part: keyof typeof PARTS): void {
  beforeAll(startState);
  beforeEach(async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await restoreState();
  });

  const each = [...sampled, ...variants]
    .filter(({ pattern }) => PARTS[part](pattern))
    .map((one): [string, Sampled] => [one.name, one]);

  describe.each(each)("%s", (name, { send, repeats, isWrite, need }) => {
    async function sendWithoutFault() {
      const before = await settled();
      const { database, sent } = faultyDatabase();
      const kv = notedKv();
      const later: Promise<unknown>[] = [];
      const execution = { waitUntil: (work: Promise<unknown>) => void later.push(work) };
      const { status } = await send({ DB: database, ...kv.bindings }, { execution });
      await Promise.all(later);
      const after = await settled();
      await restoreState();
      return {
        ...{ before, status, after, sent, changes: !isEqual(before, after) },
        ...{ kv: kv.called, hasLaterWork: later.length > 0 },
      };
    }
    let first: ReturnType<typeof sendWithoutFault> | undefined;
    /** What the request does without a fault. Sends it the first time, and restores the state. */
    const withoutFault = () => {
      first ??= sendWithoutFault();
      return first;
    };

    it("succeeds or returns 503, stores everything or nothing, and stores it once after a retry", async () => {
      const normal = await withoutFault();
      const { before, after, changes } = normal;
      expect(normal.status).toBeLessThan(400);
      expect(changes).toBe(isWrite && !CHANGES_NOTHING.includes(name));
      let isDirty = false;
      for (const [index, query] of normal.sent.entries()) {
        const number = index + 1;
        for (const { when, message } of faultsFor(changes, number, query)) {
          if (isDirty) await restoreState();
          const label = `call ${number}, ${when}: ${message}`;
          const fault: InjectedFault = { at: (call) => call === number, when, message };
          const response = await withoutPauses(() => send({ DB: faultyDatabase(fault).database }));
          const confirmed = await isConfirmed(response, normal.status, label);
          const state = await settled();
          const wasStored = changes && isEqual(state, after);
          isDirty = changes && (confirmed || wasStored);
          if (confirmed) expect(state, label).toEqual(after);
          else expect([before, after], label).toContainEqual(state);
          if (confirmed || !changes || (wasStored && repeats)) continue;
          // Without what was stored, a retry is the first request again, but for what the isolate remembers.
          if (!wasStored && !isLong && normal.kv.size === 0) continue;
          isDirty = true;
          const again = await send();
          expect(again.status, label).toBe(wasStored ? (AFTER_DONE[name] ?? normal.status) : normal.status);
          expect(withoutLog(await settled()), label).toEqual(withoutLog(after));
        }
      }
    });

    it("returns 503 and changes nothing when every call fails, with any transient error", async () => {
      const { sent, before, status } = await withoutFault();
      for (const message of messagesFor(name)) {
        const { database } = faultyDatabase({ at: () => true, when: "before", message });
        const response = await withoutPauses(() => send({ DB: database }));
        expect(response.status).toBe(sent.length === 0 || name.startsWith(WITHOUT_DATABASE) ? status : 503);
      }
      expect(await settled()).toEqual(before);
    });

    it("responds the same when KV fails, hangs, is empty, is outdated or cannot be written, and before it is written", async () => {
      const normal = await withoutFault();
      const put = vi.fn(() => new Promise(() => undefined));
      const { status } = normal;
      const some: { sent: Parameters<typeof send>; status: number }[] = [];
      if (normal.hasLaterWork)
        some.push({ sent: [kvWith({ put }), { execution: { waitUntil: () => undefined } }], status });
      for (const kv of normal.kv.size > 0 ? oneOf(KV_FAULTS.length, KV_FAULTS, name.length) : []) {
        // The readiness check reports the state of KV.
        const isReported = name === "readReadiness" && (kv.get === kvFails || kv.get === kvHangs);
        some.push({ sent: [kvWith(kv)], status: isReported ? 503 : status });
      }
      if (normal.kv.has(env.LINKS)) some.push({ sent: [{ LINKS: oldLinks() }], status });
      if (need === "api_token") some.push({ sent: [{ TOKENS: oldTokens() }], status });
      for (const [index, one] of some.entries()) {
        if (normal.changes && index > 0) await restoreState();
        // What the isolate remembers keeps it from asking KV.
        forgetMemory();
        expect((await withoutPauses(() => send(...one.sent))).status).toBe(one.status);
        expect(await settled()).toEqual(normal.after);
      }
      expect(put.mock.calls.length > 0).toBe(WRITES_LATER.includes(name));
    });
  });
}

type State = Awaited<ReturnType<typeof settled>>;
/** A table that was not written between them is the same list in both. */
const isEqual = (left: State, right: State) =>
  Object.keys({ ...left, ...right }).every(
    (name) => left[name] === right[name] || JSON.stringify(left[name]) === JSON.stringify(right[name]),
  );

/** Leaves out the audit log, which may have a second entry after a retry. */
function withoutLog({ audit_log, ...rest }: Record<string, string[]>) {
  return rest;
}
