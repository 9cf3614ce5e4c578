/** Pending spend on several shards. */
import { beforeEach, expect, it } from "vitest";
import { Browser } from "../account/support.ts";
import { DEMO, freshDemo, rows, sendCost } from "../harness.ts";

beforeEach(freshDemo);

it("shows operators one sum over all shards", async () => {
  for (let number = 0; number < 12; number++) {
    await sendCost({ cost_id: `pending-shard-${number}`, cost_amount: "0.5", cost_currency: "EUR" });
  }
  expect(await rows("SELECT DISTINCT day FROM daily_totals WHERE app_token = ''")).toHaveLength(4);
  const operator = new Browser();
  await operator.signIn(DEMO.operatorEmail, DEMO.operatorPassword);
  const { text } = await operator.get("/operator");
  expect(text).toMatch(/Acme Ads<\/a><\/th><td class="number">12<\/td><td class="number">EUR 6</);
});
