/** The fields of the settings of a new link: the partner, the cost switch and the target. */
import { html } from "hono/html";
import type { PathSettings } from "../../db/links/lists.ts";
import type { Partner, Partners } from "../../db/links/partner-catalog.ts";
import type { FoundPath } from "../../db/links/paths.ts";
import type { InputError } from "../../errors.ts";
import { idText } from "../../http/input/fields.ts";
import { parsePart } from "../../http/input/parse.ts";
import { operatorContact } from "../../pages/contact.ts";
import { field, type Option, type RejectedForm, select } from "../../pages/forms/fields.ts";
import type { Markup } from "../../pages/markup.ts";
import { linkTarget } from "../../usecases/links/link.ts";
import type { PathRow } from "../../usecases/links/path-rows.ts";
import type { Member } from "../frame.ts";
import { byName, describePartner, partnerOptions } from "../partner-options.ts";

/** With more partners than this, the field is a text with suggestions, which can be searched. */
const MOST_OPTIONS = 50;

type Parent = FoundPath["base"];

/** The partner in effect for a link below this one. */
export const partnerAbove = (parent: Parent, partners: Partners) =>
  partners.get(parent?.partnerId ?? parent?.inheritedPartner ?? 0);

/** The fields of the settings of the last link of a path. */
export function settingFields(
  parent: Parent,
  partners: Partners,
  env: Member["env"],
  rejected?: RejectedForm,
): Markup {
  const above = partnerAbove(parent, partners);
  return html`
    ${partnerField(above, partners, rejected)}
    ${costField(above, parent, partners, env, rejected)}
    ${field(
      {
        name: "target",
        label: "Target",
        hint: "Where clicks lead, e.g. https://shop.example.com/sale?c={campaign}. Leave empty for the target of the link above, or the app's URLs.",
      },
      rejected,
    )}`;
}

function partnerField(above: Partner | undefined, partners: Partners, rejected?: RejectedForm): Markup {
  const sorted = byName(partners);
  if (sorted.length > MOST_OPTIONS) {
    const suggested = suggestionsOf(partners);
    const suggestions = sorted.map(
      (partner): Option => [suggested.get(partner.id) ?? "", describePartner(partner)],
    );
    const hint = above
      ? `Leave empty to inherit ${above.displayName}.`
      : "Leave empty for no partner. Type to search.";
    return field({ name: "partner", label: "Partner", suggestions, hint }, rejected);
  }
  const none = above ? `Inherit ${above.displayName}` : "No partner";
  return select("partner_id", "Partner", [["", none], ...partnerOptions(partners)], "", {
    hint: "The links below it inherit it.",
    rejected,
  });
}

/** A text for each partner by ID: its name, with the ID if other partners have this name or could look like it. */
export function suggestionsOf(partners: Partners): Map<number, string> {
  const counts = new Map<string, number>();
  for (const { displayName } of partners.values())
    counts.set(displayName, (counts.get(displayName) ?? 0) + 1);
  return new Map(
    [...partners.values()].map(({ id, displayName }) => {
      const isClear = counts.get(displayName) === 1 && !/\(\d+\)$/.test(displayName);
      return [id, isClear ? displayName : `${displayName} (${id})`];
    }),
  );
}

function costField(
  above: Partner | undefined,
  parent: Parent,
  partners: Partners,
  env: Member["env"],
  rejected?: RejectedForm,
): Markup {
  const inherited = (parent?.costSwitch ?? parent?.inheritedSwitch) === 1;
  const isPossible = [...partners.values()].some(({ supportsCostData }) => supportsCostData);
  const reason = isPossible
    ? `Needs a partner that supports cost data${above ? whyNot(above) : ", on this link or above it"}.`
    : html`No partner supports cost data yet. Ask ${operatorContact(env)} for an integration round.`;
  return select(
    "cost_data",
    "Cost data",
    [
      [
        "",
        parent
          ? `Inherit from parent (${inherited ? "on" : "off"})`
          : "Off, or inherited from the links above",
      ],
      ...(isPossible ? [["on", "On"] as [string, string]] : []),
      ["off", "Off"],
    ],
    "",
    { hint: reason, rejected },
  );
}

const whyNot = ({ supportsCostData, displayName }: Partner) =>
  supportsCostData ? "" : `: ${displayName} doesn't yet`;

/** What the form sent for these fields. Adds an error for each that is invalid. */
export function readSettings(
  form: URLSearchParams,
  partners: Partners,
  errors: InputError[],
): PathSettings & Pick<PathRow, "partnerName"> {
  const cost = form.get("cost_data") ?? "";
  const id = form.get("partner_id") ?? "";
  if (!/^(on|off)?$/.test(cost)) errors.push({ param: "cost_data", message: "must be on or off" });
  const partnerName = form.get("partner")?.trim() || undefined;
  const [suggested] = [...suggestionsOf(partners)].find(([, text]) => text === partnerName) ?? [];
  const isName = [...partners.values()].some(({ displayName }) => displayName === partnerName);
  if (isName && suggested === undefined && id === "")
    errors.push({
      param: "partner",
      message: "is the name of several partners; choose a suggestion with its ID",
    });
  const sent = id === "" ? undefined : parsePart(idText, id, errors, "partner_id");
  return {
    partnerId: sent ?? suggested ?? null,
    partnerName: sent === undefined && suggested !== undefined ? undefined : partnerName,
    costSwitch: cost === "" ? null : cost === "on",
    target: parsePart(linkTarget, form.get("target") ?? "", errors, "target") || null,
  };
}
