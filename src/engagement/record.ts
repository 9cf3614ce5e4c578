/** Records an engagement that a server reports, and limits the sub-links that addresses and servers name. */
import { mayCreateSubLinks } from "../auth/rate-limits.ts";
import { allowedPaths, foundPaths, partnersOfLinks } from "../db/isolate-memory.ts";
import type { Recorded } from "../db/ledger/record-engagements.ts";
import type { Kind } from "../domain/cost-types.ts";
import { type OpenedLink, pathOf } from "../domain/costs.ts";
import type { Context } from "../env.ts";
import { readReported } from "../usecases/engagements/read.ts";

/** Records an engagement that a server reports, now. Returns undefined if its link does not exist. */
export async function recordReported(
  context: Context,
  linkToken: string,
  kind: Kind,
): Promise<Recorded | undefined> {
  const { ledger, now } = context;
  const opened = readReported(context, linkToken, kind);
  const partner = partnersOfLinks.get(linkToken, now) ?? linkToken;
  const { recordOne } = await import("../db/ledger/record-engagements.ts");
  const recorded = await recordOne(ledger, await limitNames(context, opened, String(partner)), now);
  if (recorded?.partnerId) partnersOfLinks.set(linkToken, recorded.partnerId, now);
  return recorded;
}

/** The engagement, which creates no sub-links if too many new ones were named. `partner` as in `mayCreateSubLinks`. */
export async function limitNames(
  context: Context,
  opened: OpenedLink,
  partner?: string,
): Promise<OpenedLink> {
  if (opened.subLinks.every(({ name }) => name === null)) return opened;
  const path = pathOf(opened);
  if (foundPaths.has(path, context.now) || allowedPaths.has(path, context.now)) return opened;
  if (!(await mayCreateSubLinks(context, partner))) return { ...opened, createsNothing: true };
  allowedPaths.set(path, true, context.now);
  return opened;
}
