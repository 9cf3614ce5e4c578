/** `/partner` with a test credential: three steps to the first match of each cost type, marked from what the round has. */
import { html } from "hono/html";
import { findStart } from "../db/operator/rounds/rounds.ts";
import { COST_TYPE } from "../domain/cost-types.ts";
import { dayOf, formatDate } from "../domain/time.ts";
import type { Context } from "../env.ts";
import { AppError } from "../errors.ts";
import { costId } from "../http/input/fields.ts";
import { operatorContact } from "../pages/contact.ts";
import { costTypeName } from "../pages/costs/cost-types.ts";
import { countOpen } from "../pages/costs/rounds.ts";
import { roundBadge } from "../pages/costs/states.ts";
import { badge, buttonLink, card, nameText, pageHead } from "../pages/elements.ts";
import { table } from "../pages/lists/table.ts";
import { showPlural } from "../pages/locale.ts";
import type { Markup } from "../pages/markup.ts";
import type { RoundWithReport, TypeItem } from "../usecases/rounds/serialize.ts";
import { toRoundWithReport } from "../usecases/rounds/serialize.ts";
import { command, openCommand, sendCommand, type Trial } from "./commands.ts";
import type { Show } from "./frame.ts";

export const showStart: Show = async (context, partner, caller) => {
  const { credential, found, link, urlCurrency } = await findStart(
    context.ledger,
    caller.tokenHash,
    partner.partnerId,
    context.now,
  );
  caller.authorize(credential);
  if (!found) throw new AppError("not_found", "This test credential has no round.");
  const round = toRoundWithReport(found);
  const costId = readCostId(context);
  const next = round.report.types.find(({ matched }) => matched === 0);
  return {
    title: "Overview",
    body: html`
      ${pageHead(nameText(partner.displayName), roundBadge(round.state, round.report.passed))}
      <p class="lead">You test ${round.cost_types.map((type) => html`${costTypeName(type)} `)}in <a href="/partner/round">round ${round.id}</a>. What you send with a test credential never counts as spend.</p>
      ${round.state === "open" ? steps(context, round, { type: next ?? round.report.types[0], link, costId, currency: urlCurrency ?? "USD" }) : ended(context, round)}
      ${typesCard(round)}`,
  };
};

/** The ID of the commands stays the same when the page is opened again to check. */
function readCostId({ url, now }: Context): string {
  const asked = url.searchParams.get("cost_id") ?? "";
  return SHELL_SAFE.test(asked) && costId.safeParse(asked).success
    ? asked
    : `test-${formatDate(dayOf(now)).replaceAll("-", "")}-${crypto.randomUUID().slice(0, 8)}`;
}

const SHELL_SAFE = /^[A-Za-z0-9-]{1,64}$/;

function ended({ env }: Context, round: RoundWithReport): Markup {
  return card(
    { id: "next", title: "Next step" },
    html`<p>${
      round.state === "approved"
        ? html`The round was approved. Sign in with your live credential, and send your costs with it. If you don't have one, ask ${operatorContact(env)} for it.`
        : html`The round was closed, so nothing more can be sent with this credential. Ask ${operatorContact(env)} for another round.`
    }</p>`,
  );
}

interface Shown {
  type: TypeItem | undefined;
  link: string | undefined;
  costId: string;
  currency: string;
}

function steps(
  { env, url }: Context,
  round: RoundWithReport,
  { type, link, costId, currency }: Shown,
): Markup | "" {
  if (!type) return "";
  const [kind] = COST_TYPE[type.cost_type].fits;
  const name = kind === "click" ? "a click" : "an impression";
  const trial: Trial = {
    origin: url.origin,
    costType: type.cost_type,
    currency,
    costId,
    link: link ?? "$LINK_TOKEN",
  };
  const open = countOpen(round.report);
  return html`
    ${card(
      { id: "next", title: html`Send your first ${type.cost_type} cost` },
      html`<p>Put your test credential in <code>COST_TOKEN</code>${link === undefined ? html`, and the token of a link that is attached to you in <code>LINK_TOKEN</code>. Ask ${operatorContact(env)} for a test link` : ""}. The commands have a new cost ID each time you open this page.</p>`,
      html`<ol class="steps">
        ${step(
          isRecorded(type),
          `Record ${name}`,
          html`<p>Your link, opened with a cost ID.</p>${command(openCommand(trial), `record ${name}`)}`,
        )}
        ${step(isReceived(type), "Send its cost", html`<p>With the same cost ID.</p>${command(sendCommand(trial), "send the cost")}`)}
        ${step(
          type.matched > 0,
          "See the match",
          html`<p>${type.matched > 0 ? html`${showPlural(type.matched, "cost has", "costs have")} matched.` : html`The match appears here when the cost matches its ${kind}.`} ${open > 0 ? html`<a href="/partner/round">${showPlural(open, "mismatch", "mismatches")}</a> to fix.` : ""}</p>
            <p class="actions">${buttonLink(`/partner?cost_id=${costId}`, "Check again")} <a href="/partner/costs">Show test costs</a></p>`,
        )}
      </ol>`,
    )}`;
}

const step = (isDone: boolean, title: string, body: Markup): Markup =>
  html`<li><h3>${title} ${isDone ? badge("Done", "ok") : ""}</h3>${body}</li>`;

/** Whether the round has a click or impression that the type is about. */
const isRecorded = ({ rates }: TypeItem) => (rates.recorded ?? 0) > 0;

/** Whether a cost of the type was sent, right or wrong. */
const isReceived = ({ matched, counts }: TypeItem) =>
  matched > 0 ||
  Object.entries(counts).some(([kind, count]) => kind !== "engagement_without_cost" && count > 0);

function typesCard(round: RoundWithReport): Markup {
  const result = (type: TypeItem) => {
    if (type.passed) return badge("Passes", "ok");
    return type.open_mismatches > 0
      ? html`<a href="/partner/round#type-${type.cost_type}">${showPlural(type.open_mismatches, "mismatch", "mismatches")}</a>`
      : html`<span class="muted">Nothing yet</span>`;
  };
  return card(
    { id: "types", title: "Cost types", aside: html`<a href="/partner/round">Show the report</a>` },
    table({
      label: "Results by cost type",
      layout: "compact",
      rows: round.report.types,
      columns: [
        { heading: "Cost type", cell: (type) => costTypeName(type.cost_type) },
        { heading: "Matched", kind: "number", cell: (type) => String(type.matched) },
        { heading: "Result", cell: result },
      ],
    }),
  );
}
