/** One change of several links: what is asked for, and what it does to each of them. */
import * as z from "zod/mini";
import type { Partners } from "../../db/links/partner-catalog.ts";
import { sha256 } from "../../domain/hash.ts";
import { idText, readAs } from "../../http/input/fields.ts";
import { linkTarget, type StoredLink } from "../../usecases/links/link.ts";
import type { LinkUpdate, SeenLinks, UpdateResult } from "../../usecases/links/updates.ts";
import { noSupport } from "../edit/choice.ts";
import { partnerOf } from "../links/cells.ts";
import { MAX_CHANGED, MAX_SELECTED, selectedLinks } from "../links/query.ts";
import { ACTIONS, type Action } from "./selection.ts";

export const bulkFields = {
  action: z.enum(Object.keys(ACTIONS) as Action[], "must be chosen from the list"),
  partner: z.optional(idText),
  target: z._default(linkTarget, ""),
  links: selectedLinks(MAX_SELECTED),
  back: z._default(z.string(), ""),
};

/** The form always sends the field, which only one action uses. */
export const needsTarget = z.refine<Pick<Bulk, "action" | "target">>(
  ({ action, target }) => action !== "target" || target !== "",
  { path: ["target"], message: "must not be empty; enter the URL to which clicks lead" },
);

/** The own partner and switch of a link as the review showed them: `demo1nk001.1.0`; `-` is none. After them a hash of its target, if that changes. */
const SEEN = /^([0-9a-z]+)\.(-|[1-9]\d{0,14})\.(-|[01])(?:\.([0-9a-f]{16}))?$/i;

/** What the review showed of each link. */
interface AllSeen {
  links: SeenLinks;
  /** By token. */
  targets: Map<string, string>;
}

/** Links are separated by commas. Without it, nothing was seen: to archive and to restore need no comparison. */
const seenLinks = readAs(z.string(), (value, reject) => {
  const seen: AllSeen = { links: {}, targets: new Map() };
  for (const part of value.split(",")) {
    const [, token, partner = "", costSwitch = "", target] = SEEN.exec(part) ?? [];
    if (token === undefined) {
      reject("must be what the review showed; review the change again");
      break;
    }
    seen.links[token] = { partnerId: toNumber(partner), costSwitch: toNumber(costSwitch) };
    if (target !== undefined) seen.targets.set(token, target);
  }
  return seen;
});
const toNumber = (text: string) => (text === "-" ? null : Number(text));

/** More links than can be selected one by one: Undo names those that a change of all matches changed. */
export const bulkForm = z
  .object({
    ...bulkFields,
    links: selectedLinks(MAX_CHANGED),
    seen: z.optional(seenLinks),
    matched: z._default(z.string(), ""),
  })
  .check(needsTarget);

type Seen = Pick<StoredLink, "token" | "partnerId" | "costSwitch" | "target">;

/** To archive and to restore need no comparison. */
export const needsSeen = ({ action }: Pick<Bulk, "action">) => action !== "archive" && action !== "restore";

export const showSeen = (links: Seen[], { action }: Pick<Bulk, "action">): string =>
  links
    .map((link) => {
      const settings = `${link.token}.${link.partnerId ?? "-"}.${link.costSwitch ?? "-"}`;
      return action.startsWith("target") ? `${settings}.${hashOf(link)}` : settings;
    })
    .join();

/** An own target can be long, and the form of 200 links cannot. */
const hashOf = ({ target }: Pick<StoredLink, "target">) => sha256(JSON.stringify(target)).slice(0, 16);

/** Whether the target of a link is the one that the review showed. */
export const hasSeenTarget = (link: StoredLink, { targets }: AllSeen): boolean =>
  (targets.get(link.token) ?? hashOf(link)) === hashOf(link);

export const toSeen = (links: Seen[]): AllSeen => ({
  links: Object.fromEntries(
    links.map(({ token, partnerId, costSwitch }) => [token, { partnerId, costSwitch }]),
  ),
  targets: new Map(links.map((link) => [link.token, hashOf(link)])),
});

export type Bulk = z.output<z.ZodMiniObject<typeof bulkFields>>;

export function toUpdate({ action, partner, target }: Bulk): LinkUpdate {
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
    case "target":
      return { target };
    case "target-app":
      return { target: "" };
    case "target-inherit":
      return { target: null };
  }
}

/** The query of the pages about a change. */
export function bulkQuery(
  { action, partner, target, links, back }: Bulk,
  more: Record<string, string> = {},
): string {
  return String(
    new URLSearchParams({
      action,
      ...(partner !== undefined && { partner: String(partner) }),
      ...(action === "target" && { target }),
      links: String(links),
      back,
      ...more,
    }),
  );
}

/** Why a link is not changed. */
export function explain({ before, rejection, targetError }: UpdateResult, partners: Partners): string {
  if (targetError?.code === "limit_reached") return targetError.message;
  if (targetError) return targetError.errors.map(({ message }) => `The target ${message}.`).join(" ");
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
