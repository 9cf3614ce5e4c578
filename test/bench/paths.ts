/** The measured paths and their aims. */
import { createHash } from "node:crypto";

/** The aims: CPU and throughput as a ratio to the bare Worker, and both as a ratio to another revision. */
export const AIMS = { cpu: 1.15, throughput: 0.9, against: 1.05, throughputAgainst: 0.95 };

export const BATCH_SIZE = 100;

/** The tokens of the demo data. */
export interface Demo {
  appToken: string;
  linkToken: string;
  apiToken: string;
  costToken: string;
}

/** The data of a server. */
export interface Data {
  demo: Demo;
  /** Links of level 1. */
  links: string[];
  /** Links with a partner whose cost data is on, some of them by inheritance. */
  clicked: string[];
  /** Those of level 1, below which clicks create sub-links. */
  networks: string[];
}

/** The number of costs in the data, and of those that have a click. */
export const FILLED_COSTS = 10_000;
export const FILLED_CLICKS = 1_000;

export interface Ask {
  method: "GET" | "POST" | "PATCH";
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Path {
  name: string;
  /** The expected status. */
  status: number;
  /** Requests of one pair to each server: less than a second on one core. */
  requests: number;
  /** With more connections, more statements wait than an isolate lets wait, and some requests get 503. */
  mostConnections?: number;
  /** Whether ENGAGEMENTS is bound. */
  queue?: true;
  /** The request number `n` to a server with this data. */
  ask: (data: Data, n: number) => Ask;
}

const clickPath = ({ clicked }: Data, n: number) => `/${clicked[n % clicked.length]}`;
const networkPath = ({ networks }: Data, n: number) => `/${networks[n % networks.length]}`;
const linkPath = ({ demo, links }: Data, n: number) => `${linksPath(demo)}/${links[n % links.length]}`;
const json = { "content-type": "application/json" };

/** Campaigns and ad groups that repeat: the warm-up creates them below each network. */
const KNOWN = { campaigns: 5, adGroups: 4 };
function knownNames({ networks }: Data, n: number): string {
  const campaign = Math.floor(n / networks.length) % KNOWN.campaigns;
  const adGroup = Math.floor(n / networks.length / KNOWN.campaigns) % KNOWN.adGroups;
  return `campaign=Bench+campaign+${campaign}&adgroup=Bench+group+${adGroup}`;
}

/** Alike clicks share a row, so all of them are of one platform. */
const headers = {
  "user-agent":
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
};
const open = (path: string): Ask => ({ method: "GET", path, headers });

const CLICK_PATHS: Path[] = [
  {
    name: "click plain",
    status: 302,
    requests: 640,
    ask: (data, n) => open(clickPath(data, n)),
  },
  {
    name: "click hot",
    status: 302,
    requests: 640,
    ask: (data) => open(clickPath(data, 0)),
  },
  {
    name: "click id",
    status: 302,
    requests: 320,
    ask: (data, n) => open(`${clickPath(data, n)}?cost_id=${toId("click", n)}`),
  },
  {
    name: "click s2s",
    status: 200,
    requests: 320,
    ask: (data, n) => open(`${clickPath(data, n)}?cost_id=${toId("s2s", n)}&s2s=1`),
  },
  {
    name: "click campaign",
    status: 302,
    requests: 320,
    ask: (data, n) => open(`${networkPath(data, n)}?${knownNames(data, n)}`),
  },
  {
    name: "click new campaign",
    status: 302,
    requests: 320,
    ask: (data, n) => open(`${networkPath(data, n)}?campaign=Bench+${n}`),
  },
];

export const PATHS: Path[] = [
  {
    name: "cost",
    status: 200,
    requests: 320,
    ask: ({ demo }, n) => ({
      method: "POST",
      path: "/cost",
      headers: { ...authorize(demo.costToken), "content-type": "application/x-www-form-urlencoded" },
      body: String(new URLSearchParams(toCost(toId("cost", n)))),
    }),
  },
  {
    name: "batch",
    status: 200,
    requests: 160,
    ask: ({ demo }, n) => askBatch(demo, toIds("batch", n * BATCH_SIZE, BATCH_SIZE)),
  },
  {
    name: "read cost",
    status: 200,
    requests: 320,
    ask: ({ demo }, n) => ({
      method: "GET",
      path: `/cost/${toId("filled", n % FILLED_CLICKS)}`,
      headers: authorize(demo.costToken),
    }),
  },
  {
    name: "list v1",
    status: 200,
    requests: 240,
    ask: ({ demo }) => ({ method: "GET", path: linksPath(demo), headers: authorize(demo.apiToken) }),
  },
  {
    name: "list v2",
    status: 200,
    requests: 240,
    ask: ({ demo }) => ({ method: "GET", path: linksPath(demo, "v2"), headers: authorize(demo.apiToken) }),
  },
  {
    name: "read link",
    status: 200,
    requests: 320,
    ask: (data, n) => ({
      method: "GET",
      path: linkPath(data, n),
      headers: authorize(data.demo.apiToken),
    }),
  },
  {
    name: "create link",
    status: 201,
    requests: 240,
    mostConnections: 64,
    ask: ({ demo }, n) => ({
      method: "POST",
      path: linksPath(demo),
      headers: { ...authorize(demo.apiToken), ...json },
      body: JSON.stringify({ name: `Bench ${n}` }),
    }),
  },
  {
    name: "update link",
    status: 200,
    requests: 240,
    mostConnections: 64,
    ask: (data, n) => ({
      method: "PATCH",
      path: linkPath(data, n),
      headers: { ...authorize(data.demo.apiToken), ...json },
      body: JSON.stringify({ name: `Bench ${n}` }),
    }),
  },
  ...CLICK_PATHS,
  {
    name: "impression id",
    status: 200,
    requests: 320,
    ask: (data, n) => open(`/impression${clickPath(data, n)}?cost_id=${toId("impression", n)}`),
  },
  ...CLICK_PATHS.map((path): Path => ({ ...path, name: `${path.name} queue`, queue: true })),
];

export function authorize(token: string) {
  return { authorization: `Token token=${token}` };
}

export function linksPath({ appToken }: Demo, version = "v1"): string {
  return `/public/${version}/apps/${appToken}/trackers`;
}

export function askBatch(demo: Demo, ids: string[]): Ask {
  return {
    method: "POST",
    path: "/cost/batch",
    headers: { ...authorize(demo.costToken), ...json },
    body: JSON.stringify({ costs: ids.map(toCost) }),
  };
}

function toCost(costId: string) {
  return { cost_type: "cpc", cost_currency: "USD", cost_id: costId, tag: "bench", cost_amount: "0.25" };
}

export function toIds(prefix: string, from: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => toId(prefix, from + index));
}

/** Always the same for the same number, as long as a UUID and in no order. */
export function toId(prefix: string, n: number): string {
  return createHash("sha256").update(`${prefix} ${n}`).digest("hex").slice(0, 36);
}
