/** Ends the tokens of a user together with a change of the account, such as a new password. */
import { type SQL, sql } from "drizzle-orm";
import { returning } from "../query.ts";
import { accessTokens, apiTokens } from "../schema.ts";
import type { Bound, Value } from "../statement.ts";

/** Which tokens a user ends. */
export type EndedTokens = { endsAccessTokens: boolean; endsApiToken: boolean };

/**
 * Builds the statements that end tokens of the user `userId` if a condition holds. Each returns the hashes of what it ended, which
 * `hashesOf` lists.
 */
export function endingTokens(condition: SQL) {
  const userId = sql.placeholder("userId");
  const endAccessTokens = returning(
    sql`DELETE FROM ${accessTokens} WHERE ${accessTokens.userId} = ${userId} AND ${sql.placeholder("endsAccessTokens")} AND ${condition}`,
    { tokenHash: accessTokens.tokenHash },
  );
  const endApiToken = returning(
    sql`DELETE FROM ${apiTokens} WHERE ${apiTokens.userId} = ${userId} AND ${sql.placeholder("endsApiToken")} AND ${condition}`,
    { tokenHash: apiTokens.tokenHash },
  );
  return (
    db: D1Database,
    values: Record<string, Value>,
    { endsAccessTokens, endsApiToken }: EndedTokens,
  ): [Bound<{ tokenHash: string }>, Bound<{ tokenHash: string }>] => {
    const all = { ...values, endsAccessTokens: Number(endsAccessTokens), endsApiToken: Number(endsApiToken) };
    return [endAccessTokens(db, all), endApiToken(db, all)];
  };
}

export const hashesOf = (...ended: { tokenHash: string }[][]) =>
  ended.flat().map(({ tokenHash }) => tokenHash);

/** For the audit log. */
export const detailOf = ({ endsAccessTokens, endsApiToken }: EndedTokens) => ({
  ...(endsAccessTokens && { access_tokens: "ended" }),
  ...(endsApiToken && { api_token: "ended" }),
});
