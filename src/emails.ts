/** Sends the alerts of operators by email, from the cron. One that cannot be sent is tried again every few minutes for a day. */
import { claimEmails, markSent } from "./db/alerts/emails.ts";
import { toIso } from "./domain/time.ts";
import { type Env, findEmail } from "./env.ts";
import { logError } from "./log.ts";
import { KIND_NAMES, sentenceOf } from "./pages/alerts/sentences.ts";

export async function sendEmails(env: Env, now: number): Promise<void> {
  const email = findEmail(env);
  if (!email) return;
  for (const alert of await claimEmails(env.DB, now)) {
    const page = env.ORIGIN ? `\n\nAll alerts: ${new URL("/operator/alerts", env.ORIGIN)}` : "";
    try {
      await email.send({
        from: email.from,
        to: email.to,
        subject: `linkledger: ${KIND_NAMES[alert.kind]}`,
        text: `${sentenceOf(alert)}\n\nAlert ${alert.id}, opened ${toIso(alert.openedAt)}.${page}\n`,
      });
      await markSent(env.DB, alert.id);
    } catch (error) {
      logError("cron", error);
    }
  }
}
