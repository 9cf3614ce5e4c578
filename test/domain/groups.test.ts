/** The table of the groups of reports: what the compiler cannot hold. Each group is shown in workspace/performance.test.ts. */
import { describe, expect, it } from "vitest";
import {
  daysOf,
  fieldNames,
  fieldsOf,
  filterOf,
  GROUPS,
  keyOf,
  NUMBER_FIELDS,
  REPORT_GROUPS,
} from "../../src/domain/figures/groups.ts";

const names = Object.keys(GROUPS) as (keyof typeof GROUPS)[];
/** 2026-01-29, a Thursday, to 2026-03-15, a Sunday. */
const DAYS = { from: 20482, to: 20527 };
const SUM = {
  day: DAYS.from,
  partnerId: 3,
  partnerName: "Acme Ads",
  linkToken: "demo1nk001",
  linkLabel: "Acme",
  linkName: "Acme",
  costType: "cpc",
  kind: "click",
  country: "DE",
  platform: "ios",
};
const NOTHING = { day: null, partnerId: 0, country: null, platform: null };

describe("groups of reports", () => {
  it("are each in a report", () => {
    expect(
      names.filter(
        (name) =>
          !Object.values(REPORT_GROUPS)
            .flat()
            .includes(name as never),
      ),
    ).toEqual([]);
  });

  it("identify a row by a field that no other group has", () => {
    const first = names.map((name) => fieldNames([name])[0]);
    expect(new Set(first).size).toBe(names.length);
  });

  it("name a row by one of its fields", () => {
    expect(names.filter((name) => !fieldNames([name]).includes(GROUPS[name].name as never))).toEqual([]);
  });

  it("list the fields whose values are numbers, and give a value for each field", () => {
    const fields = Object.entries(fieldsOf(names, DAYS)(SUM));
    expect(fields.filter(([, value]) => value === null)).toEqual([]);
    expect(fields.flatMap(([name, value]) => (typeof value === "number" ? [name] : [])).sort()).toEqual(
      [...NUMBER_FIELDS].sort(),
    );
  });

  it("know why no costs can arrive for a link, by its nearest switch and its partner, and for a partner", () => {
    const partners = new Map([
      [1, { supportsCostData: 1, stoppedAt: null }],
      [2, { supportsCostData: 1, stoppedAt: 1 }],
      [3, { supportsCostData: 0, stoppedAt: null }],
    ]);
    const ofLink = [1, 0, null, undefined].map((costSwitch) =>
      [1, 2, 3, 0].map((partnerId) =>
        GROUPS.link.whyNoCosts({ ...SUM, costSwitch: costSwitch as number, partnerId }, partners),
      ),
    );
    const none = [undefined, undefined, undefined, undefined];
    const off = ["off", "stopped", "not_yet", "no_partner"];
    expect(ofLink).toEqual([none, off, off, none]);
    const ofPartner = [1, 2, 3, 0].map((partnerId) =>
      GROUPS.partner.whyNoCosts({ ...SUM, partnerId }, partners),
    );
    expect(ofPartner).toEqual([undefined, "stopped", "not_yet", undefined]);
  });

  it("have the total and what has no such thing in a row without a key", () => {
    expect(keyOf(undefined, DAYS)(SUM)).toBe("");
    for (const name of ["link", "partner", "cost_type", "country", "platform"] as const)
      expect([name, keyOf(name, DAYS)(NOTHING)]).toEqual([name, ""]);
  });

  it.each(names.flatMap((name) => (daysOf(name) ? [name] : [])))(
    "by %s have each day in one row, which knows its days",
    (name) => {
      const keyIn = keyOf(name, DAYS);
      for (let day = DAYS.from; day <= DAYS.to; day++) {
        const key = keyIn({ ...SUM, day });
        const own = daysOf(name)?.(key) ?? { from: 0, to: -1 };
        expect(own.from <= day && day <= own.to).toBe(true);
        for (const edge of [own.from, own.to]) expect(keyIn({ ...SUM, day: edge })).toBe(key);
        for (const other of [own.from - 1, own.to + 1]) expect(keyIn({ ...SUM, day: other })).not.toBe(key);
      }
      expect(filterOf(name)).toBeUndefined();
    },
  );
});
