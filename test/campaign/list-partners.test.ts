import { beforeAll, describe, expect, it } from "vitest";
import { call, DEMO, freshDemo, NOW } from "../harness.ts";
import { asUser, type Envelope, errorsOf, PARTNERS, type PagingV1 } from "./support.ts";

interface Partner {
  id: number;
  display_name: string;
  supports_cost_data: boolean;
}

const listPartners = (query = "") => asUser<Envelope<Partner, PagingV1>>(`${PARTNERS}${query}`);

beforeAll(freshDemo);

describe("list partners", () => {
  it("returns exactly every partner by ID in the version 1 envelope", async () => {
    const { status, body, headers } = await listPartners();
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(body).toEqual({
      data: {
        api_version: "1",
        request_id: headers.get("x-request-id"),
        timestamp: new Date(NOW).toISOString(),
        paging: {
          page_size: "50",
          collection_size: "5",
          total: "5",
          next: null,
          previous: null,
          cursors: { after: null, before: null },
        },
        items: [
          { id: 1, display_name: "Acme Ads", supports_cost_data: true },
          { id: 2, display_name: "Beacon Network", supports_cost_data: false },
          { id: 3, display_name: "Corsair Media", supports_cost_data: false },
          { id: 4, display_name: "Delta Reach", supports_cost_data: true },
          { id: 5, display_name: "Echo Media", supports_cost_data: true },
        ],
      },
    });
  });

  it("returns a page of the length of limit and counts the page and the whole list", async () => {
    const { body } = await listPartners("?limit=2");
    expect(body.data.items.map((partner) => partner.id)).toEqual([1, 2]);
    expect(body.data.paging).toMatchObject({ page_size: "2", collection_size: "2", total: "5" });
  });

  it("returns the same partners to an operator", async () => {
    const { body } = await asUser(PARTNERS, { token: DEMO.operatorToken });
    expect(body.data.items).toHaveLength(5);
  });

  it("rejects a cursor from a list of links", async () => {
    const links = await asUser(`/public/v1/apps/${DEMO.appToken}/trackers?limit=1`);
    const foreign = links.body.data.paging.cursors.after;
    expect(foreign).not.toBeNull();
    expect(await errorsOf(`${PARTNERS}?after=${foreign}`)).toEqual(["after: is not a cursor from this list"]);
  });

  it("exists in version 1 only", async () => {
    expect((await call("/public/v2/partners", { token: DEMO.apiToken })).status).toBe(404);
  });
});
