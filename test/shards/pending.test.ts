/** Pending spend on several shards. */

import { beforeEach, expect, it } from "vitest";
import { Browser } from "../account/support.ts";
import { DEMO, freshDemo, rows, sendCost } from "../harness.ts";
import { textOf } from "../workspace/page-text.ts";

beforeEach(freshDemo);

it("shows operators one sum over all shards", async () => {
  for (let number = 0; number < 12; number++) {
    await sendCost({ cost_id: `pending-shard-${number}`, cost_amount: "0.5", cost_currency: "EUR" });
  }
  expect(await rows("SELECT DISTINCT day FROM daily_totals WHERE app_token = ''")).toHaveLength(4);
  const operator = new Browser();
  await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  const { text } = await operator.get("/operator/spend");
  const [, row = ""] = /partners\/1\/costs\?match=pending">([\s\S]*?)<\/tr>/.exec(text) ?? [];
  expect(textOf(row)).toBe("Acme Ads 12 €6.00");
});

it("lists them one by one, in order, over all shards", async () => {
  const ids = Array.from({ length: 12 }, (_, index) => `pending-shard-${10 + index}`);
  for (const cost_id of ids) await sendCost({ cost_id, cost_amount: "0.5", cost_currency: "EUR" });
  const operator = new Browser();
  await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  const { text } = await operator.get("/operator/partners/1/costs?match=pending");
  expect([...text.matchAll(/<code>(pending-shard-\d+)<\/code>/g)].map(([, id]) => id)).toEqual(ids);
});
