/** Uses the generated types, so that a breaking change of the OpenAPI document does not compile. */
import { beforeAll, expect, it } from "vitest";
import type {
  CreateLinkData,
  ListChildrenV2Data,
  ListPartnersData,
  Public,
  SubmitBatchData,
  SubmitCostData,
  UpdateLinkData,
} from "../../src/client/linkledger.ts";
import { ask, click, DEMO, freshDemo } from "../harness.ts";

beforeAll(freshDemo);

const token = DEMO.apiToken;
const trackers = `/public/v1/apps/${DEMO.appToken}/trackers`;

it("does the main job with the types that are generated from the document", async () => {
  const partners = await ask<ListPartnersData>("/public/v1/partners", { token });
  const partner = partners.body.data.items.find((item) => item.supports_cost_data);

  const body: Public.CreateLink.RequestBody = { name: "Typed" };
  const created = await ask<CreateLinkData>(trackers, { token, json: body });
  const link = created.body.data.items[0]?.token ?? "";
  await ask<CreateLinkData>(trackers, { token, json: { name: "Below", parent_token: link } });

  const change: Public.UpdateLink.RequestBody = { partner_id: partner?.id ?? 0, cost_data_enabled: true };
  const updated = await ask<UpdateLinkData>(`${trackers}/${link}`, { method: "PATCH", token, json: change });
  expect(updated.body.data.items[0]?.cost_data_enabled).toBe(true);

  const children = await ask<ListChildrenV2Data>(`${trackers.replace("v1", "v2")}/${link}/children`, {
    token,
  });
  expect(children.body.data.items.map((item) => item.name)).toEqual(["Typed::Below"]);

  await click("typed-click-0001", { link });
  const cost = { cost_type: "cpc", cost_currency: "USD", cost_amount: "0.25", tag: "typed" };
  const sent = await ask<SubmitCostData>(
    `/cost?${new URLSearchParams({ ...cost, cost_id: "typed-click-0001" })}`,
    {
      method: "POST",
      token: DEMO.costToken,
    },
  );
  expect(sent.body).toMatchObject({ match: "matched", duplicate: false, amount: "0.25" });

  const batch = await ask<SubmitBatchData>("/cost/batch", {
    token: DEMO.costToken,
    json: { costs: [{ ...cost, cost_id: "typed-click-0001" }] },
  });
  expect(batch.body.results).toMatchObject([{ status: "ok", duplicate: true }]);
});
