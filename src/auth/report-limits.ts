/**
 * Limits reports, which are requests that add up totals or read a whole list. A user may ask for 120 a minute. An isolate reads one
 * report at a time, the users in turn, because a database works on one at a time too, and everything else waits behind them.
 */

import { TooLargeError } from "../db/statement.ts";
import { inEnglish } from "../domain/texts.ts";
import { type Context, systemClock } from "../env.ts";
import { AppError } from "../errors.ts";
import { consumeLimit, rateLimited } from "./rate-limits.ts";

/** In milliseconds. */
export const REPORT_PACE = {
  /** How long a report waits for its turn, for example that of a second tab of the same browser. */
  patience: 10_000,
  /** How often it looks whether its turn has come. */
  look: 50,
  /** After this time the others no longer wait for a report, because nobody ends the turn of a request that was aborted. */
  longest: 30_000,
  /** How long the isolate rests before the next report in the line: this share of the time of the last one, up to a maximum. */
  rest: { share: 0.25, most: 250 },
};

/** The most reports that wait in an isolate: of one user, and of all. */
const MOST_WAITING = { user: 10, all: 50 };

/** Who asks for a report: a user with all their sessions and tokens. For a token without a known user, it is the token's hash. */
export const userKey = (userId: number) => `user ${userId}`;

/**
 * Reads a report for a user. Throws rate_limited above the limit of REPORTS, which has none if it is not bound, and if the reports
 * before it take too long. Throws report_too_large if it covers too many rows.
 */
export async function asReport<T>(context: Context, user: string, read: () => Promise<T>): Promise<T> {
  const { REPORTS } = context.env;
  if (REPORTS && !(await consumeLimit(context, REPORTS, user))) throw rateLimited();
  const turn = await waitForTurn(user);
  const started = systemClock();
  try {
    return await read();
  } catch (error) {
    throw explainTooLarge(error);
  } finally {
    const now = systemClock();
    restsUntil = now + Math.min((now - started) * REPORT_PACE.rest.share, REPORT_PACE.rest.most);
    end(turn);
  }
}

interface Turn {
  user: string;
  /** When the others stop waiting for it, in milliseconds since 1970. */
  until: number;
}

/** The line of this isolate. The first report is read, the others wait. */
let turns: Turn[] = [];
/** Until this time the isolate serves other requests before the next report of the line. */
let restsUntil = 0;

/**
 * Waits until a report is the first of the line. A request must not wait for a promise of another request, so each looks at the
 * line with a timer of its own.
 */
async function waitForTurn(user: string): Promise<Turn> {
  const arrived = systemClock();
  turns = turns.filter(({ until }) => until > arrived);
  const isFree = turns.length === 0;
  const own = turns.filter((other) => other.user === user);
  if (own.length > MOST_WAITING.user || turns.length > MOST_WAITING.all) throw busy();
  const turn = { user, until: arrived + REPORT_PACE.patience + REPORT_PACE.look };
  turns.push(turn);
  for (let now = arrived; ; now = systemClock()) {
    const isFirst = turns.find((other) => other === turn || other.until > now) === turn;
    if (isFirst && (isFree || now >= restsUntil)) {
      turn.until = now + REPORT_PACE.longest;
      return turn;
    }
    if (now - arrived >= REPORT_PACE.patience) {
      end(turn);
      throw busy();
    }
    await pause(REPORT_PACE.look);
  }
}

/** Ends a turn. The user's other reports go to the end of the line. */
function end(turn: Turn): void {
  const others = turns.filter((other) => other !== turn);
  const isOwn = ({ user }: Turn) => user === turn.user;
  turns = [...others.filter((other) => !isOwn(other)), ...others.filter(isOwn)];
}

/** report_too_large for a report that covers too many rows; any other error unchanged. */
export function explainTooLarge(error: unknown): unknown {
  if (!(error instanceof TooLargeError)) return error;
  const { days } = error;
  const most =
    days === undefined
      ? ""
      : `: at most ${inEnglish(days)} ${days === 1 ? "day" : "days"} up to the last one`;
  const message = `is too early: the days have more rows of totals than a report adds up; use fewer days${most}`;
  return new AppError("report_too_large", undefined, { errors: [{ param: "from", message }] });
}

function busy(): AppError {
  return rateLimited(5_000, "Other reports are not ready yet. Wait for them, then try again.");
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
