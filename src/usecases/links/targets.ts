/** The own targets of links: whether the app allows them, and that clicks follow them after a change. */

import { findDestinationOfApp } from "../../db/links/app-urls.ts";
import { dropDestination, putDestination } from "../../db/links/destination-cache.ts";
import { readDestination } from "../../db/links/destinations.ts";
import type { AppScope } from "../../db/links/lists.ts";
import { judgeTarget, MAX_TARGETS } from "../../domain/engagements/click-target.ts";
import { inEnglish } from "../../domain/texts.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { logError } from "../../log.ts";

/**
 * Judges targets that links would get. Asks D1 only if there are any. Returns what is wrong with one, given in the order in which
 * the links get them. `isMore`: the link had none of its own before. Two requests at the same time can exceed the most targets of
 * an app by what one of them adds, which harms nothing: the number only keeps small what each isolate reads.
 */
export async function targetJudge(
  db: D1Database,
  scope: AppScope,
  targets: (string | null | undefined)[],
): Promise<TargetJudge> {
  if (!targets.some((target) => target != null)) return () => undefined;
  const destination = await findDestinationOfApp(db, scope);
  // Without access, nothing is changed and nothing is said.
  if (!destination) return () => undefined;
  let count = Object.keys(destination.targets ?? {}).length;
  return (target, { param = "target", isMore = true } = {}) => {
    if (target == null) return undefined;
    const message = judgeTarget(target, destination);
    if (message) return invalidRequest([{ param, message }]);
    return isMore && ++count > MAX_TARGETS ? tooManyTargets(param) : undefined;
  };
}

type TargetJudge = (
  target: string | null | undefined,
  how?: { param?: string; isMore?: boolean },
) => AppError | undefined;

function tooManyTargets(param: string): AppError {
  const detail = `At most ${inEnglish(MAX_TARGETS)} links of an app have a target of their own. Set one on the link above instead, or remove others.`;
  return new AppError("limit_reached", detail, {
    errors: [{ param, message: "is one more than an app can have" }],
  });
}

/** After a change of an app, or of the target of one of its links: what the next click of this isolate follows, and then all others. */
export async function renewDestination({ env, now, requestId, afterResponse }: Context, appToken: string) {
  try {
    const destination = await readDestination(env.DB, appToken);
    if (destination) afterResponse(putDestination(env.LINKS, appToken, destination, now));
  } catch (error) {
    // The change is committed.
    logError(requestId, error);
    afterResponse(dropDestination(env.LINKS, appToken));
  }
}
