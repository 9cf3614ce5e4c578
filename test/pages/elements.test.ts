/** What people read and reach on the elements of pages. `test/browser/elements.test.ts` shows the same samples in a browser. */
import { expect, it } from "vitest";
import { firstRows, table } from "../../src/pages/lists/table.ts";
import { samples } from "./samples.ts";

const byName = new Map(samples().map(([name, markup]) => [name, String(markup)]));
const sample = (name: string) => byName.get(name) ?? "";
const textOf = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

it("names are isolated for direction and escaped, and never markup", () => {
  for (const [name, markup] of byName) expect(markup, name).not.toContain("<b>Co");
  expect(sample("path")).toContain("<bdi>شبكة الإعلانات</bdi> › <bdi>");
  expect(sample("breadcrumb")).toContain("<bdi>شبكة الإعلانات</bdi>");
});

it("a table has a name, a heading for each column and row, and the heading again in each cell", () => {
  const markup = sample("table");
  expect(markup).toContain('role="region" aria-label="Partners"');
  expect(markup.match(/<th scope="col"/g)).toHaveLength(4);
  expect(markup.match(/<th scope="row"/g)).toHaveLength(7);
  expect(markup.match(/data-label="Spend"/g)).toHaveLength(7);
  expect(markup).toContain(
    '<th scope="col" class="number" aria-sort="descending"><a href="?sort=-spend">Spend',
  );
  expect(textOf(markup)).toContain("Total $17,910.41");
  expect(sample("table with a row that spans it")).toContain('<td colspan="4"><a href="?">Show 50 more</a>');
  expect(textOf(sample("table without rows"))).toBe("No partners yet.");
});

it("a column that is false is left out", () => {
  const markup = String(table({ label: "L", rows: [1], columns: [{ heading: "A", cell: String }, false] }));
  expect(markup.match(/scope="col"/g)).toHaveLength(1);
});

it.each([
  ["", 50, "50 of 1,200"],
  ["?rows=100", 100, "100 of 1,200"],
  ["?rows=49", 50, "50 of 1,200"],
  ["?rows=1.5", 50, "50 of 1,200"],
  ["?rows=100000", 1_000, "1,000 of 1,200"],
])("a long table with the address %s shows %i rows", (search, count, text) => {
  const url = new URL(`https://linkledger.test/page${search}`);
  const all = Array.from({ length: 1_200 }, (_, index) => index);
  const { rows, more } = firstRows(url, all);
  expect(rows).toHaveLength(count);
  expect(textOf(String(more))).toBe(count === 1_000 ? text : `Show 50 more ${text}`);
  if (count < 1_000) expect(String(more)).toContain(`rows=${count + 50}`);
});

it("a table of 50 rows or less has nothing more to show", () => {
  const url = new URL("https://linkledger.test/page");
  expect(firstRows(url, Array.from({ length: 50 }, String)).more).toBe("");
});

it("a form shows its values, and a rejected one what was sent, with an error at each field and in the summary", () => {
  expect(sample("form")).toContain('value="Acme"');
  expect(sample("form")).toContain('name="server_to_server" value="yes" checked');
  expect(sample("form")).toContain('name="seen" value="1"');
  const again = sample("rejected form");
  expect(again).toContain('role="alert" tabindex="-1" autofocus');
  expect(again).toContain('<a href="#again-name">Name is required.</a>');
  expect(again).toContain('<a href="#again-cost_types">Cost types needs at least one.</a>');
  expect(again).toContain('value="2026-11-23"');
  expect(again).toContain('<option value="1" selected');
  expect(again.match(/class="field-error"/g)).toHaveLength(2);
});

it("a notice after an action has the focus and is announced", () => {
  expect(sample("notice after an action")).toContain(
    '<p role="status" tabindex="-1" autofocus>Link archived.',
  );
  expect(sample("notice")).not.toContain("role=");
});

it("every ID is used once", () => {
  const ids = [...byName.values()].flatMap((markup) =>
    [...markup.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id),
  );
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
