/** Rejected costs one by one, and what is known of an ID that has no accepted cost. */
import { html } from "hono/html";
import { showInvisible } from "../../domain/characters.ts";
import type { RejectionCode } from "../../domain/matching.ts";
import { listOf } from "../../domain/texts.ts";
import { toIso } from "../../domain/time.ts";
import { ERRORS } from "../../errors.ts";
import { KEPT_REJECTIONS, type RejectionItem } from "../../usecases/costs/rejection-item.ts";
import { type Expected, toRejections, type Unaccepted } from "../../usecases/costs/unaccepted.ts";
import { card, facts, notice } from "../elements.ts";
import { type Column, table } from "../lists/table.ts";
import { type Markup, time } from "../markup.ts";

/** Why a cost was rejected. */
export const reasonLink = (code: string): Markup =>
  html`<a href="/docs/errors#${code}">${ERRORS[code as RejectionCode].title}</a>`;

const REASON: Column<RejectionItem> = {
  heading: "Reason",
  cell: ({ code, params }) =>
    html`${reasonLink(code)}${params.length > 0 ? html` <span class="muted">${params.join(", ")}</span>` : ""}`,
};
const SENT: Column<RejectionItem> = { heading: "Sent", cell: ({ rejected_at }) => time(rejected_at) };

/** Rejected costs, the newest first. `href` leads to the page of an ID, if there is one. */
export function rejectionTable(
  label: string,
  rows: RejectionItem[],
  empty: Markup,
  href: (costId: string) => string,
): Markup | string {
  const id = (costId: string | null) =>
    costId
      ? html`<a href="${href(costId)}"><code>${showInvisible(costId)}</code></a>`
      : html`<span class="muted">None</span>`;
  const columns: Column<RejectionItem>[] = [
    { heading: "Cost ID", cell: ({ cost_id }) => id(cost_id) },
    REASON,
    SENT,
    { heading: "Tag", cell: ({ tag }) => showInvisible(tag ?? "") },
  ];
  return table({ label, hasHeading: true, columns, rows, empty });
}

const EXPECTED: Partial<Record<Expected, string>> = {
  matched: "Accepted, and it matches",
  pending: "Accepted, and it waits for another click or impression",
};

/** The rejected costs with one ID. */
export const rejectionsOfId = (rows: RejectionItem[]): Markup =>
  card(
    { id: "rejections", title: "Rejected costs with this ID" },
    table({
      label: "Rejected costs with this ID",
      columns: [SENT, REASON],
      rows,
      empty: html`<p class="muted">None. ${KEPT_REJECTIONS}</p>`,
    }),
  );

/** In the place of a cost: when costs with the ID were rejected, what has the ID, and what a cost would get now. */
export function unacceptedCards(whoHas: string, unaccepted: Unaccepted): Markup {
  const { engagements, expected } = unaccepted;
  const rejections = toRejections(unaccepted);
  const { click, impression } = engagements;
  const byAnswer = [...Map.groupBy(expected, ({ answer }) => answer)];
  return html`
    ${notice(`${whoHas} no accepted cost with this ID.`, "warn")}
    ${rejectionsOfId(rejections)}
    ${
      click || impression
        ? card(
            { id: "recorded", title: "Click or impression with this ID" },
            facts(
              click !== undefined && ["Click", time(toIso(click.occurredAt))],
              impression !== undefined && ["Impression", time(toIso(impression.occurredAt))],
            ),
            byAnswer.length === 0 ? "" : html`<h3>A cost for it would now be</h3>`,
            byAnswer.length === 0
              ? ""
              : facts(
                  ...byAnswer.map(([answer, same]): [string, Markup] => [
                    listOf(
                      same.map(({ costType }) => costType),
                      "and",
                    ),
                    html`${EXPECTED[answer] ?? html`Rejected: ${reasonLink(answer)}`}`,
                  ]),
                ),
          )
        : ""
    }`;
}
