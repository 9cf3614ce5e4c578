/** What a change does to links, or did, as rows of a table, and the button that undoes it. */
import { html } from "hono/html";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { LinkSettings } from "../../db/links/updates.ts";
import { form } from "../../pages/forms/form.ts";
import { showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import type { Outcome } from "../../pages/uploads/rows.ts";
import { namesOf, type StoredLink } from "../../usecases/links/link.ts";
import { describeRejection } from "../../usecases/links/path-rows.ts";
import type { UpdateResult } from "../../usecases/links/updates.ts";
import type { Member } from "../frame.ts";
import { partnerOf } from "../links/cells.ts";

export const countLinks = (links: number) => showPlural(links, "link", "links");

/** Undoes what a request changed. `what` says more to people who hear the button. */
export const undoForm = (
  { path }: Pick<Member, "path">,
  request: string,
  text = "Undo",
  what: Markup | "" = "",
): Markup =>
  form({
    action: `${path}/links/undo`,
    hidden: { change: request },
    button: html`${text}${what && html`<span class="visually-hidden"> ${what}</span>`}`,
    kind: "small secondary",
  });

/** `done`: the state of a link that is changed. */
export function toOutcome(
  result: UpdateResult,
  partners: Partners,
  done: "ready" | "imported",
  number = 0,
  notes: string[] = [],
): Outcome {
  const { before, after, isChanged, rejection } = result;
  const state = rejection ? "rejected" : isChanged ? done : "duplicate";
  const change = isChanged ? describeChange(before, after, partners) : "";
  const detail = [rejection ? explain(result) : change, ...notes].filter(Boolean).join(" ");
  const name = namesOf(before).join(" > ");
  const cells = [number, name, WORDS[state], before.token, detail];
  return { number, name, key: before.token, state, isChange: true, detail, cells };
}

export function unknownLink(token: string, number = 0): Outcome {
  const detail = "This app has no link with this token.";
  return { number, name: token, state: "rejected", detail, cells: [number, token, "rejected", null, detail] };
}

/** What the rows of a file of results say. */
const WORDS = { ready: "ready", imported: "changed", duplicate: "same", rejected: "rejected" };

/** Why cost data cannot be on. */
export const noSupport = (name: string) =>
  `${name} has no cost data yet. Ask your operator for an integration round.`;

/** Why a link is not changed. */
export function explain({ rejection, targetError, partner }: UpdateResult): string {
  if (targetError)
    return targetError.code === "limit_reached" ? targetError.message : describeRejection(targetError);
  if (rejection === "unknown_partner") return "This partner doesn't exist. Choose another one.";
  if (partner) return noSupport(partner.displayName);
  return "Cost data needs a partner that supports it, on this link or above it.";
}

const describeTarget = ({ target }: StoredLink) =>
  target === null ? "inherited" : target === "" ? "the app's URLs" : target;

const onOff = (isOn: boolean) => (isOn ? "on" : "off");

/** What differs between two states of a link, as sentences. */
export function describeChange(before: StoredLink, after: StoredLink, partners: Partners): string {
  const nameOf = (link: StoredLink) => partnerOf(link, partners)?.displayName ?? "none";
  const isOn = (link: StoredLink) =>
    (link.costSwitch ?? link.inheritedSwitch) === 1 && partnerOf(link, partners)?.supportsCostData === 1;
  const ownOrNot = ({ partnerId }: StoredLink) => (partnerId === null ? " (inherited)" : " (own)");
  const showPartner = (link: StoredLink) =>
    `${nameOf(link)}${nameOf(before) === nameOf(after) ? ownOrNot(link) : ""}`;
  // The review may change the link above too, so it says what that has now. A network inherits nothing.
  const settingOf = ({ level, costSwitch, inheritedSwitch }: StoredLink) => {
    if (level === 1) return onOff(costSwitch === 1);
    return costSwitch === null
      ? `inherited (${onOff(inheritedSwitch === 1)} now)`
      : `own (${onOff(costSwitch === 1)})`;
  };
  const [from, to] = [before, after].map((link) =>
    before.costSwitch === after.costSwitch ? onOff(isOn(link)) : settingOf(link),
  );
  const differs = (setting: keyof LinkSettings) => before[setting] !== after[setting];
  const sentences: Record<keyof LinkSettings, string | false> = {
    label: differs("label") && `Name: ${before.label} → ${after.label}.`,
    archived: differs("archived") && `Archived: ${after.archived ? "no → yes" : "yes → no"}.`,
    partnerId: differs("partnerId") && `Partner: ${showPartner(before)} → ${showPartner(after)}.`,
    costSwitch: from !== to && `Cost data: ${from} → ${to}.`,
    target: differs("target") && `Target: ${describeTarget(before)} → ${describeTarget(after)}.`,
  };
  return Object.values(sentences).filter(Boolean).join(" ") || "It gets this setting as its own.";
}
