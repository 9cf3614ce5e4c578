/** The archive loses and doubles nothing when the bucket or the database fails at any call, and reports it. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { RETENTION_MS } from "../../src/domain/time.ts";
import worker from "../../src/index.ts";
import { purge } from "../../src/purge.ts";
import { faultyBucket, faultyDatabase, type InjectedFault, withoutPauses } from "../faults/faulty.ts";
import { ask, click, DAY, env, freshState, NOW, rows, sendCost } from "../harness.ts";
import { CALL_STEP } from "../part.ts";
import { freshEmptyLedger, inLedger, totals } from "../support.ts";
import { archiving, bindArchive, DUE, listedRows, readArchive } from "./archive-support.ts";

beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  await freshEmptyLedger();
});

const HOUR = 3_600_000;
const IDS = Array.from({ length: 7 }, (_, index) => `archive-fault-${index}`);
const stored = async () =>
  (await rows<{ cost_id: string }>("SELECT cost_id FROM ledger_entries ORDER BY cost_id")).map(
    ({ cost_id }) => cost_id,
  );
const archived = async () => (await readArchive()).map(({ cost_id }) => cost_id).sort();

/** Six matched costs that are due, one of them already superseded by a new click, and one that is not due. */
const prepare = () =>
  freshState("costs for the archive", async () => {
    await freshEmptyLedger();
    await bindArchive();
    for (const id of IDS.slice(0, 6)) {
      await click(id);
      await sendCost({ cost_id: id, cost_amount: "1" });
    }
    await click(IDS[6] ?? "", { now: DUE });
    await click(IDS[0] ?? "", { now: DUE });
  });
const LEFT = [IDS[0], IDS[6]];
const ARCHIVED = IDS.slice(0, 6);

/** Runs the purge until it has nothing more to do. */
async function finish(): Promise<void> {
  for (let day = 0; day < 2; day++) await purge(archiving(), DUE + 2 * DAY + day * DAY);
}

const MESSAGE = "internal error (10001)";

describe.each(["before", "after"] as const)("a failure %s the work of any call", (when) => {
  it("to the bucket keeps the rows, and the next runs archive each once", async () => {
    for (let broken = 1; ; broken += CALL_STEP) {
      await prepare();
      // A put is tried twice.
      const fault: InjectedFault = {
        at: (call) => call === broken || call === broken + 1,
        when,
        message: MESSAGE,
      };
      const { bucket, calls } = faultyBucket(fault);
      const failed = await purge(archiving(bucket), DUE + DAY, 3).then(
        () => false,
        () => true,
      );
      expect(new Set([...(await stored()), ...(await archived())])).toEqual(new Set(IDS));
      await finish();
      expect([broken, await stored(), await archived()]).toEqual([broken, LEFT, ARCHIVED]);
      expect(await listedRows()).toBe(6);
      expect(await totals()).toEqual([{ state: "matched", count: 6, amount: 600_000 }]);
      if (calls() < broken) {
        expect(failed).toBe(false);
        return;
      }
    }
  });

  it("to D1 keeps the rows, and the next runs archive each once", async () => {
    for (let broken = 1; ; broken += CALL_STEP) {
      await prepare();
      // Of the walk through the ledger, which comes after the calls for everything else.
      let others = Number.POSITIVE_INFINITY;
      const { database, calls } = faultyDatabase({
        at: (call) => call === others + broken,
        when,
        message: "D1_ERROR: overloaded",
      });
      const left = () => {
        others = calls();
        return 500;
      };
      await purge(archiving(env.TEST_BUCKET, database), DUE + DAY, 3, left).catch(() => undefined);
      expect(new Set([...(await stored()), ...(await archived())])).toEqual(new Set(IDS));
      await finish();
      expect([broken, await stored(), await archived()]).toEqual([broken, LEFT, ARCHIVED]);
      expect(await listedRows()).toBe(6);
      if (calls() - others < broken) return;
    }
  });
});

it("a put that hangs ends the run, which keeps the rows", async () => {
  await prepare();
  const { bucket } = faultyBucket({ at: () => true, when: "before", message: undefined });
  const run = withoutPauses(() => purge(archiving(bucket), DUE + DAY));
  await expect(run).rejects.toThrow("The bucket ARCHIVE rejected an object");
  expect(await stored()).toEqual(IDS);
  await finish();
  expect([await stored(), await archived()]).toEqual([LEFT, ARCHIVED]);
});

it("a put that fails once is repeated", async () => {
  await prepare();
  const { bucket } = faultyBucket({ at: (call) => call === 1, when: "before", message: MESSAGE });
  await purge(archiving(bucket), DUE + DAY);
  expect([await stored(), await archived()]).toEqual([LEFT, ARCHIVED]);
});

describe("an ID that is used again between the put and the deletion", () => {
  /** Runs `work` after the first put of an object of the ledger. */
  function afterPut(work: () => Promise<unknown>) {
    let isDone = false;
    return faultyBucket(undefined, async (name) => {
      if (isDone || !name.includes("/ledger_entries/")) return;
      isDone = true;
      await work();
    }).bucket;
  }

  it("is archived once, and its slice is written again", async () => {
    await prepare();
    const bucket = afterPut(() => click(IDS[1] ?? "", { now: DUE }));
    await purge(archiving(bucket), DUE + DAY, 2);
    await finish();
    expect([await stored(), await archived()]).toEqual([[IDS[0], IDS[1], IDS[6]], ARCHIVED]);
  });

  it("is archived once if it was the only one of its slice, whose object is then deleted", async () => {
    await prepare();
    await inLedger(`DELETE FROM ledger_entries WHERE cost_id <> '${IDS[1]}'`, "DELETE FROM superseded");
    const bucket = afterPut(() => click(IDS[1] ?? "", { now: DUE }));
    await purge(archiving(bucket), DUE + DAY, 2);
    expect(await archived()).toEqual([]);
    await finish();
    expect([await stored(), await archived()]).toEqual([[IDS[1]], [IDS[1]]]);
  });
});

it("purges that run at the same time archive each row once", async () => {
  await prepare();
  await Promise.all([1, 2, 5].map((slice) => purge(archiving(), DUE + DAY, slice)));
  await finish();
  expect([await stored(), await archived()]).toEqual([LEFT, ARCHIVED]);
  expect(await listedRows()).toBe(6);
});

it("a purge with clicks and costs that arrive meanwhile archives each row once", async () => {
  await prepare();
  const again = IDS.slice(1, 6);
  await Promise.all([
    purge(archiving(), DUE + DAY, 1),
    ...again.map((id) =>
      click(id, { now: DUE + DAY }).then(() =>
        sendCost({ cost_id: id, cost_amount: "1" }, { now: DUE + DAY }),
      ),
    ),
  ]);
  await finish();
  expect([await stored(), await archived()]).toEqual([IDS, ARCHIVED]);
});

it("an archive that is removed no longer keeps rows, and one that is bound again goes on", async () => {
  await prepare();
  await purge({ ...archiving(), archive: undefined }, DUE + DAY);
  expect(await stored()).toEqual(LEFT);
  expect(await archived()).toEqual([]);
  expect(await rows("SELECT is_on FROM archive_state WHERE is_on")).toEqual([]);
  await purge(archiving(), DUE + 2 * DAY);
  // What was superseded while it was bound.
  expect(await archived()).toEqual([IDS[0]]);
  await purge(archiving(), DUE + RETENTION_MS + 3 * DAY);
  expect(await archived()).toEqual([IDS[0], ...LEFT].sort());
});

describe("/readyz and the log", () => {
  const readiness = async (bucket?: R2Bucket, now = DUE) => {
    const { status, body } = await ask<{ checks: { archive: object } }>("/readyz", {
      now,
      env: { ...(bucket && { ARCHIVE: bucket }) },
    });
    return { status, archive: body.checks.archive };
  };
  const ok = { status: 200, archive: { ok: true } };
  const scheduled = (bucket: R2Bucket, scheduledTime: number) =>
    worker.scheduled({ scheduledTime, cron: "17 * * * *", noRetry: () => undefined } as ScheduledController, {
      ...env,
      ARCHIVE: bucket,
    });

  it("report since when the bucket fails, until it accepts an object, and clicks go on", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    await prepare();
    expect((await readiness(env.TEST_BUCKET, NOW)).archive).toEqual(ok.archive);
    const { bucket } = faultyBucket({ at: () => true, when: "before", message: MESSAGE });
    for (const hour of [0, 1]) await expect(scheduled(bucket, DUE + hour * HOUR)).rejects.toThrow(MESSAGE);
    expect(String(logged.mock.lastCall)).toMatch(
      /"request_id":"cron".*The bucket ARCHIVE rejected an object/,
    );
    const since = new Date(DUE).toISOString();
    expect(await readiness(env.TEST_BUCKET, DUE + HOUR)).toEqual({
      status: 503,
      archive: {
        ok: false,
        reason: `The bucket ARCHIVE has rejected objects since ${since}. Expired rows are kept until it accepts them.`,
      },
    });
    expect((await click("archive-fault-new", { now: DUE + HOUR })).status).toBe(302);
    await scheduled(env.TEST_BUCKET, DUE + 2 * HOUR);
    expect(await readiness(env.TEST_BUCKET, DUE + 2 * HOUR)).toEqual(ok);
  });

  it("report a bucket that does not answer, and that none is bound", async () => {
    const { bucket } = faultyBucket({ at: () => true, when: "before", message: MESSAGE });
    expect(await readiness(bucket)).toEqual({
      status: 503,
      archive: { ok: false, reason: "The bucket ARCHIVE does not respond." },
    });
    expect(await readiness(undefined, DUE + HOUR)).toEqual({
      status: 200,
      archive: { ok: true, reason: "Not bound." },
    });
  });
});
