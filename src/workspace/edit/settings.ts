/** The settings of a link: its name, its partner and cost data with a preview, and whether it is archived. */
import { html } from "hono/html";
import * as z from "zod/mini";
import type { LinkSetting } from "../../db/links/lists.ts";
import type { Context } from "../../env.ts";
import { ERRORS } from "../../errors.ts";
import { readInput } from "../../http/input/input.ts";
import { noticesOf } from "../../http/notices.ts";
import { card, nameText, notice, pageHead } from "../../pages/elements.ts";
import { errorSummary, type RejectedForm, rejectedWith } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import type { Markup } from "../../pages/markup.ts";
import type { Member, Show } from "../frame.ts";
import {
  type Choice,
  choiceFields,
  choiceForm,
  currentChoice,
  explainRejection,
  judgeChoice,
  preview,
} from "./choice.ts";
import { type EditedLink, linkTrail, readLink } from "./edited-link.ts";

export const SETTINGS_NOTICES = noticesOf({
  renamed: "Link renamed.",
  saved: "Partner and cost data saved. Give your partner the new URLs if they changed.",
  archived: "Link archived.",
  restored: "Link restored.",
  unchanged: "Nothing changed: the link had these values already.",
});
type Done = (typeof SETTINGS_NOTICES.names)[number];

const settingsQuery = z.strictObject({
  notice: z.optional(z.enum(SETTINGS_NOTICES.names, "is unknown")),
  partner: z.optional(choiceFields.partner),
  cost: z.optional(choiceFields.cost),
});

export const settingsPage: Show = async (context, member) => {
  const { query } = await readInput(context, { query: settingsQuery });
  const edited = await readLink(context, member);
  const current = currentChoice(edited);
  const isPreview = query.partner !== undefined || query.cost !== undefined;
  const choice = { partner: query.partner ?? current.partner, cost: query.cost ?? current.cost };
  if (!isPreview)
    return renderSettings(context, member, edited, { done: SETTINGS_NOTICES.findDone(context) });
  const judged = judgeChoice(edited, choice);
  return judged.rejection
    ? renderSettings(context, member, edited, {
        choice,
        choiceRejected: rejectedWith([explainRejection(edited, judged, choice)], context.url.searchParams),
      })
    : renderSettings(context, member, edited, { choice, isPreview });
};

interface State {
  done?: Done | undefined;
  choice?: Choice;
  isPreview?: boolean;
  nameRejected?: RejectedForm;
  choiceRejected?: RejectedForm;
}

/** The page, also after a rejected form. */
export function renderSettings(context: Context, member: Member, edited: EditedLink, state: State) {
  const { row } = edited;
  const rejected = state.nameRejected ?? state.choiceRejected;
  const sections = [...SECTIONS].map((section) => section(context, edited, state));
  return {
    title: `${rejected ? "Error: " : ""}Settings of ${row.label}`,
    ...(rejected && { status: ERRORS[rejected.error.code].status }),
    body: html`
      ${linkTrail(member, row, "Settings")}
      ${pageHead(html`Settings of ${nameText(row.label)}`)}
      ${state.done ? doneNotice(edited, state.done) : ""}
      ${rejected ? errorSummary(rejected) : ""}
      ${sections}`,
  };
}

type Section = (context: Context, edited: EditedLink, state: State) => Markup;
/** The section that shows and changes each setting. */
const SECTION_OF: Record<LinkSetting, Section> = {
  name: nameSection,
  partner_id: partnerSection,
  cost_data_enabled: partnerSection,
  archived: archiveSection,
};
const SECTIONS = new Set(Object.values(SECTION_OF));

function doneNotice({ row, path }: EditedLink, done: Done): Markup {
  const isSwitched = done === "archived" || done === "restored";
  // The page may be opened again when the link is in the other state.
  if (isSwitched && (row.archived === 1) !== (done === "archived")) return html``;
  const undo = form({
    action: `${path}/settings/archived`,
    hidden: { archived: done === "archived" ? "no" : "yes" },
    button: "Undo",
    kind: "small secondary",
  });
  return notice(SETTINGS_NOTICES.texts[done], "ok", { announced: true, ...(isSwitched && { action: undo }) });
}

function nameSection(_: Context, { row, path }: EditedLink, { nameRejected }: State): Markup {
  return card(
    { id: "rename", title: "Name" },
    form(
      {
        action: `${path}/settings/name`,
        hidden: { seen_name: row.label },
        fields: { name: { label: "Name", required: true, hint: "Up to 255 characters, without ::" } },
        values: { name: row.label },
        button: "Rename link",
      },
      nameRejected,
    ),
  );
}

function partnerSection(context: Context, edited: EditedLink, state: State): Markup {
  const { choice = currentChoice(edited), choiceRejected, isPreview } = state;
  const judged = isPreview ? judgeChoice(edited, choice) : undefined;
  return card(
    { id: "partner-and-cost", title: "Partner and cost data" },
    choiceForm(edited, choice, choiceRejected),
    judged && !judged.rejection ? preview(context, edited, choice, judged) : "",
  );
}

function archiveSection(_: Context, { row, path }: EditedLink): Markup {
  const isArchived = row.archived === 1;
  return card(
    { id: "archive", title: isArchived ? "Archived" : "Archive" },
    html`<p>${
      isArchived
        ? "This link is archived. It still redirects and counts clicks and impressions."
        : "An archived link is hidden on the Links page unless you include archived links. It still redirects and counts clicks and impressions, and its sub-links stay. You can restore it."
    }</p>`,
    form({
      action: `${path}/settings/archived`,
      hidden: { archived: isArchived ? "no" : "yes" },
      button: isArchived ? "Restore link" : "Archive link",
      kind: "secondary",
    }),
  );
}
