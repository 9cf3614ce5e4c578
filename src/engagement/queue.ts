/** The optional queue in front of the ledger. It stores engagements durably until they are recorded in batches. */
import { insertEngagement, insertEngagements, type NewEngagement } from "../db/ledger/engagements.ts";
import type { Ledger } from "../db/ledger/shards.ts";
import { withDeadline } from "../deadline.ts";
import type { Context } from "../env.ts";
import { logError } from "../log.ts";

/** Leaves time to record the engagement directly: the runtime ends work 30 seconds after the response. */
const DEADLINE_MS = 5_000;

/**
 * Sends an engagement to the queue. Records it directly if no queue is bound or if the queue does not accept it in time. If
 * the queue accepted it after all, the second recording changes nothing.
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
 * Records a batch from the queue. Recorded messages are acknowledged. Messages for a failing database are retried and finally
 * go to the dead-letter queue. Recording a batch twice changes nothing.
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
