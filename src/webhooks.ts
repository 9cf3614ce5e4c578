/** Sends events to webhooks, from the cron of each minute. */
import { findWebhookKey, signEvent } from "./auth/webhook-secrets.ts";
import { changeAlerts } from "./db/alerts/alerts.ts";
import { runBatch } from "./db/statement.ts";
import { type Claimed, claimDeliveries, type Outcome, recordOutcome } from "./db/webhooks/deliveries.ts";
import { toBody } from "./db/webhooks/outbox.ts";
import { WEBHOOK_FAILING } from "./domain/alerts/kinds.ts";
import { ANSWER_MS, dueAfter, FAILING_MS } from "./domain/webhooks/attempts.ts";
import { judgeReceiver } from "./domain/webhooks/receiver.ts";
import { type Clock, type Env, findEmail, receiversOf } from "./env.ts";
import { logError } from "./log.ts";
import { describeAlert } from "./pages/alerts/sentences.ts";

const AT_THE_SAME_TIME = 6;
/** After this, a run begins nothing. Claims last longer than it and one answer. */
const LONGEST_MS = 50_000;

export async function sendWebhooks(env: Env, clock: Clock): Promise<void> {
  const key = findWebhookKey(env);
  if (!key) return;
  const start = clock();
  const waiting = await claimDeliveries(env.DB, start);
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      // What was claimed and not begun is due again when its claim ends.
      if (clock() - start > LONGEST_MS) return;
      try {
        await sendOne(env, key, next, clock);
      } catch (error) {
        // The outcome is unknown to the database, so it is sent again, with the same ID.
        logError("cron", error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_THE_SAME_TIME }, work));
}

async function sendOne(env: Env, key: Uint8Array, delivery: Claimed, clock: Clock): Promise<void> {
  const begun = clock();
  const { status, error } = await post(env, key, delivery, begun);
  const at = clock();
  const dueAt = error === null ? null : dueAfter(delivery.attempts, at);
  const outcome: Outcome = { at, status, error, duration: at - begun, dueAt };
  const hasFailed = error !== null && at - (delivery.failingSince ?? at) >= FAILING_MS;
  const ended = status === 410 ? "gone" : hasFailed ? "failing" : undefined;
  const alert =
    ended === "failing" ? changeAlerts(env.DB, { opened: [toAlert(env, delivery, at)], closed: [] }, at) : [];
  await runBatch(env.DB, ...recordOutcome(env.DB, delivery, outcome, ended), ...alert);
}

async function post(env: Env, key: Uint8Array, delivery: Claimed, now: number) {
  const failed = (error: string) => ({ status: null, error });
  // The settings may have changed since the URL was saved.
  const judged = judgeReceiver(delivery.url, receiversOf(env));
  if ("error" in judged) return failed(`The URL ${judged.error}`);
  const { messageId: id, body, secret, oldSecret, oldSecretUntil } = delivery;
  const timestamp = Math.floor(now / 1000);
  const secrets =
    oldSecret !== null && (oldSecretUntil ?? 0) > now ? [secret, ...oldSecret.split(" ")] : [secret];
  const signature = signEvent(secrets, key, { id, timestamp, body });
  if (signature === undefined) return failed("WEBHOOK_KEY was changed: create a new secret");
  try {
    const response = await fetch(judged.url, {
      ...{ method: "POST", body, redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) },
      headers: {
        "content-type": "application/json",
        "user-agent": "linkledger",
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signature,
      },
    });
    // Nobody reads what a receiver writes, however long it is.
    await response.body?.cancel();
    const { status } = response;
    if (status >= 300 && status < 400)
      return { status, error: `Status ${status}: redirects are not followed` };
    return { status, error: response.ok ? null : `Status ${status}` };
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    return failed(isLate ? `No response within ${ANSWER_MS / 1000} seconds` : "The connection failed");
  }
}

function toAlert(env: Env, { webhookId, url, appToken }: Claimed, at: number) {
  const about = { rule_id: 0, kind: WEBHOOK_FAILING, subject: `webhook ${webhookId}` } as const;
  const data = { webhook_id: webhookId, url: new URL(url).host };
  const text = describeAlert(WEBHOOK_FAILING, data, "opened");
  const isEmailed = appToken === null && findEmail(env) !== undefined;
  return {
    ...{ ruleId: 0, appToken, kind: WEBHOOK_FAILING, subject: about.subject, data: JSON.stringify(data) },
    emailDueAt: isEmailed ? at : null,
    body: toBody(
      { type: "alert.opened", text, data: { alert_id: 0, ...about, app_token: appToken, ...data } },
      at,
    ),
  };
}
