/** One change of several links: what is asked for, and what it does to each of them. */
import * as z from "zod/mini";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { idText, readAs } from "../../http/input/fields.ts";
import type { StoredLink } from "../../usecases/links/link.ts";
import type { LinkUpdate, SeenLinks, UpdateResult } from "../../usecases/links/updates.ts";
import { noSupport } from "../edit/choice.ts";
import { partnerOf } from "../links/cells.ts";
import { MAX_CHANGED, MAX_SELECTED, selectedLinks } from "../links/query.ts";
import { ACTIONS, type Action } from "./selection.ts";

export const bulkFields = {
  action: z.enum(Object.keys(ACTIONS) as Action[], "must be one of the list"),
  partner: z.optional(idText),
  links: selectedLinks(MAX_SELECTED),
  back: z._default(z.string(), ""),
};

/** The own partner and switch of a link as the review showed them: `demo1nk001.1.0`; `-` is none. */
const SEEN = /^([0-9a-z]+)\.(-|[1-9]\d{0,14})\.(-|[01])$/i;

/** Links are separated by commas. Without it, nothing was seen: to archive and to restore need no comparison. */
const seenLinks = readAs(z.string(), (value, reject) => {
  const seen: SeenLinks = {};
  for (const part of value.split(",")) {
    const [, token, partner = "", costSwitch = ""] = SEEN.exec(part) ?? [];
    if (token === undefined) {
      reject("must be what the review showed; review the change again");
      break;
    }
    seen[token] = { partnerId: toNumber(partner), costSwitch: toNumber(costSwitch) };
  }
  return seen;
});
const toNumber = (text: string) => (text === "-" ? null : Number(text));

/** More links than can be selected one by one: Undo names those that a change of all matches changed. */
export const bulkForm = z.object({
  ...bulkFields,
  links: selectedLinks(MAX_CHANGED),
  seen: z.optional(seenLinks),
  matched: z._default(z.string(), ""),
});

type Seen = Pick<StoredLink, "token" | "partnerId" | "costSwitch">;

/** To archive and to restore need no comparison. */
export const needsSeen = ({ action }: Pick<Bulk, "action">) => action !== "archive" && action !== "restore";

export const showSeen = (links: Seen[]): string =>
  links.map(({ token, partnerId, costSwitch }) => `${token}.${partnerId ?? "-"}.${costSwitch ?? "-"}`).join();

export const toSeen = (links: Seen[]): SeenLinks =>
  Object.fromEntries(links.map(({ token, partnerId, costSwitch }) => [token, { partnerId, costSwitch }]));

export type Bulk = z.output<z.ZodMiniObject<typeof bulkFields>>;

export function toUpdate({ action, partner }: Pick<Bulk, "action" | "partner">): LinkUpdate {
  switch (action) {
    case "archive":
      return { archived: true };
    case "restore":
      return { archived: false };
    case "attach":
      // 0 is no partner, so every link is rejected.
      return { partner_id: partner ?? 0 };
    case "detach":
      return { partner_id: null };
    case "cost-on":
      return { cost_data_enabled: true };
    case "cost-off":
      return { cost_data_enabled: false };
    case "cost-inherit":
      return { cost_data_enabled: null };
  }
}

/** The query of the pages about a change. */
export function bulkQuery({ action, partner, links, back }: Bulk, more: Record<string, string> = {}): string {
  return String(
    new URLSearchParams({
      action,
      ...(partner !== undefined && { partner: String(partner) }),
      links: String(links),
      back,
      ...more,
    }),
  );
}

/** Why a link is not changed. */
export function explain({ before, rejection }: UpdateResult, partners: Partners): string {
  if (rejection === "unknown_partner") return "This partner doesn't exist.";
  const partner = partnerOf(before, partners);
  return partner
    ? noSupport(partner.displayName)
    : "This link has no partner. Attach one that supports cost data.";
}

const describeTarget = ({ target }: StoredLink) =>
  target === null ? "inherited" : target === "" ? "the app's URLs" : target;

const onOff = (isOn: boolean) => (isOn ? "on" : "off");

/** What differs between two states of a link, as sentences. */
export function describeChange(before: StoredLink, after: StoredLink, partners: Partners): string {
  const nameOf = (link: StoredLink) => partnerOf(link, partners)?.displayName ?? "none";
  const isOn = (link: StoredLink) =>
    (link.costSwitch ?? link.inheritedSwitch) === 1 && partnerOf(link, partners)?.supportsCostData === 1;
  const parts: string[] = [];
  if (before.archived !== after.archived)
    parts.push(`Archived: ${after.archived ? "no → yes" : "yes → no"}.`);
  if (before.partnerId !== after.partnerId) {
    const isSame = nameOf(before) === nameOf(after);
    const [from, to] = [before, after].map((link) =>
      isSame ? `${nameOf(link)} (${link.partnerId === null ? "same as parent" : "own"})` : nameOf(link),
    );
    parts.push(`Partner: ${from} → ${to}.`);
  }
  // The review may change the link above too, so it says what that has now. A network inherits nothing.
  const settingOf = ({ level, costSwitch, inheritedSwitch }: StoredLink) => {
    if (level === 1) return onOff(costSwitch === 1);
    return costSwitch === null
      ? `same as parent (${onOff(inheritedSwitch === 1)} now)`
      : `own (${onOff(costSwitch === 1)})`;
  };
  const [from, to] = [before, after].map((link) =>
    before.costSwitch === after.costSwitch ? onOff(isOn(link)) : settingOf(link),
  );
  if (from !== to) parts.push(`Cost data: ${from} → ${to}.`);
  if (before.target !== after.target)
    parts.push(`Target: ${describeTarget(before)} → ${describeTarget(after)}.`);
  return parts.join(" ") || "It gets this setting as its own.";
}
