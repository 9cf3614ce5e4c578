/** The partner and the cost switch that a person chooses for a link, and what the choice changes. */
import { html } from "hono/html";
import * as z from "zod/mini";
import type { Context } from "../../env.ts";
import { idText } from "../../http/input/fields.ts";
import { nameContact, withContact } from "../../pages/contact.ts";
import { nameText, notice } from "../../pages/elements.ts";
import type { Option, RejectedForm } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import type { Markup } from "../../pages/markup.ts";
import { type StoredLink, toLink } from "../../usecases/links/link.ts";
import { judgeUpdate, type LinkUpdate, type UpdateResult } from "../../usecases/links/updates.ts";
import { explain, noSupport } from "../bulk/outcomes.ts";
import { partnerOf } from "../links/cells.ts";
import { partnerOptions } from "../partner-options.ts";
import { type EditedLink, shownVersion } from "./edited-link.ts";

/** Both are the link's own: `partner` is `none` or an ID. */
export const choiceFields = {
  partner: z.union([z.literal("none"), idText], "must be chosen from the list"),
  cost: z.enum(["inherit", "on", "off"], "must be chosen from the list"),
};

export type Choice = z.output<z.ZodMiniObject<typeof choiceFields>>;

/** What the link has now. */
export function currentChoice({ level, partnerId, costSwitch }: StoredLink): Choice {
  // A link of level 1 inherits nothing, so without a setting it is off.
  const unset = level === 1 ? "off" : "inherit";
  return { partner: partnerId ?? "none", cost: costSwitch === null ? unset : costSwitch ? "on" : "off" };
}

const SWITCH_OF = { on: true, off: false, inherit: null };

/**
 * Only what the link does not have: another partner can switch cost data off that was on. It must not change what the person sees as
 * chosen otherwise, so that is stored with it.
 */
export function toUpdate(choice: Choice, link: StoredLink): LinkUpdate {
  const current = currentChoice(link);
  const changesPartner = choice.partner !== current.partner;
  const changesCost = choice.cost !== current.cost || (changesPartner && choice.cost !== "on");
  return {
    ...(changesPartner && { partner_id: choice.partner === "none" ? null : choice.partner }),
    ...(changesCost && { cost_data_enabled: SWITCH_OF[choice.cost] }),
  };
}

/** The setting in effect, and of a sub-link, whether it is its own. */
export function describeCost({ level, costSwitch }: StoredLink, isOn: boolean): string {
  const source = level === 1 ? "" : costSwitch === null ? ", inherited" : ", set on this link";
  return `${isOn ? "On" : "Off"}${source}`;
}

/** The form that previews a choice. */
export function choiceForm(edited: EditedLink, choice: Choice, rejected?: RejectedForm): Markup {
  const { row, partners, path } = edited;
  const above = partners.get(row.inheritedPartner ?? 0)?.displayName;
  const options = [
    ["none", above === undefined ? "No partner" : `Inherit ${above}`] satisfies Option,
    ...partnerOptions(partners),
  ];
  const inherited = row.inheritedSwitch === 1 ? "on" : "off";
  const costOptions: Option[] = [
    ...(row.level > 1 ? [["inherit", `Inherit from parent (${inherited})`] satisfies Option] : []),
    ["on", "On"],
    ["off", "Off"],
  ];
  return form(
    {
      method: "get",
      action: `${path}/settings#preview`,
      fields: {
        partner: { label: "Partner", options, hint: partnerHint(edited) },
        cost: { label: "Cost data", options: costOptions, hint: costHint(edited) },
      },
      values: { partner: String(choice.partner), cost: choice.cost },
      button: "Preview changes",
    },
    rejected,
  );
}

/** The link above from which this one inherits its partner. */
function inheritedFrom({ row }: EditedLink): string | undefined {
  const labels = row.inheritedName?.split("::").toReversed() ?? [];
  const at = [row.partner1, row.partner2, row.partner3].findIndex((partner) => partner !== null);
  return labels[at];
}

function partnerHint(edited: EditedLink): string {
  const { row, partners } = edited;
  const subLinks = row.childCount > 0 ? " Sub-links without a partner of their own inherit it." : "";
  const partner = partnerOf(row, partners);
  if (!partner) return `This link has no partner.${subLinks}`;
  const source = row.partnerId === null ? `, inherited from “${inheritedFrom(edited)}”` : "";
  return `Now: ${partner.displayName}${source}.${subLinks}`;
}

function costHint({ row, link, partners, env }: EditedLink): Markup | string {
  const partner = partnerOf(row, partners);
  if (!partner) return "Cost data needs a partner that supports it.";
  if (!partner.supportsCostData) return withContact(env, noSupport(partner.displayName));
  return `Now: ${describeCost(row, link.cost_data_enabled)}. With cost data, the URLs have the cost parameters of ${partner.displayName}.`;
}

/** Why a choice is rejected: the field and a sentence. */
export const explainRejection = ({ env }: Pick<EditedLink, "env">, result: UpdateResult) => ({
  param: result.rejection === "unknown_partner" ? "partner" : "cost",
  message: nameContact(env, explain(result)),
});

export function judgeChoice(edited: EditedLink, choice: Choice): UpdateResult {
  return judgeUpdate(edited.row, toUpdate(choice, edited.row), edited.partners);
}

/** What a choice changes, with the URLs before and after, and the form that saves it. */
export function preview(context: Context, edited: EditedLink, choice: Choice, judged: UpdateResult): Markup {
  const { row, link, partners, path } = edited;
  const title = html`<h3 id="preview" tabindex="-1">Preview</h3>`;
  if (!judged.isChanged)
    return html`${title}${notice("Nothing would change: the link has this partner and this setting already.")}`;
  const after = toLink(judged.after, partners, context);
  const partnerName = (of: typeof row | typeof judged.after) =>
    partnerOf(of, partners)?.displayName ?? "None";
  const line = (name: string, from: string, to: string) =>
    from === to
      ? html`<dt>${name}</dt><dd>${nameText(from)} <span class="muted">(unchanged)</span></dd>`
      : html`<dt>${name}</dt><dd><del>${nameText(from)}</del> <ins>${nameText(to)}</ins></dd>`;
  const switchesOff = link.cost_data_enabled && !after.cost_data_enabled && choice.cost !== "off";
  return html`
    ${title}
    <p>Nothing is saved yet.</p>
    <dl class="details changes">
      ${line("Partner", partnerName(row), partnerName(judged.after))}
      ${line("Cost data", describeCost(row, link.cost_data_enabled), describeCost(judged.after, after.cost_data_enabled))}
    </dl>
    ${switchesOff ? notice(html`This turns cost data off.${choice.cost === "on" ? html` It can only be on with a partner that supports it.` : ""}`, "warn") : ""}
    ${urls("Click URL", link.click_url, after.click_url)}
    ${urls("Impression URL", link.impression_url, after.impression_url)}
    ${form({
      action: `${path}/settings/partner`,
      hidden: {
        reviewed: shownVersion("partner", row),
        partner: String(choice.partner),
        cost: choice.cost,
      },
      button: "Save changes",
      cancel: `${path}/settings`,
    })}`;
}

function urls(name: string, from: string, to: string): Markup {
  const id = name.toLowerCase().replace(" ", "-");
  const block = (key: string, label: string, text: string) => html`
    <p class="hint" id="${id}-${key}">${label}</p>
    <div class="secret"><code aria-labelledby="${id}-${key}" role="group" tabindex="0">${text}</code></div>`;
  return from === to
    ? block("now", `${name} (unchanged)`, from)
    : html`${block("now", `${name} now`, from)}${block("new", `New ${name.replace(/^\w+/, (word) => word.toLowerCase())}`, to)}`;
}
