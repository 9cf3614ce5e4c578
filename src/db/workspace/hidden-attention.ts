/** What the members of an app have hidden from "Needs attention" for a while. The page has checked who asks. */
import { sql } from "drizzle-orm";
import { DAY_MS } from "../../domain/time.ts";
import { type Actor, auditChange } from "../audit.ts";
import { alias, as, insertInto, query } from "../query.ts";
import { hiddenAttention } from "../schema.ts";
import { runBatch, statement } from "../statement.ts";

export const HIDDEN_DAYS = 30;
/** An app can hide this many items at the same time. */
export const MAX_HIDDEN = 200;

const h = alias(hiddenAttention, "h");
const p = (name: string) => sql`${sql.placeholder(name)}`;
const { appToken, hiddenUntil } = hiddenAttention;
const isHidden = sql`${h.appToken} = ${p("appToken")} AND ${h.hiddenUntil} > ${p("now")}`;

const list = query({ key: h.key, hiddenUntil: h.hiddenUntil }, sql`FROM ${as(h)} WHERE ${isHidden}`);
// So an app has at most MAX_HIDDEN rows.
const forget = statement<unknown>(
  sql`DELETE FROM ${hiddenAttention} WHERE ${appToken} = ${p("appToken")} AND ${hiddenUntil} <= ${p("now")}`,
);
const hide = statement<unknown>(
  sql`${insertInto(hiddenAttention, { appToken: p("appToken"), key: p("key"), hiddenUntil: p("until") })}
    WHERE (SELECT count(*) FROM ${as(h)} WHERE ${isHidden}) < ${sql.raw(String(MAX_HIDDEN))}
    ON CONFLICT DO NOTHING`,
);
const showAll = statement<unknown>(
  sql`DELETE FROM ${hiddenAttention} WHERE ${appToken} = ${p("appToken")} AND ${hiddenUntil} > ${p("now")}`,
);

/** Reads what is hidden now. For a batch. */
export const findHidden = (db: D1Database, appToken: string, now: number) => list(db, { appToken, now });

/** Hides an item for HIDDEN_DAYS, if fewer than MAX_HIDDEN are hidden. Returns whether it is hidden now. */
export async function hideItem(
  db: D1Database,
  actor: Actor,
  appToken: string,
  key: string,
): Promise<boolean> {
  const { now } = actor;
  const values = { appToken, now };
  const [, , , hidden] = await runBatch(
    db,
    forget(db, values),
    hide(db, { ...values, key, until: now + HIDDEN_DAYS * DAY_MS }),
    auditChange(db, actor, "hide item", "app", appToken, { item: key }),
    list(db, values),
  );
  return hidden.some((item) => item.key === key);
}

/** Shows all hidden items of an app again. */
export async function showHidden(db: D1Database, actor: Actor, appToken: string): Promise<void> {
  const shown = showAll(db, { appToken, now: actor.now });
  await runBatch(db, shown, auditChange(db, actor, "show hidden items", "app", appToken));
}
