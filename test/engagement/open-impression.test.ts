import { beforeEach, expect, it } from "vitest";
import { ask, call, DEMO, NOW, rejection, rows, view } from "../harness.ts";
import { failingDatabase, freshLedger, LINK } from "../support.ts";

beforeEach(freshLedger);

const ID = "impression-id-01";
const recorded = () =>
  rows("SELECT kind, link_id, occurred_at, cost_data_on FROM engagements WHERE cost_id = ?", ID);

it("returns a 1×1 GIF with no-store and records the impression", async () => {
  const response = await view(ID);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("image/gif");
  expect(response.headers.get("cache-control")).toBe("no-store");
  const bytes = [...new Uint8Array(await response.arrayBuffer())];
  expect(String.fromCharCode(...bytes.slice(0, 6))).toBe("GIF89a");
  const [width, height] = [bytes.slice(6, 8), bytes.slice(8, 10)];
  expect([width, height, bytes.at(-1)]).toEqual([[1, 0], [1, 0], 0x3b]);
  expect(bytes).toHaveLength(42);
  expect(await recorded()).toEqual([{ kind: "impression", link_id: 1, occurred_at: NOW, cost_data_on: 1 }]);
});

it("does not redirect to a target in the query", async () => {
  const response = await view(ID, { query: "&redirect=https://example.com/" });
  expect([response.status, response.headers.get("location")]).toEqual([200, null]);
});

it("returns JSON to a partner's server after the impression is committed", async () => {
  const { body, headers } = await ask(`/impression${LINK}?cost_id=${ID}&s2s=1`);
  expect(body).toMatchObject({
    status: "ok",
    kind: "impression",
    cost_id: ID,
    recorded: true,
    duplicate: false,
    dropped: [],
  });
  expect(headers.get("content-type")).toBe("application/json");
  expect(await recorded()).toHaveLength(1);
});

it("returns 404 for an unknown link", async () => {
  expect((await rejection(`/impression/nosuch1ink?cost_id=${ID}`)).status).toBe(404);
  expect((await rejection("/impression/")).status).toBe(404);
});

it("returns the GIF if recording fails, and records again when the database recovers", async () => {
  await view("impression-warm-1");
  const { database, calls } = failingDatabase(() => true);
  const response = await view(ID, { env: { DB: database } });
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/gif"]);
  expect(calls()).toBe(1);
  expect(await recorded()).toEqual([]);
  expect((await call(`/impression/${DEMO.linkToken}?cost_id=${ID}`)).status).toBe(200);
  expect(await recorded()).toHaveLength(1);
});
