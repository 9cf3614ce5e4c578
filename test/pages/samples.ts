/** Every element of `src/pages/` in every state, with the names that customers have. The tests read it, and a browser shows it. */
import { html } from "hono/html";
import { AppError } from "../../src/errors.ts";
import * as elements from "../../src/pages/elements.ts";
import { errorSummary, RejectedForm } from "../../src/pages/forms/fields.ts";
import { confirmation, form } from "../../src/pages/forms/form.ts";
import { filterForm, filterSelect, pager } from "../../src/pages/lists/controls.ts";
import { firstRows, table } from "../../src/pages/lists/table.ts";
import type { Markup } from "../../src/pages/markup.ts";
import { moneyText } from "../../src/pages/money.ts";

const LONG = "ThisNameWasWrittenWithoutAnySpaceAndIsLongerThanEveryColumnOfATable";
export const NAMES = [
  "Acme Ads",
  LONG,
  "شبكة الإعلانات",
  "רשת פרסום",
  "広告ネットワーク",
  "Ads 🚀 & <b>Co</b>",
];
const URL_HERE = new URL("https://linkledger.test/apps/demoapp00001/links?q=one&rows=100");

interface Row {
  name: string;
  spend: string;
  day: string;
}

const rows = NAMES.map((name, index): Row => ({ name, spend: `$${index + 1},910.41`, day: "23 Nov 2026" }));
const columns = [
  { heading: "Partner", href: "?sort=name", cell: ({ name }: Row) => elements.nameText(name) },
  {
    heading: "Spend",
    kind: "number" as const,
    href: "?sort=-spend",
    sorted: "descending" as const,
    cell: ({ spend }: Row) => spend,
  },
  { heading: "Day", kind: "day" as const, cell: ({ day }: Row) => day },
  {
    heading: "Action",
    kind: "action" as const,
    cell: ({ name }: Row) =>
      elements.copyMenu(
        name,
        [["click URL", `https://linkledger.test/${name}`]],
        [html`<a href="?settings">Settings</a>`],
      ),
  },
];

const FIELDS = {
  name: { label: "Name", required: true, maxlength: 255, hint: "Up to 255 characters" },
  day: { label: "Day", type: "date" as const },
  currency: { label: "Currency", suggestions: [["USD", "US dollar"]] as [string, string][] },
  note: { label: "Note", rows: 3 },
  partner_id: {
    label: "Partner",
    options: [
      ["", "None"],
      ["1", LONG],
    ] as [string, string][],
    hint: "Inherited by sub-links",
  },
  server_to_server: { label: "Server to server", box: true as const },
  cost_types: {
    label: "Cost types",
    checks: [
      ["cpc", "cpc"],
      ["cpm", "cpm"],
    ] as [string, string][],
  },
};
const rejected = () =>
  new RejectedForm(
    new AppError("invalid_request", "2 errors", {
      errors: [
        { param: "name", message: "is required" },
        { param: "cost_types", message: "needs at least one" },
      ],
    }),
    new URLSearchParams({ name: "", day: "2026-11-23", partner_id: "1" }),
  );

/** By the name of the element and its state. */
export function samples(): [name: string, markup: Markup | string][] {
  const again = rejected();
  const shownAgain = form(
    { id: "again", action: "/sample", fields: FIELDS, button: "Create link", cancel: "/back" },
    again,
  );
  return [
    ["heading", elements.pageHead(html`Links of ${elements.nameText(LONG)}`, elements.badge("Live", "ok"))],
    [
      "breadcrumb",
      elements.breadcrumb(
        [
          ["Links", "/links"],
          [NAMES[2] ?? "", "/links/1"],
        ],
        LONG,
      ),
    ],
    ["path", html`<p>${elements.pathText(NAMES)}</p>`],
    [
      "badges",
      html`<p>${(["", "ok", "warn", "error"] as const).map((tone) => elements.badge(tone || "plain", tone))}</p>`,
    ],
    [
      "tiles",
      elements.tiles("Figures", [
        {
          name: "Spend in USD",
          value: moneyText(1_791_041_000_001n, "USD"),
          href: "?metric=spend",
          note: "▲ 3.3%",
          isCurrent: true,
        },
        { name: "Clicks", value: "105,632" },
        { name: "Spend in JPY", value: "¥22,338,088" },
      ]),
    ],
    [
      "choices",
      elements.choices("Group by", [
        ["Partner", "?by=partner", true],
        ["Day", "?by=day", false],
      ]),
    ],
    [
      "chips",
      elements.chips(
        [
          ["Partner: Acme", "?"],
          [`Link: ${LONG}`, "?"],
        ],
        "?",
      ),
    ],
    [
      "notice after an action",
      elements.notice("Link archived.", "ok", {
        announced: true,
        action: form({
          action: "/undo",
          button: "Undo",
          kind: "small secondary",
          hidden: { archived: "no" },
        }),
      }),
    ],
    ["notice", elements.notice("Cost data is on, but the partner has no cost data yet.", "warn")],
    [
      "card",
      elements.card(
        { id: "card", title: "Costs by type", aside: html`<a href="?">Show all</a>` },
        elements.facts(["Type", "cpc"], false, ["Amount", "$0.25"]),
      ),
    ],
    [
      "dangerous card",
      elements.card(
        { id: "stop", title: "Stop partner", kind: "danger" },
        confirmation({
          action: "/stop",
          summary: "Stop accepting costs",
          explanation: "New costs are rejected.",
          button: "Stop accepting costs",
          isOpen: true,
        }),
      ),
    ],
    [
      "empty state",
      elements.emptyState("No links yet", "Create one.", elements.buttonLink("/new", "Create link", "")),
    ],
    ["text to copy", elements.copyable("secret", "tok_123456789", "token")],
    [
      "table",
      table({
        label: "Partners",
        columns,
        rows,
        total: { name: "Total", spend: "$17,910.41", day: "" },
        layout: "figures-in-row",
        idOf: ({ name }) => (name === LONG ? "long" : undefined),
      }),
    ],
    [
      "table with a row that spans it",
      table({
        label: "More",
        columns,
        rows: rows.slice(0, 2),
        spanOf: ({ name }) => (name === LONG ? html`<a href="?">Show 50 more</a>` : undefined),
        classOf: () => "level-2",
      }),
    ],
    [
      "table without rows",
      table({ label: "Nothing", columns, rows: [], empty: html`<p class="muted">No partners yet.</p>` }),
    ],
    [
      "long table",
      html`<div>${
        firstRows(
          URL_HERE,
          Array.from({ length: 120 }, (_, index) => index),
        ).more
      }</div>`,
    ],
    [
      "filters",
      filterForm(
        {
          action: "/list",
          noun: "links",
          search: { name: "q", label: "Search links", value: LONG },
          clear: "/list",
        },
        filterSelect(
          "state",
          "State",
          [
            ["", "Any state"],
            ["on", "On"],
          ],
          "on",
        ),
      ),
    ],
    ["pages of a list", pager("?page=1", "?page=3")],
    [
      "form",
      form({
        action: "/sample",
        fields: FIELDS,
        values: { name: "Acme", server_to_server: true, cost_types: ["cpc"], note: "" },
        hidden: { seen: "1" },
        button: "Save changes",
      }),
    ],
    ["rejected form", html`${errorSummary(again)}${shownAgain}`],
  ];
}
