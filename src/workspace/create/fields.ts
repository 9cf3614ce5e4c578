/** The fields of the settings of a new link: the partner, the cost switch and the target. They are named like the columns of a file. */
import { html } from "hono/html";
import type { Partner, Partners } from "../../db/links/partner-catalog.ts";
import type { FoundPath } from "../../db/links/paths.ts";
import { operatorContact } from "../../pages/contact.ts";
import { field, type Option, type RejectedForm, select } from "../../pages/forms/fields.ts";
import type { Markup } from "../../pages/markup.ts";
import { withId } from "../../usecases/links/path-rules.ts";
import type { Member } from "../frame.ts";
import { byName, describePartner, partnerOptions } from "../partner-options.ts";

/** With more partners than this, the field is a text with suggestions, which can be searched. */
const MOST_OPTIONS = 50;

export const SETTING_FIELDS = ["partner", "partner_id", "cost_data", "target"];

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
    ${partnerField(above, parent, partners, rejected)}
    ${costField(above, parent, partners, env, rejected)}
    ${field(
      {
        name: "target",
        label: "Target",
        hint: "Where clicks lead, for example https://shop.example.com/sale?c={campaign}. Leave empty for the target of the link above, or the app's URLs.",
      },
      rejected,
    )}`;
}

/** What finds a partner: its name, with the ID if other partners have this name or could look like it. */
function textOf({ id, displayName }: Partner, partners: Partner[]): string {
  const isClear = partners.filter((one) => one.displayName === displayName).length === 1;
  return isClear && !/\(\d+\)$/.test(displayName) ? displayName : withId({ id, displayName });
}

function partnerField(
  above: Partner | undefined,
  parent: Parent,
  partners: Partners,
  rejected?: RejectedForm,
): Markup {
  const sorted = byName(partners);
  if (sorted.length > MOST_OPTIONS) {
    const suggestions = sorted.map((partner): Option => [textOf(partner, sorted), describePartner(partner)]);
    const hint = above
      ? `Leave empty to inherit ${above.displayName}.`
      : `Leave empty for no partner${parent ? "" : ", or that of the links above"}. Type to search.`;
    return field({ name: "partner", label: "Partner", suggestions, hint }, rejected);
  }
  const none = above
    ? `Inherit ${above.displayName}`
    : parent
      ? "No partner"
      : "None, or inherited from above";
  return select("partner_id", "Partner", [["", none], ...partnerOptions(partners)], "", {
    hint: "The links below it inherit it.",
    rejected,
  });
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
    ? `Needs a partner that can send cost data${above ? whyNot(above) : ", on this link or above it"}.`
    : html`No partner can send cost data yet. Ask ${operatorContact(env)} for an integration round.`;
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
  supportsCostData ? "" : `: ${displayName} has no cost data yet`;
