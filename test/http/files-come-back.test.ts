/**
 * Every file that leaves by a page or an API that also takes one comes back unchanged, whatever its cells are: links, costs, clicks
 * without a cost, and results.
 */
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { findUnusable } from "../../src/domain/macros.ts";
import { fromCell } from "../../src/http/csv.ts";
import { type CsvTable, readTable } from "../../src/http/input/table.ts";
import { TABLE as COSTS } from "../../src/usecases/costs/batch.ts";
import { TABLE as LINKS } from "../../src/workspace/transfer/import-rows.ts";
import { signedIn as memberSignedIn } from "../account/support.ts";
import { ask, call, click, DEMO, freshDemo, rows } from "../harness.ts";
import { runs } from "../part.ts";
import { downloadOf, type PartnerBrowser, signedIn, tableOf } from "../partner/support.ts";
import { freshLedger, inLedger } from "../support.ts";
import { outcomesOf, upload } from "../workspace/files.ts";
import { APP } from "../workspace/page-text.ts";

const part = fc.constantFrom(
  ...[
    "'",
    "''",
    '"',
    "=",
    "+",
    "-",
    "@",
    "＝",
    "－",
    ";",
    ",",
    "|",
    ">",
    " ",
    "\u00a0",
    "%",
    "&",
    "<b>",
    "a",
    "1",
    "é",
    "😀",
  ],
  ...["=1+1", "'=1", ";=", "sep=;", "=HYPERLINK(1)"],
);
const anyText = (min: number, max: number) =>
  fc
    .array(part, { minLength: 1, maxLength: 20 })
    .map((parts) => parts.join("").trim().slice(0, max))
    .filter((text) => text.trim() === text && text.isWellFormed() && text.length >= min);
/** Also those that a reader would take for a formula that keeps an ID as text. */
const anyId = fc
  .tuple(anyText(1, 100), fc.constantFrom("", '"'))
  .map(([text, end]) => `${end && '="'}${text}1234567890ab${end}`)
  .filter((id) => findUnusable(id, "cost_id") === undefined);
const anyIds = fc.uniqueArray(anyId, { minLength: 5, maxLength: 15 });

/** The file as an editor saves it after it added columns with these values to each row. */
function withColumns(file: string, added: Record<string, string>): string {
  const [header = [], ...lines] = parse(file, { bom: true }) as string[][];
  const toLine = (cells: string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(";");
  const table = [
    [...header, ...Object.keys(added)],
    ...lines.map((line) => [...line, ...Object.values(added)]),
  ];
  return `\ufeff${table.map(toLine).join("\r\n")}\r\n`;
}
const COST = { cost_type: "cpc", cost_currency: "USD", tag: "come back" };

describe("a file of costs", () => {
  let browser: PartnerBrowser;
  beforeEach(freshDemo);
  const fresh = async () => {
    await freshLedger();
    await inLedger("DELETE FROM ledger_entries");
    browser = await signedIn();
  };
  const asCsv = { "content-type": "text/csv", accept: "text/csv" };
  const file = async (path: string) =>
    new TextDecoder().decode(await (await call(path, { headers: { cookie: browser.cookie } })).arrayBuffer());
  const batch = async (body: string) =>
    (await call("/cost/batch", { token: DEMO.costToken, body, headers: asCsv })).text();
  const send = (ids: string[], tags: string[]) =>
    ask<{ results: { cost_id: string; status: string }[] }>("/cost/batch", {
      token: DEMO.costToken,
      json: {
        costs: ids.map((cost_id, index) => ({
          ...COST,
          cost_id,
          cost_amount: "0.25",
          tag: tags[index] ?? "t",
        })),
      },
    });
  const stored = async () => {
    const all = await rows("SELECT * FROM costs ORDER BY cost_id");
    return JSON.stringify(all);
  };
  const statesOf = (page: Parameters<typeof tableOf>[0]) =>
    new Set(tableOf(page).map(([, , state]) => state));
  const some = { ids: anyIds, tags: fc.array(anyText(1, 128), { minLength: 15, maxLength: 15 }) };

  it("of the pages is recognized, and so is the file with the results", async () => {
    await fc.assert(
      fc.asyncProperty(some.ids, some.tags, async (ids, tags) => {
        await fresh();
        expect((await send(ids, tags)).body.results.filter(({ status }) => status !== "ok")).toEqual([]);
        const before = await stored();
        const checked = await browser.upload(await file("/partner/costs.csv"));
        expect([tableOf(checked).length, statesOf(checked)]).toEqual([ids.length, new Set(["duplicate"])]);
        const again = await browser.upload(withColumns(downloadOf(checked), COST));
        expect([tableOf(again).length, statesOf(again)]).toEqual([ids.length, new Set(["duplicate"])]);
        expect(await stored()).toBe(before);
      }),
      runs(100, 5),
    );
  });

  it("of the clicks without a cost becomes their costs", async () => {
    await fc.assert(
      fc.asyncProperty(some.ids, async (ids) => {
        await fresh();
        for (const id of ids) await click(id);
        const sent = withColumns(await file("/partner/missing.csv"), { ...COST, cost_amount: "0.25" });
        const result = await browser.confirm(await browser.upload(sent));
        expect(tableOf(result).map(([, , state, match]) => [state, match])).toEqual(
          ids.map(() => ["imported", "matched"]),
        );
        expect((await rows("SELECT cost_id FROM costs")).map(({ cost_id }) => cost_id).sort()).toEqual(
          ids.toSorted(),
        );
        expect(parse(await file("/partner/missing.csv"), { bom: true })).toHaveLength(1);
      }),
      runs(60, 3),
    );
  });

  it("of the API, which has values as they were sent, is recognized; an ID that a reader of CSV changes cannot be sent in it", async () => {
    await fc.assert(
      fc.asyncProperty(some.ids, some.tags, async (all, tags) => {
        await fresh();
        const ids = all.filter((id) => fromCell(id) === id);
        if (ids.length === 0) return;
        const sent = await send(ids, tags);
        expect(sent.body.results.map(({ cost_id }) => cost_id)).toEqual(ids);
        const before = await stored();
        const listed = await call("/cost?limit=1000", { token: DEMO.costToken, headers: asCsv });
        const results = await batch(await listed.text());
        const lines = parse(results, { columns: true }) as Record<string, string>[];
        expect(lines.map(({ cost_id }) => cost_id).sort()).toEqual(ids.toSorted());
        const again = parse(await batch(withColumns(results, COST)), { columns: true }) as typeof lines;
        for (const { status, duplicate } of [...lines, ...again])
          expect([status, duplicate]).toEqual(["ok", "true"]);
        expect(again.map(({ cost_id }) => cost_id).sort()).toEqual(ids.toSorted());
        expect(await stored()).toBe(before);
      }),
      runs(100, 5),
    );
  });
});

it("a file of links changes nothing and has no difference", async () => {
  await freshDemo();
  const browser = await memberSignedIn();
  const anyName = anyText(1, 60).filter((name) => !name.includes("::"));
  await fc.assert(
    fc.asyncProperty(fc.array(anyName, { minLength: 5, maxLength: 20 }), async (names) => {
      await rows("DELETE FROM links WHERE token LIKE 'back%'");
      for (const [index, name] of names.entries())
        await rows(
          "INSERT INTO links (token, app_token, parent_id, level, label, created_at) VALUES (?, ?, 1, 2, ?, 0)",
          `back${index}`,
          DEMO.appToken,
          name,
        );
      const exported = (await browser.get(`${APP}/links.csv`)).text;
      const read = readTable(exported.replace(/^\ufeff/, ""), LINKS, []) ?? [];
      const found = read.map(({ item }) => item as Record<string, string>);
      expect(
        found
          .filter(({ link_token = "" }) => link_token.startsWith("back"))
          .map(({ campaign }) => campaign)
          .sort(),
      ).toEqual(names.toSorted());
      const states = outcomesOf(await upload(browser, exported)).map(([, , state, detail]) => [
        state,
        detail,
      ]);
      expect(states).toEqual(found.map(() => ["same", ""]));
    }),
    runs(60, 3),
  );
});

const TABLES: [string, CsvTable][] = [
  ["costs", COSTS],
  ["links", LINKS],
];
it.each(TABLES)(
  "the columns of a file of %s that are not read are none that it reads",
  (_, { row, unread = [] }) => {
    expect(unread.filter((name) => Object.hasOwn(row.shape, name))).toEqual([]);
  },
);
