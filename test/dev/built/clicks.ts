/** Sends plain clicks to the built Worker, and reads how many of them were counted. */
import { Agent } from "node:http";
import { expect } from "vitest";
import { DEMO } from "../../../src/dev/demo.ts";
import { type FaultyWorker, send, until } from "./faulty.ts";

const LINKS = 20;
const sum = (some: number[]) => some.reduce((total, one) => total + one, 0);
export const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** New links of the demo app, which counts its audience, and what happens to their clicks. A link is a number here. */
export async function clicksOn(server: FaultyWorker) {
  const created = await send(server.url, {
    method: "POST",
    path: `/public/v1/apps/${DEMO.appToken}/trackers/bulk`,
    token: DEMO.apiToken,
    json: { links: numbers(LINKS).map((link) => ({ name: `Clicked ${link}` })) },
  }).answer;
  const { data } = JSON.parse(created?.text ?? "") as { data: { items: { link: { token: string } }[] } };
  const tokens = data.items.map(({ link }) => link.token);

  /** How often each link was counted. */
  const counts = async () => {
    const { results: rows } = await server.rows
      .prepare(
        "SELECT l.token, sum(e.count) AS n FROM daily_engagements e JOIN links l ON l.id = e.link_id GROUP BY l.token",
      )
      .all<{ token: string; n: number }>();
    const found = new Map(rows.map(({ token, n }) => [token, n]));
    return tokens.map((token) => found.get(token) ?? 0);
  };

  /** Sends a click on each of these links, over so many connections, until all are answered. */
  const click = async (clicked: number[], connections = Math.min(64, clicked.length)) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections });
    const left = [...clicked];
    const work = async () => {
      for (let link = left.pop(); link !== undefined; link = left.pop())
        expect((await send(server.url, { path: `/${tokens[link]}` }, agent).answer)?.status).toBe(302);
    };
    await Promise.all(numbers(connections).map(work));
    agent.destroy();
  };

  /** What the lines of the log since one say that was lost, in ascending order. */
  const lostSince = (line: number) =>
    server.lines
      .slice(line)
      .flatMap(({ lost_engagements: lost }) => (lost === undefined ? [] : [Number(lost)]))
      .toSorted((one, other) => one - other);

  /** Sends so many clicks in turn on one link, and on all links, over 16 and 64 connections, and waits until all are counted. */
  const countUnderLoad = async (each: number) => {
    const before = await counts();
    const line = server.lines.length;
    const rows: number[] = [];
    for (const connections of [16, 64]) {
      for (const links of [1, LINKS]) {
        await server.begin({ delay: 2 });
        await click(
          numbers(each).map((number) => number % links),
          connections,
        );
        const sent = (rows.length + 1) * each;
        await until(async () => sum(await counts()) >= sum(before) + sent);
        rows.push((await server.seen()).written / each);
      }
    }
    const expected = before.map((count, link) => count + (2 * each) / LINKS + (link === 0 ? 2 * each : 0));
    expect(await counts()).toEqual(expected);
    expect(lostSince(line)).toEqual([]);
    return rows;
  };

  // The isolate then knows the links, and each has its rows of the day: the first one of a day writes more.
  await click(numbers(LINKS));
  await until(async () => (await counts()).every((count) => count === 1));
  return { tokens, counts, click, lostSince, countUnderLoad };
}
