/** Fills a server through its public interfaces, so that it works for every revision, whatever its tables. */
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
  const links: string[] = [];
  for (let count = 0; count < LINKS; count += LINKS_AT_ONCE) links.push(...(await createLinks(target, demo)));
  const partners = await readPartners(target, demo);
  const [first = ""] = links;
  const updated = links.slice(0, 2 * LINKS_AT_ONCE);
  for (const [index, token] of updated.entries()) {
    const partner = partners[index % partners.length];
    await ask(target, {
      method: "PATCH",
      path: `${linksPath(demo)}/${token}`,
      headers: jsonHeaders(demo),
      body: JSON.stringify({
        partner_id: partner?.id,
        ...(partner?.supports_cost_data && { cost_data_enabled: true }),
      }),
    });
  }
  const costOnes = updated.filter((_, index) => partners[index % partners.length]?.supports_cost_data);
  const clicked = [...costOnes.slice(0, 10), ...(await createLinks(target, demo, first)).slice(0, 10)];
  const ids = toIds("filled", 0, FILLED_COSTS);
  const clicks = ids
    .slice(0, FILLED_CLICKS)
    .map((id, n): Ask => ({ method: "GET", path: `/${clicked[n % clicked.length]}?cost_id=${id}&s2s=1` }));
  await drive(target, clicks, 200, CONNECTIONS);
  const batches = [];
  for (let from = 0; from < ids.length; from += COSTS_AT_ONCE) {
    batches.push(askBatch(demo, ids.slice(from, from + COSTS_AT_ONCE)));
  }
  await drive(target, batches, 200, CONNECTIONS);
  return { demo, links: updated, clicked };
}

interface Partner {
  id: number;
  supports_cost_data: boolean;
}

async function readPartners(target: Target, demo: Demo): Promise<Partner[]> {
  const path = "/public/v1/partners";
  const { data } = await ask<{ data: { items: Partner[] } }>(target, {
    method: "GET",
    path,
    headers: authorize(demo.apiToken),
  });
  // The first one gets the sub-links, and their clicks are to go into the ledger.
  return data.items.sort((one, other) => Number(other.supports_cost_data) - Number(one.supports_cost_data));
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
