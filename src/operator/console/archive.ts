/** The console's page of the archive: finds a cost that was purged, and says in words what counted. */
import { html } from "hono/html";
import type { FoundCost } from "../../db/archive/find.ts";
import { listPartnerNames } from "../../db/operator/partners.ts";
import { showInvisible } from "../../domain/characters.ts";
import { dayOf } from "../../domain/time.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { parseOrThrow } from "../../http/input/parse.ts";
import { priceText } from "../../pages/costs/cost-types.ts";
import { card, facts, notice, pageHead } from "../../pages/elements.ts";
import type { Option } from "../../pages/forms/fields.ts";
import { type Fields, form } from "../../pages/forms/form.ts";
import { describeDay } from "../../pages/locale.ts";
import { type Markup, time } from "../../pages/markup.ts";
import { archiveQuery, readArchived } from "../api/archive.ts";
import type { Show } from "./layout.ts";

const fieldsOf = (partners: { id: number; name: string }[]) =>
  ({
    partner_id: { label: "Partner", options: partners.map(({ id, name }): Option => [String(id), name]) },
    cost_id: { label: "Cost ID", required: true },
    day: {
      label: "Day",
      type: "date",
      hint: "Optional. The day of the call, the click or the impression, in UTC",
    },
  }) satisfies Fields;
const NAMES = Object.keys(fieldsOf([]));

export const archivePage: Show = async (context, rejected) => {
  const asked = context.url.searchParams;
  const isSearch = !rejected && NAMES.some((name) => asked.get(name));
  const [partners, result] = await Promise.all([
    listPartnerNames(context.env.DB),
    isSearch && context.ledger.archive ? find(context) : undefined,
  ]);
  const search = form(
    {
      method: "get",
      action: "/operator/archive",
      fields: fieldsOf(partners),
      values: Object.fromEntries(asked),
      button: "Find cost",
    },
    rejected,
  );
  return {
    section: "Archive",
    body: html`
      ${pageHead("Archive")}
      <p class="lead">Find a cost that the hourly job has deleted, and see what counted. <a href="/docs/archive">What is archived</a></p>
      ${context.ledger.archive ? "" : NO_ARCHIVE}
      ${card({ id: "find", title: "Find an archived cost" }, search)}
      ${result instanceof AppError ? problem(result) : (result ?? []).map(proof)}`,
  };
};

async function find(context: Context): Promise<FoundCost[] | AppError> {
  const asked = context.url.searchParams;
  const sent = NAMES.flatMap((name) => (asked.get(name) ? [[name, asked.get(name)?.trim()]] : []));
  try {
    return await readArchived(context, parseOrThrow(archiveQuery, Object.fromEntries(sent)));
  } catch (error) {
    if (error instanceof AppError && error.code !== "invalid_request") return error;
    throw error;
  }
}

const NO_ARCHIVE = notice(
  html`<strong>No archive is bound.</strong> Nothing that the purge deletes is kept. <a href="/docs/archive">How to bind a bucket</a>`,
  "warn",
);

const problem = ({ code, message }: AppError): Markup =>
  notice(message, code === "not_found" ? "" : "error", { announced: true });

type Engagement = NonNullable<FoundCost["click"]>;

function proof(cost: FoundCost, index: number): Markup {
  const { call, click, impression, replaced_at, expired_at } = cost;
  const received = call?.received_at
    ? html`${time(call.received_at)}: ${call.cost_type}, ${price(call)}, tag ${showInvisible(call.tag ?? "")}`
    : "No cost was sent";
  return card(
    {
      id: `found-${index + 1}`,
      title: html`${replaced_at ? "Replaced cost" : "Cost"} <code>${showInvisible(cost.cost_id)}</code>`,
    },
    facts(
      ["Counted", counted(cost)],
      ["Cost received", received],
      cost.void_state !== null && ["Void", voided(cost)],
      ["Click", engagement(click)],
      ["Impression", engagement(impression)],
      [
        "Left the ledger",
        replaced_at
          ? html`Replaced by another cost, ${time(replaced_at)}`
          : html`Expired, ${time(expired_at)}`,
      ],
      ["Object", html`<code>${cost.object}</code>`],
    ),
  );
}

function counted({ counts, replaced_at }: FoundCost): Markup | string {
  if (replaced_at) return "Nothing. Another cost with this ID replaced it";
  if (counts.length === 0) return "Nothing";
  return html`${counts.map(
    (one) =>
      html`<div>${price(one)}, ${one.cost_type}, ${describeDay(dayOf(Date.parse(one.day)))}, ${
        one.app_token
          ? html`app <code>${one.app_token}</code>, link <code>${one.link_token ?? ""}</code>, ${one.source === "url" ? "by the price on its URL" : `matched with the ${one.kind}`}`
          : "pending: it never matched a click or impression, so it counted for no app"
      }</div>`,
  )}`;
}

function voided({ void_state, call }: FoundCost): string {
  if (void_state === "lifted") return "An earlier cost with this ID was voided. This one replaced it";
  return call ? `Voided. It removed ${call.cost_type}, ${price(call)}` : "Voided";
}

function engagement(at: Engagement | null): Markup | string {
  if (!at) return "None";
  const { url_price: url } = at;
  return html`${time(at.occurred_at)}, app <code>${at.app_token}</code>, link <code>${at.link_token ?? ""}</code>, cost data ${at.cost_data_enabled ? "on" : "off"}${
    url
      ? html`, price on the URL: ${url.cost_type ?? "no type"}, ${price(url)}, ${url.counts ? "which can count by itself" : "which does not count by itself"}`
      : ""
  }`;
}

const price = ({ currency, ...cost }: Record<"cost_type" | "currency" | "amount", string | null>) =>
  priceText({ ...cost, cost_currency: currency });
