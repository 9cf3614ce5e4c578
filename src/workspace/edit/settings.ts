/** The settings of a link: its name, its partner and cost data with a preview, its target, and whether it is archived. */
import { html } from "hono/html";
import * as z from "zod/mini";
import type { Context } from "../../env.ts";
import { ERRORS } from "../../errors.ts";
import { readInput } from "../../http/input/input.ts";
import { noticesOf } from "../../http/notices.ts";
import { card, facts, nameText, notice, pageHead } from "../../pages/elements.ts";
import { errorSummary, type Option, type RejectedForm, rejectedWith } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import type { Markup } from "../../pages/markup.ts";
import type { Member, Show } from "../frame.ts";
import { describeTarget, devicePreview, targetAbove } from "../links/target.ts";
import {
  type Choice,
  choiceFields,
  choiceForm,
  currentChoice,
  explainRejection,
  judgeChoice,
  preview,
} from "./choice.ts";
import { type EditedLink, linkTrail, readLink, type SectionName, shownVersion } from "./edited-link.ts";
import { undoOf } from "./history.ts";

export const SETTINGS_NOTICES = noticesOf({
  renamed: "Link renamed.",
  saved: "Partner and cost data saved. Give your partner the new URLs if they changed.",
  targeted: "Target saved. Clicks follow it within a minute.",
  archived: "Link archived.",
  restored: "Link restored.",
  undone: "Change undone. Clicks, impressions and costs stay where they were recorded.",
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
  const current = currentChoice(edited.row);
  const isPreview = query.partner !== undefined || query.cost !== undefined;
  const choice = { partner: query.partner ?? current.partner, cost: query.cost ?? current.cost };
  if (!isPreview)
    return renderSettings(context, member, edited, { done: SETTINGS_NOTICES.findDone(context) });
  const judged = judgeChoice(edited, choice);
  return judged.rejection
    ? renderSettings(context, member, edited, {
        choice,
        rejected: {
          section: "partner",
          form: rejectedWith([explainRejection(edited, judged)], context.url.searchParams),
        },
      })
    : renderSettings(context, member, edited, { choice, isPreview });
};

export interface State {
  done?: Done | undefined;
  choice?: Choice;
  isPreview?: boolean;
  rejected?: { section: SectionName; form: RejectedForm };
}
const rejectedIn = (section: SectionName, { rejected }: State) =>
  rejected?.section === section ? rejected.form : undefined;

/** The page, also after a rejected form. */
export function renderSettings(context: Context, member: Member, edited: EditedLink, state: State) {
  const { row } = edited;
  const rejected = state.rejected?.form;
  const sections = Object.values(SECTIONS).map((section) => section(context, edited, state));
  return {
    title: `${rejected ? "Error: " : ""}Settings of ${row.label}`,
    ...(rejected && { status: ERRORS[rejected.error.code].status }),
    body: html`
      ${linkTrail(member, row, "Settings")}
      ${pageHead(html`Settings of ${nameText(row.label)}`)}
      ${state.done ? doneNotice(member, edited, state.done) : ""}
      ${rejected ? errorSummary(rejected) : ""}
      <div class="settings">${sections}</div>`,
  };
}

type Section = (context: Context, edited: EditedLink, state: State) => Markup;
const SECTIONS: Record<SectionName, Section> = {
  name: nameSection,
  partner: partnerSection,
  target: targetSection,
  archived: archiveSection,
};

function doneNotice(member: Member, { row, history: [newest] }: EditedLink, done: Done): Markup {
  const isSwitched = done === "archived" || done === "restored";
  // The page may be opened again when the link is in the other state.
  if (isSwitched && (row.archived === 1) !== (done === "archived")) return html``;
  const isOwn = newest?.userId === member.session.userId && done !== "unchanged";
  const action = newest && isOwn ? undoOf(member, newest, false) : "";
  return notice(SETTINGS_NOTICES.texts[done], "ok", { announced: true, action });
}

function nameSection(_: Context, { row, path }: EditedLink, state: State): Markup {
  return card(
    { id: "rename", title: "Name" },
    form(
      {
        action: `${path}/settings/name`,
        hidden: { reviewed: shownVersion("name", row) },
        fields: { name: { label: "Name", required: true, hint: "Up to 255 characters, without ::" } },
        values: { name: row.label },
        button: "Rename link",
      },
      rejectedIn("name", state),
    ),
  );
}

function partnerSection(context: Context, edited: EditedLink, state: State): Markup {
  const { choice = currentChoice(edited.row), isPreview } = state;
  const judged = isPreview ? judgeChoice(edited, choice) : undefined;
  return card(
    { id: "partner-and-cost", title: "Partner and cost data" },
    choiceForm(edited, choice, rejectedIn("partner", state)),
    judged && !judged.rejection ? preview(context, edited, choice, judged) : "",
  );
}

function targetSection(_: Context, { row, path, destination }: EditedLink, state: State): Markup {
  const above = targetAbove(row);
  const options: Option[] = [
    ["inherit", row.level === 1 ? "The app's URLs" : "Inherit from parent"],
    ...(row.level > 1 ? [["none", "The app's URLs"] satisfies Option] : []),
    ["own", "This URL"],
  ];
  const current = targetChoice(row);
  return card(
    { id: "leads", title: "Target" },
    html`<p>Where clicks on this link and the links below it lead, if their URLs name no other target.</p>`,
    facts(["Now", describeTarget(row)]),
    devicePreview(destination, row),
    form(
      {
        action: `${path}/settings/target`,
        hidden: { reviewed: shownVersion("target", row) },
        fields: {
          leads: {
            label: "Clicks lead to",
            options,
            ...(above && { hint: html`The link above with a target: ${above}.` }),
          },
          target: {
            label: "URL",
            hint: "With a host that the app allows. {campaign}, {cost_id} or the name of another parameter in braces passes its value on, and {{campaign}} inside another value such as referrer.",
          },
        },
        values: { leads: current, target: row.target ?? "" },
        button: "Save target",
      },
      rejectedIn("target", state),
    ),
  );
}

const targetChoice = ({ level, target }: { level: number; target: string | null }) =>
  target === null || (target === "" && level === 1) ? "inherit" : target === "" ? "none" : "own";

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
