/**
 * `npm run bench -- --reports`: shows that a partner's costs stay fast while four members read reports, each just under the most rows
 * that a report may cover, one after the other and without a pause.
 */
import { createToken, hashToken } from "../../src/auth/secrets.ts";
import { MAX_COVERED } from "../../src/db/statement.ts";
import { DEMO } from "../../src/dev/demo.ts";
import { formatDate } from "../../src/domain/time.ts";
import { buildWorker, startBuilt } from "../built-worker.ts";
import { drive, openConnections, send, type Target } from "./load.ts";
import { type Ask, authorize } from "./paths.ts";

const MEMBERS = 4;
const DAYS = 99;
const LINKS = Math.floor((MAX_COVERED - 1_000) / DAYS);
const MEASURED_MS = 20_000;
/** The From date of the totals, in days since 1970. */
const FIRST_DAY = 20_000;

/** Returns whether the aim is met. */
export async function measureReports(): Promise<boolean> {
  const { stop, url, db } = await startBuilt({ name: "ours", script: buildWorker().script });
  const agent = openConnections();
  const target = { url, agent };
  const tokens = await fill(db);
  // Warms the isolate up.
  for (let index = 0; index < 50; index++) await sendCost(target);
  const readOne = () => drive(target, [askReport(tokens[0] ?? "")], 200, 1);
  await readOne();
  const report = 1000 * (await readOne());
  const own = await measureCosts(target, MEASURED_MS / 4);
  const until = performance.now() + MEASURED_MS;
  const reports = Promise.all(
    tokens.map(async (token) => {
      const statuses: number[] = [];
      while (performance.now() < until) statuses.push(await send(target, askReport(token)));
      return statuses;
    }),
  );
  const beside = await measureCosts(target, MEASURED_MS);
  const statuses = (await reports).flat();
  agent.destroy();
  await stop();
  const aim = 3 * own.median + report;
  console.log(`One report of ${DAYS * LINKS} totals by link: ${report.toFixed(0)} ms.`);
  console.log(`Costs without reports: ${describe(own)}.`);
  console.log(
    `Costs beside the reports of ${MEMBERS} members (${countStatuses(statuses)}): ${describe(beside)}.`,
  );
  console.log(`Aim: a median under 3 times its own and the time of one report, ${aim.toFixed(0)} ms.`);
  return beside.median < aim;
}

/** Adds members of the demo app, and totals of one app that a report of all days just covers. Returns the members' tokens. */
async function fill(db: D1Database): Promise<string[]> {
  const tokens = Array.from({ length: MEMBERS }, (_, index) =>
    createToken("api", `Member${index}`.padEnd(43, "0")),
  );
  const numbers = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`;
  await db.batch(
    tokens.flatMap((token, index) => [
      db.prepare(
        `INSERT INTO users (id, email, role, created_at) VALUES (${100 + index}, 'm${index}', 'member', 0)`,
      ),
      db.prepare(`INSERT INTO memberships (user_id, app_token) VALUES (${100 + index}, '${DEMO.appToken}')`),
      db
        .prepare(
          `INSERT INTO api_tokens (token_hash, user_id, hint, created_at) VALUES (?, ${100 + index}, '', 0)`,
        )
        .bind(hashToken(token, ["api"])),
    ]),
  );
  await db.batch([
    db.prepare(`${numbers(LINKS)} INSERT INTO links (id, token, app_token, level, label, created_at)
      SELECT 10000 + i, 'report' || i, '${DEMO.appToken}', 1, 'Report ' || i, 0 FROM n`),
    db.prepare(`${numbers(LINKS * DAYS)} INSERT INTO daily_totals
      SELECT '${DEMO.appToken}', ${FIRST_DAY} + i / ${LINKS}, 10000 + i % ${LINKS}, 1, 'cpc', 'USD', 'matched', 3, 25000 FROM n`),
  ]);
  return tokens;
}

function askReport(token: string): Ask {
  const [from, to] = [FIRST_DAY, FIRST_DAY + DAYS - 1].map(formatDate);
  const path = `/public/v1/apps/${DEMO.appToken}/spend?from=${from}&to=${to}&group_by=link`;
  return { method: "GET", path, headers: authorize(token) };
}

const countStatuses = (statuses: number[]) =>
  [...Map.groupBy(statuses, String)].map(([status, all]) => `${status} × ${all.length}`).join(", ");

let sent = 0;

async function sendCost(target: Target): Promise<number> {
  const query = new URLSearchParams({
    cost_id: `beside-reports-${++sent}`,
    cost_type: "cpc",
    cost_currency: "USD",
    tag: "bench",
  });
  const headers = authorize(DEMO.costToken);
  return 1000 * (await drive(target, [{ method: "POST", path: `/cost?${query}`, headers }], 200, 1));
}

/** Sends costs one after the other for this time. */
async function measureCosts(target: Target, milliseconds: number) {
  const times: number[] = [];
  for (const until = performance.now() + milliseconds; performance.now() < until; )
    times.push(await sendCost(target));
  times.sort((left, right) => left - right);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { count: times.length, median: at(0.5), p99: at(0.99) };
}

const describe = ({ count, median, p99 }: Awaited<ReturnType<typeof measureCosts>>) =>
  `${count}, median ${median.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;
