/** The address of the spend before the workspace had it. */
import { beforeAll, expect, it } from "vitest";
import { call, DEMO, freshDemo } from "../harness.ts";

beforeAll(freshDemo);

it.each([
  ["", ""],
  ["?from=2026-03-09&to=2026-03-15&group_by=day", "?from=2026-03-09&to=2026-03-15"],
])("redirects to the spend of the workspace, for the same days: %s", async (query, kept) => {
  const { status, headers } = await call(`/account/apps/${DEMO.appToken}/spend.csv${query}`);
  expect([status, headers.get("location")]).toEqual([303, `/apps/${DEMO.appToken}/performance${kept}`]);
});

it("never redirects to another origin", async () => {
  const { headers } = await call("/account/apps/..%2F..%2F%5Cevil.example/spend.csv");
  expect(headers.get("location")).toBe("/apps/..%2F..%2F%5Cevil.example/performance");
});
