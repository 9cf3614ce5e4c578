/** Tests a link without opening it: what a click would record, where each device goes, and which parameters are dropped. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { type CheckedEngagement, checkEngagement } from "../../db/ledger/engagement-check.ts";
import { readSums } from "../../db/ledger/reports/sums.ts";
import type { Partner } from "../../db/links/partner-catalog.ts";
import { COST_TYPE, toTypes } from "../../domain/cost-types.ts";
import type { OpenedLink } from "../../domain/costs.ts";
import { chooseTarget, TARGET_PARAMETERS } from "../../domain/engagements/click-target.ts";
import { DROP_REASONS, LEVEL_PARAMETERS } from "../../domain/engagements/sub-links.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import { formatAmount } from "../../domain/money.ts";
import { COST_WINDOW, listOf } from "../../domain/texts.ts";
import { dayOf } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { readInput } from "../../http/input/input.ts";
import { priceText } from "../../pages/costs/cost-types.ts";
import { type Fact, facts, nameText, notice, pageHead, pathText } from "../../pages/elements.ts";
import { errorSummary, rejectedWith } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import { table } from "../../pages/lists/table.ts";
import { describeTime, showCount, showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import {
  type Opening,
  readPersonal,
  readPlaceholder,
  readReported,
} from "../../usecases/engagements/read.ts";
import {
  MAX_TESTED,
  readTestedUrl,
  sampleUrl,
  type TestedUrl,
} from "../../usecases/engagements/tested-url.ts";
import { type EditedLink, linkTrail, readLink } from "../edit/edited-link.ts";
import { authorizeApp, type Member, type Show } from "../frame.ts";
import { workspaceScript } from "../script.ts";
import { type Counts, countsText, partnerOf } from "./cells.ts";
import { DEVICES } from "./target.ts";

/** Any text, so that the page can say beside the field what is wrong with it. */
const testQuery = z.strictObject({ url: z.optional(z.string()) });

export const linkTestPage: Show = async (context, member) => {
  const { query } = await readInput(context, { query: testQuery });
  const [edited, today] = await Promise.all([readLink(context, member), readToday(context, member)]);
  const { row, link, path } = edited;
  const text = query.url ?? sampleUrl(link.click_url, crypto.randomUUID());
  const tested = text.length > MAX_TESTED ? undefined : readTestedUrl(text, row.token, context);
  const message = text.length > MAX_TESTED ? tooLong(text) : WRONG_URL;
  const rejected = tested
    ? undefined
    : rejectedWith([{ param: "url", message }], new URLSearchParams({ url: text }));
  const entry = form(
    {
      method: "get",
      action: `${path}/test`,
      id: "test-url",
      fields: {
        url: {
          label: "Click or impression URL",
          subject: "The URL",
          rows: 3,
          required: true,
          hint: "Paste one as the network sends it, to see what is wrong with it.",
        },
      },
      values: { url: text },
      button: "Test URL",
      kind: "secondary",
    },
    rejected,
  );
  return {
    title: `${rejected ? "Error: " : ""}Test ${row.label}`,
    scripts: [workspaceScript.href],
    ...(rejected && { status: 400 }),
    body: html`
      ${linkTrail(member, row, "Test")}
      ${pageHead(html`Test ${nameText(row.label)}`)}
      <div id="test" data-test>
        ${rejected ? errorSummary(rejected, html`<strong>Not tested.</strong> Fix the error below and try again.`) : ""}
        ${tested ? await result(context, edited, tested, { today, isSample: query.url === undefined }) : ""}
        <section class="card" aria-label="Test another URL">
          ${entry}
          <p class="actions"><button type="button" class="secondary" data-close-test hidden>Close test</button></p>
        </section>
      </div>`,
  };
};

const WRONG_URL = "must be the click URL or the impression URL of this link, with its parameters";
const tooLong = ({ length }: string) =>
  `has ${showCount(length)} characters; it can have at most ${showCount(MAX_TESTED)}`;

/** The clicks and impressions of today on the link and below it. */
async function readToday({ ledger, now, params }: Context, { viewer, app }: Member) {
  const today = dayOf(now);
  const found = await readSums(ledger, {
    whose: { viewer, appToken: app.token },
    filters: { link: params.link_token ?? "" },
    parts: { counts: { report: "engagements", from: today, to: today, groups: ["kind"] } },
    canBeCut: true,
  });
  authorizeApp(found.access);
  return found.rowsOf("counts");
}

async function result(
  context: Context,
  { row, destination, partners }: EditedLink,
  tested: TestedUrl,
  { today, isSample }: { today: Counts; isSample: boolean },
): Promise<Markup> {
  const { kind, isServer, url } = tested;
  const opening: Opening = { ...context, url };
  const opened = (isServer ? readReported : readPersonal)(opening, row.token, kind);
  const check = expectDefined(await checkEngagement(context.ledger, opened, context.now));
  const targets = DEVICES.map(([name, platform]) => ({
    name,
    ...chooseTarget(destination, {
      query: url.searchParams,
      ownTarget: row.target ?? row.inheritedTarget ?? "",
      platform,
      valueFor: (placeholder) =>
        readPlaceholder(opening, row.token, placeholder, { country: opened.country, platform }),
    }),
  }));
  const leads: Fact[] =
    kind === "impression"
      ? [["Response", isServer ? "JSON, for a server" : "A transparent image of 1 × 1 pixel"]]
      : isServer
        ? [["Response", "JSON, for a server: nobody is redirected"]]
        : targets.map(({ name, url }): Fact => [name, html`<code>${url}</code>`]);
  const skipped = kind === "click" && !isServer ? targets.flatMap(({ notAllowed }) => notAllowed) : [];
  const partner = partners.get(check.partnerId ?? 0) ?? partnerOf(row, partners);
  return html`
    <section class="card" aria-labelledby="test-result">
      <h2 id="test-result" tabindex="-1">Test result</h2>
      ${notice("This is a test: nothing was recorded.")}
      ${isSample && url.search !== "" ? html`<p class="hint">For the click URL with a test cost ID, if its template has one. Other macros were left empty.</p>` : ""}
      ${row.archived ? notice("This link is archived. It still redirects and counts clicks and impressions.", "warn") : ""}
      ${facts(
        [
          "Would be recorded",
          html`${kind === "click" ? "A click" : "An impression"} on ${pathText([...check.names, ...check.created])}${check.created.length > 0 ? `, which creates ${showPlural(check.created.length, "sub-link")}` : ""}`,
        ],
        ["Recorded today so far", countsText(today)],
        ...leads,
        ["Can a cost match?", canMatch(check, opened, partner)],
        opened.urlAmount !== null && opened.urlCurrency !== null && opened.urlCostType !== null
          ? ["Price on the URL", describePrice(check, opened)]
          : false,
      )}
      ${ignored(check, opened, url, skipped)}
    </section>`;
}

/** Whether a cost could match this click or impression, and if not, why. */
function canMatch(
  { costId, earlierAt, hasCostData, dropped }: CheckedEngagement,
  { kind, costId: sent, isGenerated }: OpenedLink,
  partner: Partner | undefined,
): string {
  if (!partner) return "No: the link has no partner.";
  const { displayName } = partner;
  if (partner.stoppedAt !== null) return `No: ${displayName} is stopped.`;
  if (!partner.supportsCostData) return `No: ${displayName} has no cost data yet.`;
  if (!hasCostData) return "No: cost data is off on this link.";
  if (isGenerated && costId !== null) return "No: without a cost ID, only the price on the URL counts.";
  if (dropped.some(([parameter]) => parameter === "cost_id")) return "No: the cost ID is dropped.";
  if (costId === null || sent === null) return "No: the URL has no cost ID.";
  if (earlierAt !== null)
    return `No: ${kind === "click" ? "a click" : "an impression"} of ${describeTime(earlierAt)} has this cost ID, and the first one counts.`;
  const types = toTypes(partner.integratedTypes).filter((type) => COST_TYPE[type].fits.includes(kind));
  if (types.length === 0)
    return `No: no cost type of ${displayName} fits ${kind === "click" ? "a click" : "an impression"}.`;
  return `Yes: a cost of ${displayName} with this cost ID and the type ${listOf(types, "or")}, within ${COST_WINDOW}.`;
}

function describePrice({ priceCounts }: CheckedEngagement, opened: OpenedLink): string {
  const { urlCostType: cost_type, urlCurrency: cost_currency, urlAmount } = opened;
  const price = priceText({ cost_type, cost_currency, amount: formatAmount(urlAmount ?? 0) });
  return priceCounts
    ? `${price}, ${cost_type}: counts as a cost, unless a call with the same cost ID replaces it.`
    : `${price}, ${cost_type}: doesn't count. Cost data must be on, the type live, cost_amount in the partner's cost parameters, and the amount within the partner's limit.`;
}

interface IgnoredRow {
  name: string;
  value: string;
  reason: string;
}

const ALWAYS_READ = new Set<string>([
  ...["cost_id", "cost_type", "cost_currency", "cost_amount", "s2s"],
  ...LEVEL_PARAMETERS,
]);
const READ_FROM_SERVERS = ["country", "platform", "os_name", "user_agent"];
const MOST_ROWS = 50;

function ignored(check: CheckedEngagement, { kind }: OpenedLink, url: URL, skipped: string[]): Markup {
  const { searchParams } = url;
  const isServer = searchParams.get("s2s") === "1";
  const toRow = (name: string, reason: string): IgnoredRow => ({
    name,
    value: searchParams.getAll(name).join(", "),
    reason,
  });
  const rows = [
    ...check.dropped.map(([name, reason]) => toRow(name, DROP_REASONS[reason])),
    ...[...new Set(skipped)].map((name) => toRow(name, DROP_REASONS.not_allowed)),
    ...check.unread.notInTemplate.map((name) =>
      toRow(name, check.partnerId === null ? NO_PARTNER : NOT_IN_TEMPLATE),
    ),
    ...check.unread.notBelow.map((name) => toRow(name, "The link is at this level or below it.")),
  ];
  const known = new Set([
    ...ALWAYS_READ,
    ...(isServer ? READ_FROM_SERVERS : []),
    ...(kind === "click" && !isServer ? TARGET_PARAMETERS : []),
  ]);
  const others = [...new Set(searchParams.keys())].filter((name) => !known.has(name));
  return html`
    <h3>Dropped URL parameters</h3>
    ${table<IgnoredRow>({
      label: "Dropped URL parameters",
      rows: rows.slice(0, MOST_ROWS),
      empty: html`<p>None.</p>`,
      columns: [
        { heading: "Parameter", cell: ({ name }) => html`<code>${name}</code>` },
        { heading: "Value", cell: ({ value }) => html`<code>${value.slice(0, 100)}</code>` },
        { heading: "Reason", cell: ({ reason }) => reason },
      ],
    })}
    ${others.length > 0 ? html`<p class="hint">Not parameters of linkledger: ${others.slice(0, MOST_ROWS).map((name, at) => html`${at > 0 ? ", " : ""}<code>${name}</code>`)}. They are only used where the target names them in braces.</p>` : ""}`;
}

const NOT_IN_TEMPLATE = "The partner's template doesn't have this parameter.";
const NO_PARTNER = "Only a partner's template can name sub-links, and the link has no partner.";
