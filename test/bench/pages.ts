/**
 * `npm run bench -- --pages`: what each page costs with the large app of the demo, in its default period and over 90 days, beside
 * another revision with the same rows, as far as its tables have them. A page of ours whose path is another one there is compared
 * with that.
 */
import { request } from "node:http";
import { gzipSync } from "node:zlib";
import { LARGE } from "../../src/dev/demo/large/links.ts";
import { liveToken, PARTNERS } from "../../src/dev/demo/large/partners.ts";
import { largeRows } from "../../src/dev/demo/large.ts";
import { type DemoRow, runStatements, toStatements } from "../../src/dev/demo/rows.ts";
import { DEMO, demoRows } from "../../src/dev/demo.ts";
import { expectDefined } from "../../src/domain/expect-defined.ts";
import type { Checkout } from "./revision.ts";
import { type Measurable, startMeasurable } from "./servers.ts";

const LIMITS = { cpu: 150, longCpu: 500, kilobytes: 25 };
const WARM_UPS = 3;
/** The work after an answer is done when this much less CPU was used in this time. */
const IDLE = { microseconds: 1_000, during: 30 };

const APP = `/apps/${LARGE.appToken}`;
const LONG = "period=90d";
type Who = "member" | "operator" | "partner";
/** Who opens the page, its path, and whether it covers 90 days. */
type BenchPage = [who: Who, path: string, isLong?: boolean];
const PAGES: BenchPage[] = [
  ["member", "/apps"],
  ["member", APP],
  ["member", `${APP}?${LONG}`, true],
  ["member", `${APP}/performance`],
  ["member", `${APP}/performance?${LONG}`, true],
  ["member", `${APP}/links`],
  ["member", `${APP}/links?${LONG}`, true],
  ["member", `${APP}/links?sort=-spend`],
  ["member", `${APP}/links?q=video+15s`],
  ["member", `${APP}/links/atlas01000`],
  ["member", `${APP}/links/atlas01000?${LONG}`, true],
  ["member", `${APP}/links/atlas02274`],
  ["member", `${APP}/links/atlas01000/settings`],
  ["member", `${APP}/links/atlas01000/history`],
  ["member", `${APP}/links/new`],
  ["member", `${APP}/partners`],
  ["member", `${APP}/partners?${LONG}`, true],
  ["member", `${APP}/partners/6`],
  ["member", `${APP}/partners/6?${LONG}`, true],
  ["operator", "/operator"],
  ["operator", "/operator/partners"],
  ["operator", "/operator/partners/6"],
  ["operator", "/operator/partners/6/setup"],
  ["operator", "/operator/partners/6/costs?match=pending"],
  ["operator", "/operator/rounds/2"],
  ["operator", "/operator/spend"],
  ["operator", `/operator/spend?${LONG}`, true],
  ["operator", "/operator/apps"],
  ["operator", `/operator/apps/${LARGE.appToken}`],
  ["operator", "/operator/users"],
  ["operator", "/operator/credentials"],
  ["operator", "/operator/adjustments"],
  ["operator", "/operator/audit"],
  ["partner", "/partner"],
  ["partner", `/partner?${LONG}`, true],
  ["partner", "/partner/costs"],
  ["partner", "/partner/setup"],
];

/** CPU in milliseconds, and the size of the compressed HTML in KB. */
interface Figures {
  cpu: number;
  kilobytes: number;
}

/** Prints a line for each page whose path contains `only`. Returns whether all are within the limits. */
export async function measurePages(ours: Checkout, other: Checkout, only: string, turns: number) {
  const rows = [...demoRows(Date.now()), ...largeRows(Date.now())];
  const [own, compared] = [await open(ours, rows), await open(other, rows)];
  console.log(`CPU in ms (median of ${turns}) and compressed HTML in KB, ours and ${other.settings.name}`);
  let isWithin = true;
  for (const [who, path, isLong = false] of PAGES) {
    if (!path.includes(only)) continue;
    const mine = await measure(own, who, path, turns);
    const theirs = await measure(compared, who, path, turns);
    const limit = isLong ? LIMITS.longCpu : LIMITS.cpu;
    const isGood = mine && mine.cpu <= limit && mine.kilobytes <= LIMITS.kilobytes;
    isWithin &&= Boolean(isGood);
    console.log([path.padEnd(48), show(mine), show(theirs), isGood ? "yes" : "no"].join("  "));
  }
  for (const { server } of [own, compared]) await server.stop();
  return isWithin;
}

const show = (figures: Figures | undefined) =>
  figures
    ? `${figures.cpu.toFixed(0).padStart(6)} ms ${figures.kilobytes.toFixed(1).padStart(5)} KB`
    : "–".padStart(18);

interface Opened {
  server: Measurable;
  cookies: Record<Who, string>;
}

/** Starts a server with the rows that its tables can have, and signs everybody in. */
async function open({ settings }: Checkout, rows: DemoRow[]): Promise<Opened> {
  const server = await startMeasurable({ ...settings, seed: [] });
  const columns = new Map<string, Set<string>>();
  for (const table of new Set(rows.map((row) => row.table))) {
    const { results } = await server.db.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>();
    if (results.length > 0) columns.set(table, new Set(results.map(({ name }) => name)));
  }
  const fitting = rows
    .filter(({ table }) => columns.has(table))
    .map(({ table, values }) => ({
      table,
      values: Object.fromEntries(Object.entries(values).filter(([name]) => columns.get(table)?.has(name))),
    }));
  await runStatements(server.db, toStatements(fitting));
  const credential = liveToken(expectDefined(PARTNERS[0]));
  return {
    server,
    cookies: {
      member: await signIn(server, "/login", { email: DEMO.email, password: DEMO.password }),
      operator: await signIn(server, "/login", {
        email: DEMO.operatorEmail,
        password: DEMO.operatorPassword,
      }),
      partner: await signIn(server, "/partner", { credential }),
    },
  };
}

async function signIn({ url }: Measurable, path: string, fields: Record<string, string>): Promise<string> {
  const answer = await fetch(url + path, {
    method: "POST",
    redirect: "manual",
    headers: { origin: url, accept: "text/html" },
    body: new URLSearchParams(fields),
  });
  const [cookie] = answer.headers.getSetCookie();
  if (!cookie) throw new Error(`${path} was answered ${answer.status}`);
  return cookie.split(";", 1)[0] ?? "";
}

/** The median; undefined if the revision has no such page. */
async function measure(
  { server, cookies }: Opened,
  who: Who,
  path: string,
  turns: number,
): Promise<Figures | undefined> {
  const found: Figures[] = [];
  for (let turn = -WARM_UPS; turn < turns; turn++) {
    const before = server.cpuTime();
    const { status, body } = await get(server, path, cookies[who]);
    if (status !== 200) return undefined;
    await settle(server);
    if (turn >= 0)
      found.push({ cpu: (server.cpuTime() - before) / 1_000, kilobytes: gzipSync(body).length / 1_000 });
  }
  return found.sort((one, two) => one.cpu - two.cpu)[Math.floor(turns / 2)];
}

async function settle({ cpuTime }: Measurable): Promise<void> {
  for (let used = Number.POSITIVE_INFINITY; used > IDLE.microseconds; ) {
    const before = cpuTime();
    await new Promise((resolve) => setTimeout(resolve, IDLE.during));
    used = cpuTime() - before;
  }
}

function get({ url, agent }: Measurable, path: string, cookie: string) {
  return new Promise<{ status: number; body: Buffer }>((resolve, reject) => {
    const headers = { cookie, accept: "text/html", "accept-encoding": "identity" };
    const sent = request(url + path, { agent, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part) => parts.push(part));
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(parts) }));
      answer.once("error", reject);
    });
    sent.once("error", reject);
    sent.end();
  });
}
