/** The hourly jobs, in an order in which the purge, which goes on in the next run, takes the calls that the others leave. */
import { judgeAlerts } from "./alerts.ts";
import { type Ledger, replicateCredentials } from "./db/ledger/shards.ts";
import { auditSubLinks } from "./db/links/sub-links/audit.ts";
import { storeActivity } from "./db/operator/partner-activity.ts";
import { storeRates } from "./db/operator/stored-rates.ts";
import { logError } from "./log.ts";
import { purge } from "./purge.ts";

/** An invocation can make so many calls to D1 and R2. */
const MAX_CALLS = 1_000;
/** The purge leaves so many calls to alerts: with 32 shards, they judge operators and 200 apps in a run. */
const KEPT_CALLS = 150;

/** Runs a job, and logs its failure. */
export async function logged<T>(job: () => Promise<T>): Promise<T> {
  try {
    return await job();
  } catch (error) {
    logError("cron", error);
    throw error;
  }
}

/** A failed job does not stop the others. `slice` is that of the purge. */
export async function runHourly(
  given: Ledger,
  now: number,
  hasEmail: boolean,
  slice?: number,
): Promise<PromiseSettledResult<unknown>[]> {
  const { ledger, made } = countCalls(given);
  const found = await Promise.allSettled([
    // Repairs a shard that is new or missed a change.
    logged(() => replicateCredentials(ledger)),
    logged(() => auditSubLinks(ledger.control, now)),
    logged(() => storeRates(ledger, now)),
    logged(() => storeActivity(ledger, now)),
  ]);
  const left = () => MAX_CALLS - made();
  const purged = await Promise.allSettled([
    logged(() => purge(ledger, now, slice, () => left() - KEPT_CALLS)),
  ]);
  // They are about what the other jobs have just found.
  const judged = await Promise.allSettled([logged(() => judgeAlerts(ledger, now, hasEmail, left))]);
  return [...found, ...purged, ...judged];
}

/** The ledger with databases whose calls are counted. */
function countCalls({ control, shards, ...rest }: Ledger): { ledger: Ledger; made: () => number } {
  let made = 0;
  const counted = (db: D1Database): D1Database =>
    new Proxy(db, {
      get(target, name) {
        if (name === "batch") made++;
        const value = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return { ledger: { ...rest, control: counted(control), shards: shards.map(counted) }, made: () => made };
}
