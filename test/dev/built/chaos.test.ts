/**
 * Clients that cut their connections at any time do not affect others: workerd itself never answers, every request has an answer, and
 * what was confirmed is stored, and each click is counted at most once. Two seconds, and two minutes with LONG=1, with half a minute
 * in which requests are ended too.
 */
import { Agent } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findContradictions, findLost } from "../../live-service.ts";
import {
  type Ask,
  clickOf,
  costOf,
  type FaultyWorker,
  LIST,
  linkOf,
  type Sent,
  send,
  startFaulty,
  until,
} from "./faulty.ts";

const isLong = process.env.LONG === "1";
const SECONDS = isLong ? 12 : 0.5;
const DELAYS = [0, 30];
/** With 4, workerd is idle while they wait, and then answers 500 to a request that waits only for another. When busy, it may not. */
const CONNECTIONS = isLong ? [1, 4, 16, 64, 256] : [4, 256];
/** The share of requests whose connection is cut, and within how many milliseconds. */
const CUT = { share: 0.25, within: 60 };
/** Longer than any deadline of the Worker. */
const ANSWER_MS = 30_000;

let server: FaultyWorker;
/** How many clicks of the demo data are counted. */
let before: number;
beforeAll(async () => {
  server = await startFaulty({ name: "chaos" });
  before = await countClicks();
});
afterAll(() => server.stop());

const EXPECTED = [200, 201, 302];
/** A request whose statements are in the call of one that was ended has no result. */
const EXPECTED_WITH_ENDED = [...EXPECTED, 503];
/** One in so many. */
const ENDED = 0.1;
/** Longer than the time after which the Worker drops what is left of ended requests. */
const FORGET_MS = 10_000;
const confirmed = { costs: [] as string[], clicks: [] as string[], links: [] as string[] };
/** Clicks with and without an ID. A click whose connection was cut is counted or not. */
const clicks = { sent: 0, answered: 0 };
/** How many times each unexpected outcome occurred. */
const wrong = new Map<string, number>();
let answered = 0;
let next = 0;

function note(outcome: string): void {
  wrong.set(outcome, (wrong.get(outcome) ?? 0) + 1);
}

interface Request {
  ask: Ask;
  confirm: () => void;
}

const countClicks = () =>
  server.rows.prepare("SELECT sum(count) AS n FROM daily_engagements").first<number>("n").then(Number);
const countLost = () => server.lines.reduce((sum, { lost_engagements: lost }) => sum + Number(lost ?? 0), 0);

type Kind = "plain click" | "click" | "cost" | "list" | "link";
const CLICKS: Kind[] = ["plain click", "click"];
const ALL: Kind[] = [...CLICKS, "cost", "list", "link"];

function newRequest(kinds: Kind[]): Request {
  const id = `chaos-${String(next++).padStart(8, "0")}`;
  const kind = kinds[next % kinds.length];
  if (kind === "plain click" || kind === "click") clicks.sent++;
  if (kind === "plain click") return { ask: clickOf(), confirm: () => undefined };
  if (kind === "click") return { ask: clickOf(id), confirm: () => void confirmed.clicks.push(id) };
  if (kind === "cost") return { ask: costOf(id), confirm: () => void confirmed.costs.push(id) };
  if (kind === "list") return { ask: LIST, confirm: () => undefined };
  return { ask: linkOf(id), confirm: () => void confirmed.links.push(id) };
}

async function answerOf({ answer, cut }: Sent) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), ANSWER_MS);
  });
  const first = await Promise.race([answer, late]).catch((error: Error) => error);
  clearTimeout(timer);
  if (first === "late") cut();
  return first;
}

/** Sends requests over so many connections, some of which are cut, and in the end every other one. */
async function load(connections: number, seconds: number, kinds: Kind[], expected = EXPECTED): Promise<void> {
  const until = performance.now() + seconds * 1_000;
  const current = new Set<Sent>();
  const work = async () => {
    const agent = new Agent({ keepAlive: true });
    while (performance.now() < until) {
      const { ask, confirm } = newRequest(kinds);
      const sent = send(server.url, ask, agent);
      current.add(sent);
      const timer = Math.random() < CUT.share ? setTimeout(sent.cut, Math.random() * CUT.within) : undefined;
      const answer = await answerOf(sent);
      clearTimeout(timer);
      current.delete(sent);
      if (answer === undefined) continue;
      if (typeof answer === "string" || answer instanceof Error) note(String(answer));
      else if (!expected.includes(answer.status)) note(`${answer.status} ${answer.text.slice(0, 200)}`);
      else {
        answered++;
        if (answer.status === 302) clicks.answered++;
        if (answer.status !== 503) confirm();
      }
    }
    agent.destroy();
  };
  const workers = Array.from({ length: connections }, work);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  for (const [index, sent] of [...current].entries()) if (index % 2 === 0) sent.cut();
  await Promise.all(workers);
}

test.each(DELAYS.flatMap((delay) => CONNECTIONS.map((connections) => ({ delay, connections }))))(
  "with $connections connections and a database that is $delay ms away",
  async ({ delay, connections }) => {
    await server.begin({ delay });
    await load(connections, SECONDS / 3, CLICKS);
    await load(connections, (SECONDS * 2) / 3, ALL);
    console.log(`${answered} answers so far; ${server.shared}`);
    expect(Object.fromEntries(wrong)).toEqual({});
  },
);

test("each click is counted once if it was answered, and at most once if its connection was cut", async () => {
  await until(async () => (await countClicks()) - before >= clicks.answered);
  expect((await countClicks()) - before).toBeLessThanOrEqual(clicks.sent);
  expect(countLost()).toBe(0);
});

test.runIf(isLong).each(CONNECTIONS)(
  "if one in ten of the requests on %i connections is ended, plain clicks are counted at most once, and the log has those that are lost",
  async (connections) => {
    await server.begin({ delay: 30, ends: ENDED });
    const counted = await countClicks();
    const [sent, answered, lost] = [clicks.sent, clicks.answered, countLost()];
    const kinds = ALL.filter((kind) => kind !== "click");
    await load(connections, SECONDS / 2, kinds, EXPECTED_WITH_ENDED);
    await new Promise((resolve) => setTimeout(resolve, FORGET_MS));
    // The Worker then says what was lost.
    await server.begin();
    expect((await send(server.url, LIST).answer)?.status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const more = (await countClicks()) - counted;
    expect(more).toBeLessThanOrEqual(clicks.sent - sent);
    expect(more + countLost() - lost).toBeGreaterThanOrEqual(clicks.answered - answered);
    expect(Object.fromEntries(wrong)).toEqual({});
  },
);

test("everything that was confirmed is stored, once", async () => {
  await server.begin();
  expect([confirmed.costs, confirmed.clicks, confirmed.links].map(({ length }) => length > 0)).toEqual([
    true,
    true,
    true,
  ]);
  expect(await findLost(server.rows, 1, confirmed.costs)).toEqual([]);
  const { results } = await server.rows
    .prepare("SELECT label FROM links WHERE label LIKE 'chaos-%'")
    .all<{ label: string }>();
  const labels = new Set(results.map(({ label }) => label));
  expect(confirmed.links.filter((label) => !labels.has(label))).toEqual([]);
  const clicks = await server.rows
    .prepare("SELECT cost_id FROM ledger_entries WHERE click_at IS NOT NULL")
    .all<{ cost_id: string }>();
  const clicked = new Set(clicks.results.map(({ cost_id }) => cost_id));
  expect(confirmed.clicks.filter((id) => !clicked.has(id))).toEqual([]);
  expect(await findContradictions(server.rows, Math.floor(Date.now() / 86_400_000) - 1)).toEqual([]);
});
