/** What rules and adjustments are about: to check that it exists, and what it is called. */
import { sql } from "drizzle-orm";
import { ancestors, inheritedFields } from "../links/links.ts";
import { link as l } from "../links/lists.ts";
import { as, query } from "../query.ts";
import { apps, links, partners } from "../schema.ts";
import { runBatch } from "../statement.ts";

const p = (name: string) => sql.placeholder(name);
const subjects = query(
  {
    app: sql<string | null>`(SELECT ${apps.token} FROM ${apps} WHERE ${apps.token} = ${p("appToken")})`,
    partner: sql<
      number | null
    >`(SELECT ${partners.id} FROM ${partners} WHERE ${partners.id} = ${p("partnerId")})`,
    linkApp: sql<
      string | null
    >`(SELECT ${links.appToken} FROM ${links} WHERE ${links.token} = ${p("linkToken")})`,
  },
  sql``,
);

/** Null for what does not exist, or is not asked for. */
export async function readSubjects(
  db: D1Database,
  asked: { appToken?: string | null; partnerId?: number | undefined; linkToken?: string | undefined },
) {
  const { appToken = null, partnerId = null, linkToken = null } = asked;
  const [[found]] = await runBatch(db, subjects(db, { appToken, partnerId, linkToken }));
  return found ?? { app: null, partner: null, linkApp: null };
}

/** With the names of the links above it, joined by `::`. */
const name = sql<string>`coalesce(${inheritedFields.inheritedName} || '::', '') || ${l.label}`;
/** The names of the links with these tokens, and of their apps. */
export const namesOfLinks = query(
  {
    token: l.token,
    name,
    app: sql<string>`(SELECT ${apps.name} FROM ${apps} WHERE ${apps.token} = ${l.appToken})`,
  },
  sql`FROM json_each(${p("tokens")}) j CROSS JOIN ${as(l)} ON ${l.token} = j.value ${ancestors}`,
);

/** As many links are offered. */
export const MAX_LINK_NAMES = 200;
const hasWords = sql`NOT EXISTS (SELECT 1 FROM json_each(${p("words")}) w WHERE instr(lower(${name}), lower(w.value)) = 0)`;
const newest = query(
  { token: l.token, name },
  sql`FROM ${as(l)} ${ancestors} WHERE ${l.appToken} = ${p("appToken")} AND ${hasWords}
    ORDER BY ${l.id} DESC LIMIT ${sql.raw(String(MAX_LINK_NAMES))}`,
);

/** The newest links of an app, for a choice: those with all of these words in their path. */
export async function listLinkNames(db: D1Database, appToken: string, text = "") {
  const words = JSON.stringify(text.split(/[\s›>]+/).filter((word) => word !== ""));
  const [found] = await runBatch(db, newest(db, { appToken, words }));
  return found;
}
