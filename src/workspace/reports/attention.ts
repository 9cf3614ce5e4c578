/** Names what is missing or wrong in an app, each with a link to where it is fixed. */
import type { Attachment, Dropped } from "../../db/ledger/attention.ts";
import type { RejectedInApp } from "../../db/ledger/rejections.ts";
import type { ReportRow } from "../../db/ledger/reports/sources.ts";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { sumOf } from "../../domain/figures/performance.ts";
import { sumSpend } from "../../domain/money.ts";
import { ERRORS } from "../../errors.ts";
import { describeShortDay, showCount, showList, showPlural } from "../../pages/locale.ts";
import { sumByCode } from "../../usecases/costs/rejections.ts";
import type { Member } from "../frame.ts";
import { type Finding, fixAt, type Named } from "./finding.ts";
import { describeLinks, type Full } from "./full-networks.ts";

/** The key of a finding: its kind, and the ID of its partner or network if it is about one. */
export const KEY =
  /^(?:setup|without|dropped|unpriced|new_links|(?:stopped|silent|rejected|new_links|links):[1-9]\d{0,15})$/;

export interface Partnered {
  partners: Partners;
  attachments: Attachment[];
}

const nameOf = (partners: Partners, id: number) => partners.get(id)?.displayName ?? `Partner ${id}`;

/** The attached partners, with their names and states. */
function toAttached({ attachments, partners }: Partnered) {
  return attachments.map((attachment: Attachment) => {
    const partner = partners.get(attachment.partnerId);
    return {
      ...attachment,
      name: nameOf(partners, attachment.partnerId),
      hasCostData: partner?.supportsCostData === 1,
      isStopped: partner?.stoppedAt != null,
    };
  });
}

const namesOf = (partners: { name: string }[]) => showList(partners.map(({ name }) => name));
const isOrAre = (partners: unknown[], one: string, many: string) => (partners.length === 1 ? one : many);

/** The first condition of spend that an app does not meet. Undefined if only the costs are missing. */
export function missingCondition({ app, path }: Member, view: Partnered): Finding | undefined {
  const attached = toAttached(view);
  const links: Finding["fix"] = ["Go to links", `${path}/links`];
  const key = "setup";
  if (app.linkCount === 0)
    return { key, text: "This app has no links yet. Create a link to start.", fix: links };
  if (attached.length === 0)
    return { key, text: "No link has a partner. Attach a partner to a link.", fix: links };
  const ready = attached.filter(({ hasCostData }) => hasCostData);
  if (ready.length === 0) {
    return {
      key,
      text: `${namesOf(attached)} ${isOrAre(attached, "has", "have")} no cost data yet. Ask your operator to start an integration round.`,
      partners: attached,
      fix: fixAt(path, attached),
    };
  }
  const on = ready.filter(({ costDataOn }) => costDataOn > 0);
  if (on.length === 0)
    return {
      key,
      text: `Cost data is off on the links of ${namesOf(ready)}. Turn it on.`,
      partners: ready,
      fix: ["Show these links", `${path}/links?cost=off`],
    };
  if (on.every(({ isStopped }) => isStopped))
    return {
      key,
      text: `${namesOf(on)} ${isOrAre(on, "is", "are")} stopped, so no costs are accepted.`,
      partners: on,
      fix: fixAt(path, on),
    };
  return undefined;
}

export const NO_COSTS =
  "No cost matched a click or an impression of these days. Costs that are still pending aren't included.";

/** What an overview knows beside its figures. */
export interface Signals extends Partnered, Full {
  unpriced: number;
  /** Of the days of the page and of those before, by partner. */
  spend: ReportRow<"spend">[];
  spendBefore: ReportRow<"spend">[];
  dropped: Dropped[];
  rejected: RejectedInApp[];
  /** The costs and the engagements of the last two days, by partner. */
  recent: { costs: ReportRow<"spend">[]; engagements: ReportRow<"engagements">[] };
  /** Those of the days of the page, by partner and kind. */
  engagements: ReportRow<"engagements">[];
  /** The Partners page with the same days. */
  partnersHref: string;
}

/** What affects the most money comes first, then the most clicks, impressions or costs. */
export function findProblems(member: Member, signals: Signals): Finding[] {
  const { path } = member;
  // Links of an email or a poster never have a partner.
  const missing = signals.attachments.length > 0 ? missingCondition(member, signals) : undefined;
  const found = [
    ...(missing ? [] : describePartners(signals, path)),
    ...describeCosts(signals, path),
    ...describeLinks(signals, path),
  ];
  const shareOf = sharesOf(signals);
  const sorted = found
    .map((one) => ({ ...one, share: shareOf(one) }))
    .toSorted((one, other) => other.share - one.share || (other.count ?? 0) - (one.count ?? 0));
  return missing ? [missing, ...sorted] : sorted;
}

/**
 * What a finding is about, as a part of all spend: its count at the usual price of its partners, or of all if they have no costs. Amounts
 * of several currencies can't be compared, so each currency has the same weight.
 */
function sharesOf({ spend, spendBefore }: Signals): (finding: Finding) => number {
  const rows = [...spend, ...spendBefore];
  const sum = (of: Signals["spend"]) => Number(sumSpend(of));
  const totals = new Map(
    [...Map.groupBy(rows, ({ currency }) => currency)].map(([currency, own]) => [currency, sum(own)]),
  );
  const priceOf = (own: Signals["spend"]) => {
    const matched = sumOf(own, (row) => row.matched);
    const share = own.reduce((all, row) => all + sum([row]) / (totals.get(row.currency) || 1), 0);
    return matched > 0 ? share / matched : undefined;
  };
  return ({ count = 0, partners = [] }) => {
    const isOwn = (id: number | null) => partners.some(({ partnerId }) => partnerId === id);
    const price = priceOf(rows.filter(({ partnerId }) => isOwn(partnerId))) ?? priceOf(rows) ?? 0;
    return partners.length === 0 ? 0 : count * price;
  };
}

/** Partners without costs: each that is stopped or sends none, and those that have no cost data yet together. */
function describePartners(signals: Signals, path: string): Finding[] {
  const attached = toAttached(signals);
  const days = daysOf(signals);
  const clicksOf = (partners: { partnerId: number }[]) =>
    signals.engagements
      .filter(
        ({ partnerId, kind }) => kind === "click" && partners.some((one) => one.partnerId === partnerId),
      )
      .reduce((sum, { count }) => sum + count, 0);
  const stopped = attached.filter(({ isStopped }) => isStopped);
  const without = attached.filter(({ hasCostData, isStopped }) => !hasCostData && !isStopped);
  const silent = attached.filter(
    ({ hasCostData, isStopped, costDataOn }) => hasCostData && !isStopped && costDataOn > 0,
  );
  return [
    ...stopped.map((partner) => ({
      key: `stopped:${partner.partnerId}`,
      text: `${partner.name} is stopped. Its costs are rejected, and its clicks and impressions have cost data off.`,
      count: clicksOf([partner]),
      partners: [partner],
      fix: fixAt(path, [partner], days),
    })),
    ...silent.flatMap((partner) => describeSilence(partner, signals, path)),
    ...(without.length === 0
      ? []
      : [
          {
            key: "without",
            text: describeWithout(without, clicksOf(without)),
            count: clicksOf(without),
            partners: without.slice(0, MOST_NAMES),
            fix: fixAt(path, without, days),
          },
        ]),
  ];
}

/** The query of the days of the page. */
const daysOf = ({ partnersHref }: Signals) => partnersHref.slice(partnersHref.indexOf("?"));

const MOST_NAMES = 3;

/** The first of many names. */
function firstNames(partners: Named[]): string {
  const more = partners.length - MOST_NAMES;
  const names = partners.slice(0, MOST_NAMES).map(({ name }) => name);
  return showList(more > 0 ? [...names, `${showCount(more)} more`] : names);
}

function describeWithout(partners: Named[], clicks: number): string {
  return `${firstNames(partners)} ${isOrAre(partners, "has", "have")} no cost data yet: ${showPlural(clicks, "click")} without a cost.`;
}

function describeCosts(signals: Signals, path: string): Finding[] {
  const { unpriced, dropped } = signals;
  const [worst] = dropped;
  const ofUnpriced = unpricedPartners(signals);
  const count = sumOf(dropped, (link) => link.count);
  return [
    ...describeRejected(signals, path),
    ...(worst
      ? [
          {
            key: "dropped",
            text: `${showCount(count)} URL ${count === 1 ? "parameter was" : "parameters were"} dropped, most of them on “${worst.label}”.`,
            count,
            fix: ["Show the reasons", `${path}/ignored${daysOf(signals)}`] as Finding["fix"],
          },
        ]
      : []),
    ...(unpriced > 0
      ? [
          {
            key: "unpriced",
            text: `${showPlural(unpriced, "cost")} of ${firstNames(ofUnpriced)} ${unpriced === 1 ? "has" : "have"} no amount. Ask ${ofUnpriced.length === 1 ? "the partner" : "the partners"} to resend ${unpriced === 1 ? "it" : "them"}.`,
            count: unpriced,
            partners: ofUnpriced.slice(0, MOST_NAMES),
            fix: fixAt(path, ofUnpriced, daysOf(signals)),
          },
        ]
      : []),
  ];
}

/** The partners with costs that have no amount, those with the most first. */
function unpricedPartners({ spend, partners }: Signals): Named[] {
  const count = (rows: Signals["spend"]) => sumOf(rows, (row) => row.unpriced);
  return [...Map.groupBy(spend, ({ partnerId }) => partnerId ?? 0)]
    .filter(([, rows]) => count(rows) > 0)
    .sort(([, one], [, other]) => count(other) - count(one))
    .map(([partnerId]) => ({ partnerId, name: nameOf(partners, partnerId) }));
}

/** The rejected costs of each partner, with their reasons, the most frequent first. */
function describeRejected({ rejected, partners }: Signals, path: string): Finding[] {
  return [...Map.groupBy(rejected, ({ partnerId }) => partnerId)].map(([id, rows]) => {
    const codes = sumByCode(rows);
    const all = sumOf(codes, ({ count }) => count);
    const name = nameOf(partners, id);
    const reasons = codes.map(({ code, count }) => `${ERRORS[code].title}: ${showCount(count)}.`);
    return {
      key: `rejected:${id}`,
      count: all,
      partners: [{ partnerId: id, name }],
      text: `${showPlural(all, "cost", "costs")} of ${name} ${all === 1 ? "was" : "were"} rejected. ${reasons.join(" ")}`,
      fix: codes.some(({ code }) => code === "cost_data_disabled")
        ? ["Show its links", `${path}/links?partner=${id}`]
        : ["Show rejected costs", `${path}/partners/${id}/rejections`],
    };
  });
}

/** A partner with cost data on whose costs or engagements are missing. */
function describeSilence(
  { partnerId, name }: { partnerId: number; name: string },
  signals: Signals,
  path: string,
): Finding[] {
  const { recent, spend, spendBefore } = signals;
  const isOfPartner = (row: { partnerId: number | null }) => row.partnerId === partnerId;
  const isCost = (row: ReportRow<"spend">) => isOfPartner(row) && row.matched + row.unpriced > 0;
  if (recent.costs.some(isCost)) return [];
  const last = Math.max(...[...spend, ...spendBefore].filter(isCost).map(({ day }) => day ?? 0));
  const after = last > 0 ? ` after ${describeShortDay(last)}` : "";
  const engagements = recent.engagements.filter(isOfPartner);
  const recorded = sumOf(engagements, (row) => row.recorded);
  const count = sumOf(engagements, (row) => row.count);
  const text =
    recorded > 0
      ? `No cost from ${name}${after}, with ${showPlural(recorded, "click or impression", "clicks and impressions")} in two days. Ask the partner.`
      : count > 0
        ? `The latest clicks and impressions of ${name} have no cost ID. Check that the partner uses the URLs of its links.`
        : `No clicks, impressions or costs from ${name} in two days. Check that the partner uses the URLs of its links.`;
  const partners = [{ partnerId, name }];
  return [
    {
      key: `silent:${partnerId}`,
      text,
      count,
      partners,
      fix:
        recorded > 0
          ? fixAt(path, partners, daysOf(signals))
          : ["Show its links", `${path}/links?partner=${partnerId}`],
    },
  ];
}
