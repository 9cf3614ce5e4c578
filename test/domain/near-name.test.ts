/** Names with a typing error, and the name that was meant. */
import { describe, expect, it } from "vitest";
import { findNear } from "../../src/domain/near-name.ts";

const NAMES = [
  "Acme Ads",
  "Acme Ads EU",
  "Beacon Network",
  "Ünit",
  "Delta Reach",
  "Kairos DSP",
  "Kairos RTB",
];

describe("a wrong name is near to", () => {
  it.each([
    ["acme-ads", "Acme Ads"],
    ["Acme Adz", "Acme Ads"],
    ["Acme Asd", "Acme Ads"],
    ["Acme Ad", "Acme Ads"],
    ["Acmee Ads", "Acme Ads"],
    ["Beacon", "Beacon Network"],
    ["BEACON NETWRK", "Beacon Network"],
    ["ünt", "Ünit"],
    ["Kairos", undefined],
    ["Acme Adsxy", undefined],
    ["De", undefined],
    ["", undefined],
    ["Nobody", undefined],
    ["Acme EU", undefined],
  ])("%j: %s", (name, near) => {
    expect(findNear(name, NAMES)).toBe(near);
  });

  it("none of two that are equally near", () => {
    expect(findNear("Kairos DTP", ["Kairos DSP", "Kairos RTP", "Kairos DTS"])).toBeUndefined();
  });
});
