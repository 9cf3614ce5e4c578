/** Which values are macros that nobody filled, and which are placeholders. The forms are those of networks that were seen. */
import { expect, it } from "vitest";
import { findUnusable, isTemplateMacro, toComparable } from "../../src/domain/macros.ts";

it.each([
  "{click_id}",
  "{null}",
  "{{ad.id}}",
  "click-{id}-0001",
  "$\u007bAUCTION_ID}",
  "%{click_id}",
  "{@a.b@}",
  "%%CLICK_URL_ESC%%",
  "%7Bclick_id%7D",
  "%257bclick_id%257d",
  "%25257bclick_id%25257d",
  "%25%25CLICK%25%25",
  "__CLICK_ID__",
  "__click-id__",
  "__AID__NAME__",
  "%5F%5FAID%5F%5F",
  "$CLICK_ID$",
  "$$CLICK_ID$$",
  "<click_id>",
  "%3Cclick_id%3E",
  "%CLICK_ID%",
  "[CLICK_ID]",
  "[click]",
  "[[click]]",
  " {click_id} ",
])("%s is a macro, as a name and as a cost ID", (value) => {
  expect([findUnusable(value, "name"), findUnusable(value, "cost_id")]).toEqual([
    "unfilled_macro",
    "unfilled_macro",
  ]);
  expect(isTemplateMacro(value)).toBe(true);
});

it.each([
  "#CLICK_ID#",
  "!CLICK_ID!",
  "@CLICK_ID@",
  "(click_id)",
  "acme_[CLICK_ID]",
  "[CLICK]-[SITE]",
  "__CLICKID__-0001",
  "acme-__CLICKID__",
])("%s is a macro as a cost ID only", (value) => {
  expect([findUnusable(value, "name"), findUnusable(value, "cost_id")]).toEqual([
    undefined,
    "unfilled_macro",
  ]);
});

it.each([
  "[iOS] Brand [US]",
  "[Search] [Brand] [DE]",
  "US_[Prospecting]_2026",
  "[Brand campaign]",
  "#SALE#",
  "!SALE!",
  "Q4__BRAND__US",
  "US__IOS__PROSPECTING",
  "100% off",
  "50%-70%",
  "$100",
  "<b>x</b>",
  "A: B",
  "",
  "{",
  "}x{",
  "%%",
  "____",
  "[]",
  "$$$",
])("%s is a name", (value) => {
  expect(findUnusable(value, "name")).toBeUndefined();
});

it.each([
  "acme__US__12345678",
  "[abc]-123456-[x]",
  "abc[X]-123456",
  "user@mail@host-01",
  "__11__-00000001",
  "-Rt_uVw-0000001",
  "abc%2Bdef%3D%3D1",
  "00000000-0000-0000-0000-000000000000-com.app",
  "00000000-0000-0000-0000-000000000001",
  "null-0001-null",
  "nonempty-none-1",
])("%s is a cost ID", (value) => {
  expect(findUnusable(value, "cost_id")).toBeUndefined();
});

it.each([
  "00000000-0000-0000-0000-000000000000",
  "00000000000000000000000000000000",
  "null",
  "Undefined",
  "NaN",
  "nil",
  "None",
  "(null)",
  "(none)",
  "(not set)",
  "%28null%29",
  "undefined-undefined",
  "null_null_null",
  "null:none.nil",
  "null_00000000-0000-0000-0000-000000000000",
  "[object Object]",
])("%s is a placeholder", (value) => {
  expect(findUnusable(value, "name")).toBe("placeholder");
  expect(findUnusable(value, "cost_id")).toBe("placeholder");
});

it.each([
  "undefinedundefined",
  "null null null",
  "<nil>-<nil>",
  '"null","null"',
  "000000000000",
  "0000-0000-0000",
  "null0",
])("%s is a placeholder as a cost ID only", (value) => {
  expect([findUnusable(value, "name"), findUnusable(value, "cost_id")]).toEqual([undefined, "placeholder"]);
});

it.each(["0,25", "12345,67890"])("%s in a template is a literal, and no macro equals it", (value) => {
  expect(isTemplateMacro(value)).toBe(false);
});

it.each(["USD", "cpi", "Brand 2026", "Ünïcode_日本-1.5", "0.25"])(
  "%s in a template is a literal",
  (value) => {
    expect([isTemplateMacro(value), toComparable(value)]).toEqual([false, null]);
  },
);

it("compares a value of an unknown form however often it was encoded", () => {
  const forms = ["*|ID|*", " *|ID|* ", "%2A%7CID%7C%2A", "%252A%257CID%257C%252A"];
  expect(forms.map(toComparable)).toEqual(forms.map(() => "*|ID|*"));
});
