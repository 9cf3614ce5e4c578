/** The optional queue in front of the ledger. It stores engagements durably until they are recorded in batches. */
import { TooManyWaitingError } from "../db/group-commit.ts";
import type { Ledger } from "../db/ledger/shards.ts";
import { withDeadline } from "../deadline.ts";
import type { OpenedLink } from "../domain/costs.ts";
import { countOf } from "../domain/engagements/alike.ts";
import { RETENTION } from "../domain/texts.ts";
import type { Context } from "../env.ts";
import { logError, logFigures } from "../log.ts";

/** The statements are built with the first engagement, after its response, and not before the first request. */
const statements = () => import("../db/ledger/record-engagements.ts");

/** Leaves time to record the engagement directly: the runtime ends work 30 seconds after the response. */
const DEADLINE_MS = 5_000;

/**
 * Sends an engagement to the queue. Records it directly if no queue is bound or if the queue does not accept it in time. If
 * the queue accepted it after all, an engagement with an ID is still counted once.
 */
export async function queueEngagement(context: Context, opened: OpenedLink): Promise<void> {
  const { ENGAGEMENTS } = context.env;
  try {
    if (ENGAGEMENTS) return void (await withDeadline(ENGAGEMENTS.send(opened), DEADLINE_MS, "the queue"));
  } catch (error) {
    logError(context.requestId, error);
  }
  try {
    const { recordInPassing } = await statements();
    await recordInPassing(context.ledger, opened, context.now);
  } catch (error) {
    if (error instanceof TooManyWaitingError) await countLost();
    else logError(context.requestId, error, { lost_engagements: countOf([opened]) });
  }
}

/** Counts a bot. Nothing is lost if it cannot be counted. */
export async function noteBot({ ledger, requestId, now }: Context, linkToken: string): Promise<void> {
  try {
    const { countBot } = await statements();
    await countBot(ledger, linkToken, now);
  } catch (error) {
    if (!(error instanceof TooManyWaitingError)) logError(requestId, error);
  }
}

/** The engagements that were lost since the last line in the log. */
let lost = 0;
const LOG_EVERY_MS = 1_000;

/** One line a second, because thousands are lost in a second when this happens. */
async function countLost(): Promise<void> {
  if (lost++ > 0) return;
  await scheduler.wait(LOG_EVERY_MS);
  logFigures({ lost_engagements: lost });
  lost = 0;
}

/**
 * Records a batch from the queue. Recorded messages are acknowledged. Messages for a failing database are retried and finally
 * go to the dead-letter queue. Those that are too old are dropped, counted on their links and logged.
 */
export async function recordQueued(
  batch: MessageBatch<OpenedLink>,
  ledger: Ledger,
  now: number,
): Promise<void> {
  const messages = new Map(batch.messages.map((message) => [message.body, message]));
  const all = [...messages.keys()];
  const { recordAll } = await statements();
  const { failed, tooOld } = await recordAll(ledger, all, now).catch((error: unknown) => ({
    failed: [{ opened: all, error }],
    tooOld: [],
  }));
  if (tooOld.length > 0) {
    const text = `${tooOld.length} of ${all.length} messages are older than ${RETENTION} and were dropped.`;
    logError(`queue ${batch.queue}`, new Error(text), { lost_engagements: countOf(tooOld) });
  }
  for (const part of failed) {
    logError(`queue ${batch.queue}`, part.error);
    for (const opened of part.opened) messages.get(opened)?.retry();
  }
  const retried = new Set(failed.flatMap((part) => part.opened));
  for (const [opened, message] of messages) if (!retried.has(opened)) message.ack();
}
