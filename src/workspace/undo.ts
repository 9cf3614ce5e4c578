/** `/apps/{app}/links/undo`: the changes of links that can be undone, and what undoing one did. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { type ChangeSource, type LinkChange, listChanges } from "../db/links/changes.ts";
import { toIso } from "../domain/time.ts";
import { readForm } from "../http/input/form.ts";
import { invalidRequest } from "../http/input/parse.ts";
import { breadcrumb, buttonLink, notice, pageHead } from "../pages/elements.ts";
import { table } from "../pages/lists/table.ts";
import { showPlural } from "../pages/locale.ts";
import { time } from "../pages/markup.ts";
import { countOf, type OutcomeTexts, outcomeTable } from "../pages/uploads/outcomes.ts";
import type { Outcome } from "../pages/uploads/rows.ts";
import { type Undone, undoChange } from "../usecases/links/undo.ts";
import { countLinks, toOutcome, undoForm, unknownLink } from "./bulk/outcomes.ts";
import { SETTINGS_NOTICES } from "./edit/settings.ts";
import { type AppPage, authorizeApp, type Member, type Show, scopeOf } from "./frame.ts";
import { LINK_TEXTS, showLinks } from "./transfer/texts.ts";

const SOURCES: Record<ChangeSource, string> = {
  import: "Import",
  bulk: "Change of selected links",
  settings: "Settings of a link",
  create: "New link",
};

const trail = ({ path }: Member) => breadcrumb([["Links", `${path}/links`]], "Undo");
const FROM_NOW_ON =
  "Undo is about settings from now on: clicks, impressions and costs stay where they were recorded.";

export const undoPage: Show = async ({ env, now }, member) => ({
  title: "Undo changes",
  body: html`
    ${trail(member)}
    ${pageHead("Undo changes")}
    <p class="lead">For 24 hours, you can undo a new link, an import, a change of selected links, or a change of a link's settings. Undo keeps values that somebody has changed since then, and archives links that were created. ${FROM_NOW_ON}</p>
    ${table({
      label: "Changes that can be undone",
      hasHeading: true,
      columns: [
        { heading: "Changed", cell: ({ changedAt }) => time(toIso(changedAt), "seconds") },
        { heading: "By", cell: ({ source }) => SOURCES[source] },
        { heading: "Links", kind: "number", cell: ({ count }) => showPlural(count, "link") },
        {
          heading: "Undo",
          kind: "action",
          cell: ({ undoId, changedAt }) =>
            undoForm(member, undoId, "Undo", html`the change of ${time(toIso(changedAt), "seconds")}`),
        },
      ],
      rows: await listChanges(env.DB, member.app.token, now),
      empty: html`<p class="muted">Nothing was changed in the last 24 hours.</p>`,
    })}`,
});

const form = z.object({
  change: z.string().check(z.regex(/^[0-9a-f-]{1,64}$/, "must be the ID of a change")),
});

export const submitUndo: Show = async (context, member) => {
  const sent = await readForm(context, form);
  if ("errors" in sent) throw invalidRequest(sent.errors);
  const undone = await undoChange(context, scopeOf(member), sent.fields.change);
  authorizeApp(undone.access);
  const [only, ...others] = undone.links;
  const isSimple = only?.result?.isChanged && !only.isKept && others.length === 0 && !undone.isMore;
  return isSimple
    ? SETTINGS_NOTICES.redirect(`${member.path}/links/${only.change.token}/settings`, "undone")
    : undonePage(member, undone, sent.fields.change);
};

/** Links that the change had created are archived. */
const TEXTS: OutcomeTexts = {
  noun: ["link", "links"],
  name: "Path",
  states: {
    ...LINK_TEXTS.states,
    imported: { word: "archived", color: "ok" },
    duplicate: { word: "archived", color: "ok" },
    rejected: { word: "not completely", color: "warn" },
  },
  changes: { imported: { word: "restored", color: "ok" }, duplicate: { word: "restored", color: "ok" } },
};

function undonePage(member: Member, { links, partners, isMore }: Undone, undoId: string): AppPage {
  const outcomes = links.map(({ change, result, isKept }): Outcome => {
    if (!result) return unknownLink(change.token);
    const outcome = { ...toOutcome(result, partners, "imported"), isChange: !isCreation(change) };
    if (!isKept || outcome.state === "rejected") return outcome;
    const detail = `${outcome.detail} Somebody changed it since, and those values stay.`.trim();
    return { ...outcome, state: "rejected", detail };
  });
  const others = countOf(outcomes, "rejected");
  const archived = links.filter(({ change }, at) => isCreation(change) && outcomes[at]?.state !== "rejected");
  const restored = links.length - archived.length - others;
  const sentences = [
    restored > 0 ? `${countLinks(restored)} restored.` : "",
    archived.length > 0 ? `${countLinks(archived.length)} archived.` : "",
    others > 0 ? `${countLinks(others)} not restored completely.` : "",
    isMore ? "There are more. Continue until none are left." : "",
    FROM_NOW_ON,
  ];
  return {
    title: "Change undone",
    body: html`
      ${trail(member)}
      ${pageHead("Change undone")}
      ${notice(sentences.filter(Boolean).join(" "), others > 0 || isMore ? "warn" : "ok", { announced: true, action: isMore ? undoForm(member, undoId, "Undo the next") : "" })}
      ${outcomeTable(TEXTS, outcomes, showLinks(member))}
      <p class="actions">${buttonLink(`${member.path}/links`, "Show links")} <a href="${member.path}/links/undo">Undo another change</a></p>`,
  };
}

/** Also of an archived link that was restored: both are archived again. */
const isCreation = ({ before }: LinkChange) => before.archived === 1 && Object.keys(before).length === 1;
