/** The queue before the ledger, where one is bound: clicks wait there durably, and are recorded many at once. */
import { insertEngagement, insertEngagements, type NewEngagement } from "../db/ledger/engagements.ts";
import type { Ledger } from "../db/ledger/shards.ts";
import { withDeadline } from "../deadline.ts";
import type { Context } from "../env.ts";
import { logError } from "../log.ts";

/** Leaves time for the record itself, before work after an answer is cut off at thirty seconds. */
const DEADLINE_MS = 5_000;

/**
 * Sends an engagement to the queue. Records it at once where no queue is bound, or where the queue does not take it in time;
 * should it have taken it all the same, it is recorded twice, which changes nothing.
 */
export async function queueEngagement(context: Context, engagement: NewEngagement): Promise<boolean> {
  const { ENGAGEMENTS } = context.env;
  if (!ENGAGEMENTS) return insertEngagement(context.ledger, engagement);
  try {
    await withDeadline(ENGAGEMENTS.send(engagement), DEADLINE_MS, "the queue");
    return true;
  } catch (error) {
    logError(context.requestId, error);
    return insertEngagement(context.ledger, engagement);
  }
}

/**
 * Records a batch of the queue. What was recorded is acknowledged; what lives in a database that fails comes again, and in
 * the end to the dead-letter queue. A batch that comes twice changes nothing.
 */
export async function recordQueued(batch: MessageBatch<NewEngagement>, ledger: Ledger): Promise<void> {
  const messages = new Map(batch.messages.map((message) => [message.body, message]));
  for (const part of await insertEngagements(ledger, [...messages.keys()])) {
    if ("error" in part) logError(`queue ${batch.queue}`, part.error);
    for (const engagement of part.items) {
      const message = messages.get(engagement);
      if ("error" in part) message?.retry();
      else message?.ack();
    }
  }
}
