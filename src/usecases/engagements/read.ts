/** Reads what the URL of a click or an impression says, for recording it and for showing what would be recorded. */

import * as z from "zod/mini";
import { engagementTimes } from "../../db/isolate-memory.ts";
import { COST_TYPE, type Kind } from "../../domain/cost-types.ts";
import type { OpenedLink } from "../../domain/costs.ts";
import {
  type Audience,
  COUNTRY_CODES,
  UNKNOWN_COUNTRY,
  UNKNOWN_PLATFORM,
} from "../../domain/engagements/audience.ts";
import { platformOf, toPlatform } from "../../domain/engagements/click-target.ts";
import { generateId } from "../../domain/engagements/generated-ids.ts";
import { type DropReason, LEVEL_PARAMETERS } from "../../domain/engagements/sub-links.ts";
import { findUnusable, toMacro, toOtherForm } from "../../domain/macros.ts";
import type { Context } from "../../env.ts";
import {
  amount,
  costId,
  costType,
  countryCode,
  currency,
  platformName,
  readAs,
} from "../../http/input/fields.ts";
import { type Pair, readPairs } from "../../http/input/pairs.ts";
import { createLinkToken, linkName } from "../links/link-name.ts";

/** The request that opens a link. */
export type Opening = Pick<Context, "url" | "now" | "request">;

/** Reads an engagement of a person. `notAllowed` has the parameters that named a target to which the app does not lead. */
export function readPersonal(
  opening: Opening,
  linkToken: string,
  kind: Kind,
  notAllowed: string[] = [],
): OpenedLink {
  const audience = readAudience(opening.request);
  const dropped = notAllowed.map((name): Drop => [name, "not_allowed"]);
  return readOpened(opening, linkToken, kind, () => ({ audience, dropped }));
}

/** Reads an engagement that a server reports. */
export const readReported = (opening: Opening, linkToken: string, kind: Kind): OpenedLink =>
  readOpened(opening, linkToken, kind, readReportedAudience);

function readAudience({ headers, cf }: Request): Audience {
  const country = String(cf?.country);
  return {
    country: COUNTRY_CODES.has(country) ? country : UNKNOWN_COUNTRY,
    platform: platformOf(headers.get("user-agent") ?? ""),
  };
}

/**
 * What a click of a person has for a placeholder of its target: a parameter as its URL has it. Undefined if it is missing, there twice
 * with different values, not UTF-8, or an unfilled macro.
 */
export function readPlaceholder(
  { url, request }: Opening,
  linkToken: string,
  name: string,
  { country, platform } = readAudience(request),
): string | undefined {
  if (name === "link_token") return linkToken;
  if (name === "platform") return platform;
  if (name === "country") return country === UNKNOWN_COUNTRY ? undefined : country;
  const found = readPairs(url.search.slice(1)).filter((pair) => pair.name === name);
  const values = new Set(found.map(({ value }) => value.trim()));
  values.delete("");
  const [value] = values;
  if (found.some(({ isUtf8 }) => !isUtf8)) return undefined;
  const place = name === "cost_id" ? "cost_id" : "name";
  const isUsable =
    value !== undefined && values.size === 1 && findUnusable(value, place) !== "unfilled_macro";
  return isUsable ? value : undefined;
}

/** A name of `PLATFORMS` as devices and servers write it, with or without a version. */
const osName = z.pipe(z.string().check(z.overwrite(toPlatform)), platformName);
const userAgent = readAs(z.string(), platformOf);

/** The address of a server says nothing about the person, so the URL names the country and the platform. */
function readReportedAudience(pairs: Pair[]): { audience: Audience; dropped: Drop[] } {
  const country = readParameter(pairs, "country", countryCode);
  const named = pairs.map((pair) => (pair.name === "os_name" ? { ...pair, name: "platform" } : pair));
  const platform = readParameter(named, "platform", osName);
  const isNamed = platform.value !== null || platform.reason !== null;
  const agent = isNamed ? NOTHING : readParameter(pairs, "user_agent", userAgent);
  const isOther = valuesOf(pairs, "platform").length === 0 && valuesOf(pairs, "os_name").length > 0;
  const sent = isOther ? "os_name" : "platform";
  return {
    audience: {
      country: country.value ?? UNKNOWN_COUNTRY,
      platform: platform.value ?? agent.value ?? UNKNOWN_PLATFORM,
    },
    dropped: [...dropOf("country", country), ...dropOf(sent, platform), ...dropOf("user_agent", agent)],
  };
}

/**
 * The time of an engagement with an ID. One with the time of the kept one is taken for the same, delivered again, so the others of a
 * millisecond are a millisecond later.
 */
function timeOf(key: string, now: number): number {
  if (engagementTimes.get(key, now) === now) return now + 1;
  engagementTimes.set(key, now, now);
  return now;
}

/** Reads the parameters of the URL (spec §2.2). Invalid ones never fail a click: they are dropped, each with a reason. */
function readOpened(
  { url, now }: Opening,
  linkToken: string,
  kind: Kind,
  audienceOf: typeof readReportedAudience,
): OpenedLink {
  const pairs = readPairs(url.search.slice(1));
  const { audience, dropped: droppedAudience } = audienceOf(pairs);
  const id = readParameter(pairs, "cost_id", costId);
  const isIdDropped = id.value === null && pairs.some(({ name }) => /^(amp;)?cost_id$/.test(name));
  const { price, dropped, macros } = isIdDropped ? dropPrice(pairs) : readPrice(pairs, kind);
  const hasPrice = Object.values(price).every((value) => value !== null);
  return {
    linkToken,
    kind,
    occurredAt: id.value === null ? now : timeOf(`${kind} ${id.value}`, now),
    costId: id.value ?? (hasPrice ? generateId(now, crypto.randomUUID()) : null),
    isGenerated: id.value === null,
    ...price,
    subLinks: LEVEL_PARAMETERS.map((parameter) => {
      const { value, reason } = readParameter(pairs, parameter, linkName);
      return { name: value, reason, token: value === null ? "" : createLinkToken() };
    }),
    dropped: [...dropOf("cost_id", id), ...dropped, ...droppedAudience],
    ...listOtherForms(pairs, macros),
    ...audience,
  };
}

const COMPARED = new Set(["cost_id", ...LEVEL_PARAMETERS]);

/** Values can be macros of a form that nobody listed, which only the partner's template tells. */
function listOtherForms(pairs: Pair[], macros: [string, string][] = []): Pick<OpenedLink, "otherForms"> {
  const found = pairs.flatMap(({ name, value }): [string, string][] => {
    const other = COMPARED.has(name) ? toOtherForm(value) : null;
    return other === null ? [] : [[name, other]];
  });
  const all = [...found, ...macros];
  return all.length === 0 ? {} : { otherForms: Object.fromEntries(all) };
}

type Drop = OpenedLink["dropped"][number];
const dropOf = (parameter: string, { reason }: { reason: DropReason | null }): Drop[] =>
  reason ? [[parameter, reason]] : [];
type Price = Pick<OpenedLink, "urlCostType" | "urlCurrency" | "urlAmount">;

const NO_PRICE: Price = { urlCostType: null, urlCurrency: null, urlAmount: null };

interface SentPrice {
  price: Price;
  dropped: Drop[];
  /** Parameters that are dropped too: as unfilled macros if the partner's templates have these values, else as invalid. */
  macros?: [string, string][];
}

/** The parameters of a price. One that is invalid drops all of the price. */
function readPrice(pairs: Pair[], kind: Kind): SentPrice {
  const type = readParameter(pairs, "cost_type", costType);
  const urlCurrency = readParameter(pairs, "cost_currency", currency);
  const urlAmount = readParameter(pairs, "cost_amount", amount);
  const fits = type.value === null || COST_TYPE[type.value].fits.includes(kind);
  const reasons = {
    cost_type: fits ? type.reason : "invalid",
    cost_currency: urlCurrency.reason,
    cost_amount: urlAmount.reason,
  } as const;
  const rejected = Object.entries(reasons).flatMap(([parameter, reason]): Drop[] =>
    reason ? [[parameter, reason]] : [],
  );
  const macros = rejected.flatMap(([parameter, reason]): [string, string][] => {
    const macro = reason === "invalid" ? toMacro(valuesOf(pairs, parameter)[0]?.value ?? "") : null;
    return macro === null ? [] : [[parameter, macro]];
  });
  const dropped = rejected.filter(([parameter]) => !macros.some(([name]) => name === parameter));
  const price = { urlCostType: type.value, urlCurrency: urlCurrency.value, urlAmount: urlAmount.value };
  return { price: rejected.length > 0 ? NO_PRICE : price, dropped, macros };
}

/** Of a URL whose cost ID cannot be used. With a generated ID, its price would count again with each click. */
function dropPrice(pairs: Pair[]): SentPrice {
  const dropped = ["cost_type", "cost_currency", "cost_amount"]
    .filter((parameter) => valuesOf(pairs, parameter).length > 0)
    .map((parameter): Drop => [parameter, "cost_id_dropped"]);
  return { price: NO_PRICE, dropped };
}

/** The values of a parameter that are not empty. */
const valuesOf = (pairs: Pair[], parameter: string) =>
  pairs.filter(({ name, value, isUtf8 }) => name === parameter && (value !== "" || !isUtf8));

const NOTHING = { value: null, reason: null };

/** The valid value of a parameter, or why it cannot be used. An empty parameter is like a missing one. */
function readParameter<T>(pairs: Pair[], parameter: string, field: z.ZodMiniType<T, string>) {
  const found = valuesOf(pairs, parameter);
  const reject = (reason: DropReason) => ({ value: null, reason });
  if (found.length === 0) return valuesOf(pairs, `amp;${parameter}`).length > 0 ? reject("escaped") : NOTHING;
  if (found.some(({ isUtf8 }) => !isUtf8)) return reject("invalid");
  const place = parameter === "cost_id" ? "cost_id" : "name";
  const unusable = found.map(({ value }) => findUnusable(value, place)).find((reason) => reason);
  if (unusable) return reject(unusable);
  const parsed = found.map(({ value }) => z.safeParse(field, value));
  const values = new Set(parsed.map((result) => (result.success ? result.data : undefined)));
  const [value] = values;
  if (values.has(undefined) || value === undefined) return reject("invalid");
  return values.size > 1 ? reject("repeated") : { value, reason: null };
}
