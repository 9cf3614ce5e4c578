/** Compares the service with a small model on random requests with injected faults: links, pages, access, costs, spend. */
import * as fc from "fast-check";
import { beforeEach, expect, it, vi } from "vitest";
import { type Envelope, LINKS, type Link, type PagingV1 } from "../campaign/support.ts";
import { ask, type Call, call, DEMO, ledgerOn, rows } from "../harness.ts";
import { isLong, runs } from "../part.ts";
import { freshEmptyLedger } from "../support.ts";
import { Model, type ModelLink, toUnits } from "./model.ts";
import { IDS, type Step, step, take } from "./steps.ts";

/** Of the calls to D1 in which requests shared. */
const shared = { requests: 0, calls: 0, largest: 0 };

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(console, "log").mockImplementation((line) => {
    const { group } = JSON.parse(line);
    if (!group) return;
    shared.requests += group.requests;
    shared.calls += group.calls;
    shared.largest = Math.max(shared.largest, group.largest);
  });
});

/** Reads every item of a list, page by page, forward and then backward. */
async function readAllPages(path: string, options: Call): Promise<Link[]> {
  const read = async (first: string, direction: "next" | "previous"): Promise<Link[]> => {
    const items: Link[] = [];
    let last = "";
    for (let at: string | null = first; at; ) {
      const { body }: { body: Envelope<Link, PagingV1> } = await ask(
        at.replace(/^https:\/\/[^/]+/, ""),
        options,
      );
      if (direction === "next") items.push(...body.data.items);
      else items.unshift(...body.data.items);
      last = at;
      at = body.data.paging[direction];
    }
    if (direction === "next" && last !== first) expect(await read(last, "previous")).toEqual(items);
    return items;
  };
  return read(`${path}?limit=3`, "next");
}

/** With `whole` page by page, and that the other app is not found: `npm test` does so at the end. */
async function compare(model: Model, whole: boolean): Promise<void> {
  const { token, now } = model;
  const list = async (path: string) =>
    whole
      ? readAllPages(path, options)
      : (await ask<Envelope<Link, PagingV1>>(`${path}?limit=50`, options)).body.data.items;
  const options = { token, now };
  const shown = (link: Link) => [
    link.token,
    link.name,
    link.level,
    link.partner_id,
    link.cost_data_enabled,
    link.archived,
    link.has_subtrackers,
  ];
  const expected = (link: ModelLink) => [
    link.token,
    model.name(link),
    model.level(link),
    link.partner,
    model.costData(link),
    link.archived,
    model.children(link).length > 0,
  ];
  const first = (await list(LINKS)).slice(DEMO_LINKS);
  expect(first.map(shown)).toEqual(model.children(undefined).map(expected));
  const parent = model.links.find((link) => model.children(link).length > 0);
  if (parent) {
    const below = await list(`${LINKS}/${parent.token}/children`);
    expect(below.map(shown)).toEqual(model.children(parent).map(expected));
  }
  if (whole) {
    const other = LINKS.replace(DEMO.appToken, DEMO.otherAppToken);
    expect((await call(other, options)).status).toBe(404);
  }
  const report = await ask<{ data: { items: { spend: string; adjusted: string }[] } }>(
    `/public/v1/apps/${DEMO.appToken}/spend?from=2026-03-01&to=2026-12-31&group_by=partner`,
    options,
  );
  const [{ spend, adjusted } = { spend: "0", adjusted: "0" }] = report.body.data.items;
  expect([toUnits(spend), toUnits(adjusted)]).toEqual([model.spend(), model.adjusted]);
}

interface CostItem {
  cost_id: string;
  amount: string;
  match: string;
}

/** Compares the partner's list of costs, and with `readsBack` each cost that it reads back: `npm test` does so at the end. */
async function compareCosts(model: Model, readsBack: boolean): Promise<void> {
  const options = { token: DEMO.costToken, now: model.now };
  const shown = ({ cost_id, amount, match }: CostItem) => ({ cost_id, amount, match });
  const { body } = await ask<{ items: CostItem[] }>("/cost", options);
  const expected = model.readable();
  expect(body.items.map(shown)).toEqual(expected);
  for (const id of readsBack ? IDS : []) {
    const cost = await ask<CostItem>(`/cost/${id}`, options);
    const found = cost.status === 404 ? undefined : shown(cost.body);
    expect(found).toEqual(expected.find(({ cost_id }) => cost_id === id));
  }
}

const DEMO_LINKS = 6;
/** With shards, a run takes four times as long, because every call copies credentials to all of them. */
const RUNS = ledgerOn().shards.length > 0 ? 8 : 25;

/** Creates a link with cost data on, and a sub-link. */
const FIRST: Step[] = [
  { kind: "create", below: null, fault: null },
  {
    kind: "update",
    which: 0,
    change: { archived: false, partner_id: 1, cost_data_enabled: true },
    fault: null,
  },
  { kind: "create", below: 0, fault: null },
];

it("has the same links, pages, access, costs and spend as the model after any steps and faults", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (steps) => {
      await freshEmptyLedger();
      expect(await rows("SELECT 1 FROM links WHERE app_token = ? AND level = 1", DEMO.appToken)).toHaveLength(
        DEMO_LINKS,
      );
      const model = new Model();
      for (const one of [...FIRST, ...steps]) {
        await take(one, model);
        await compare(model, isLong);
        await compareCosts(model, isLong);
      }
      await compare(model, true);
      await compareCosts(model, true);
    }),
    runs(RUNS, Math.ceil(RUNS / 12)),
  );
  vi.restoreAllMocks();
  console.log(`${shared.requests} requests in ${shared.calls} calls to D1, at most ${shared.largest} in one`);
  expect(shared.requests).toBeGreaterThan(shared.calls);
});
