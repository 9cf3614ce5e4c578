/** Fills a server with data through its public APIs, so that it works for every revision of the tables. */
import { drive, type Target } from "./load.ts";
import {
  type Ask,
  askBatch,
  authorize,
  type Data,
  type Demo,
  FILLED_CLICKS,
  FILLED_COSTS,
  linksPath,
  toIds,
} from "./paths.ts";

const LINKS = 2_000;
const LINKS_AT_ONCE = 100;
const COSTS_AT_ONCE = 1_000;
const CONNECTIONS = 8;

export async function fill(target: Target, demo: Demo): Promise<Data> {
  const created: string[] = [];
  for (let count = 0; count < LINKS; count += LINKS_AT_ONCE)
    created.push(...(await createLinks(target, demo)));
  // These come first in a list.
  const links = created.slice(0, LINKS_AT_ONCE);
  const withCostData = await attachPartners(target, demo, links);
  const children = await createLinks(target, demo, withCostData[0]);
  const networks = withCostData.slice(0, 10);
  const clicked = [...networks, ...children.slice(0, 10)];
  const ids = toIds("filled", 0, FILLED_COSTS);
  await sendClicks(target, clicked, ids.slice(0, FILLED_CLICKS));
  await sendCosts(target, demo, ids);
  return { demo, links, clicked, networks };
}

/** Attaches the partners to the links in turn. Returns the links whose cost data is on. */
async function attachPartners(target: Target, demo: Demo, links: string[]): Promise<string[]> {
  const partners = await readPartners(target, demo);
  const withCostData: string[] = [];
  for (const [index, token] of links.entries()) {
    const partner = partners[index % partners.length];
    const hasCostData = partner?.supports_cost_data === true;
    await ask(target, {
      method: "PATCH",
      path: `${linksPath(demo)}/${token}`,
      headers: jsonHeaders(demo),
      body: JSON.stringify({ partner_id: partner?.id, ...(hasCostData && { cost_data_enabled: true }) }),
    });
    if (hasCostData) withCostData.push(token);
  }
  return withCostData;
}

async function sendClicks(target: Target, links: string[], ids: string[]): Promise<void> {
  const clicks = ids.map(
    (id, n): Ask => ({ method: "GET", path: `/${links[n % links.length]}?cost_id=${id}&s2s=1` }),
  );
  await drive(target, clicks, 200, CONNECTIONS);
}

async function sendCosts(target: Target, demo: Demo, ids: string[]): Promise<void> {
  const batches: Ask[] = [];
  for (let from = 0; from < ids.length; from += COSTS_AT_ONCE) {
    batches.push(askBatch(demo, ids.slice(from, from + COSTS_AT_ONCE)));
  }
  await drive(target, batches, 200, CONNECTIONS);
}

interface Partner {
  id: number;
  supports_cost_data: boolean;
}

async function readPartners(target: Target, demo: Demo): Promise<Partner[]> {
  const headers = authorize(demo.apiToken);
  const { data } = await ask<{ data: { items: Partner[] } }>(target, {
    method: "GET",
    path: "/public/v1/partners",
    headers,
  });
  return data.items;
}

async function createLinks(target: Target, demo: Demo, parent?: string): Promise<string[]> {
  const links = Array.from({ length: LINKS_AT_ONCE }, (_, index) => ({
    name: `Filled ${index}`,
    ...(parent && { parent_token: parent }),
  }));
  const { data } = await ask<{ data: { items: { link: { token: string } }[] } }>(target, {
    method: "POST",
    path: `${linksPath(demo)}/bulk`,
    headers: jsonHeaders(demo),
    body: JSON.stringify({ links }),
  });
  return data.items.map(({ link }) => link.token);
}

function jsonHeaders(demo: Demo) {
  return { ...authorize(demo.apiToken), "content-type": "application/json" };
}

async function ask<Answer>({ url }: Target, { path, ...init }: Ask): Promise<Answer> {
  const answer = await fetch(url + path, init);
  if (!answer.ok) throw new Error(`${init.method} ${path} was answered ${answer.status}`);
  return (await answer.json()) as Answer;
}
