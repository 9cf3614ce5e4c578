/** What the tests of what changed share. */
import { expect } from "vitest";
import { ask, type Call, click, DAY, DEMO, NOW } from "../harness.ts";

export const CHANGES = `/public/v1/apps/${DEMO.appToken}/performance/changes`;

interface Both {
  spend: string;
  previous_spend: string;
  change: string;
}
export interface EventItem {
  type: string;
  day: string;
  partner_id: number | null;
  [name: string]: unknown;
}
export interface ChangesBody {
  data: {
    from: string;
    to: string;
    previous_from: string;
    previous_to: string;
    currency: string | null;
    final: boolean;
    items: [
      Both & {
        too_few_clicks: boolean;
        volume: string;
        price: string;
        rest: string;
        adjustments: string;
        cost_types: (Both & { cost_type: string; state: string; volume: string; price: string })[];
        links: (Both & { link_token: string; link_name: string })[] | null;
        events: EventItem[];
        more_events: boolean;
      },
    ];
  };
}

export async function readChanges(query: string, options: Call = {}) {
  const { status, body } = await ask<ChangesBody>(`${CHANGES}?${query}`, {
    token: DEMO.apiToken,
    ...options,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return { ...body.data.items[0], about: body.data };
}

/** Records clicks some days ago, and sends their costs with an amount. */
export async function spend(
  id: string,
  {
    days,
    count = 1,
    amount = "1",
    ...more
  }: { days: number; count?: number; amount?: string; link?: string },
) {
  const now = NOW - days * DAY;
  const ids = Array.from({ length: count }, (_, index) => `${id}-${String(index).padStart(6, "0")}`);
  for (const cost_id of ids) await click(cost_id, { ...more, now });
  const cost = { cost_type: "cpc", cost_currency: "USD", cost_amount: amount, tag: "test" };
  const costs = ids.map((cost_id) => ({ ...cost, cost_id }));
  const { body } = await ask<{ results: { match: string }[] }>("/cost/batch", {
    ...{ token: DEMO.costToken, json: { costs }, now },
  });
  expect(body.results.map(({ match }) => match)).toEqual(ids.map(() => "matched"));
}
