/** What a rule is about, to check that it exists. */
import { sql } from "drizzle-orm";
import { query } from "../query.ts";
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
