/** `/apps/{app}/links/undo`: the changes of links that can be undone, and what undoing one did. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { type ChangeSource, type LinkChange, listChanges } from "../db/links/changes.ts";
import { toIso } from "../domain/time.ts";
import { readForm } from "../http/input/form.ts";
import { invalidRequest } from "../http/input/parse.ts";
import { badge, breadcrumb, buttonLink, notice, pageHead, type Tone } from "../pages/elements.ts";
import { table } from "../pages/lists/table.ts";
import { showPlural } from "../pages/locale.ts";
import { time } from "../pages/markup.ts";
import { describeRejection } from "../usecases/links/path-rows.ts";
import { type Undone, undoChange } from "../usecases/links/undo.ts";
import { changeTable, countLinks, lineOf, undoForm } from "./bulk/result.ts";
import { describeChange } from "./bulk/update.ts";
import { SETTINGS_NOTICES } from "./edit/settings.ts";
import { type AppPage, authorizeApp, type Member, type Show, scopeOf } from "./frame.ts";
import { rejectionOf } from "./transfer/import-changes.ts";

const SOURCES: Record<ChangeSource, string> = {
  import: "Import",
  bulk: "Change of selected links",
  settings: "Settings of a link",
};

const trail = ({ path }: Member) => breadcrumb([["Links", `${path}/links`]], "Undo");
const FROM_NOW_ON =
  "Undo is about settings from now on: clicks, impressions and costs stay where they were recorded.";

export const undoPage: Show = async ({ env, now }, member) => ({
  title: "Undo changes",
  body: html`
    ${trail(member)}
    ${pageHead("Undo changes")}
    <p class="lead">For 24 hours, you can undo what an import, a change of selected links or the settings of a link changed. Undo keeps values that somebody has changed since then, and archives links that an import created. ${FROM_NOW_ON}</p>
    ${table({
      label: "Changes that can be undone",
      columns: [
        { heading: "Changed", cell: ({ changedAt }) => time(toIso(changedAt), "seconds") },
        { heading: "By", cell: ({ source }) => SOURCES[source] },
        { heading: "Links", kind: "number", cell: ({ count }) => showPlural(count, "link") },
        {
          heading: "Undo",
          kind: "action",
          cell: ({ requestId, changedAt }) =>
            undoForm(member, requestId, "Undo", html`the change of ${time(toIso(changedAt), "seconds")}`),
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
  const isSimple = only?.result?.isChanged && !only.isKept && others.length === 0;
  return isSimple
    ? SETTINGS_NOTICES.redirect(`${member.path}/links/${only.change.token}/settings`, "undone")
    : undonePage(member, undone);
};

function undonePage(member: Member, { links, partners }: Undone): AppPage {
  const known = links.flatMap((link) => (link.result ? { ...link, result: link.result } : []));
  const described = known.map((link) => ({ ...link, ...describe(link, partners) }));
  const archived = described.filter(({ tone, change }) => tone === "ok" && isCreation(change)).length;
  const restored = described.filter(({ tone }) => tone === "ok").length - archived;
  const others = links.length - restored - archived;
  const sentences = [
    restored > 0 ? `${countLinks(restored)} restored.` : "",
    archived > 0 ? `${countLinks(archived)} archived.` : "",
    others > 0 ? `${countLinks(others)} not restored completely.` : "",
    FROM_NOW_ON,
  ];
  const lines = described.map(({ result, word, tone, detail }) =>
    lineOf(result, html`${badge(word, tone)} ${detail}`, tone !== "ok"),
  );
  const missing = links.flatMap(({ change, result }) => (result ? [] : [change.token]));
  return {
    title: "Change undone",
    body: html`
      ${trail(member)}
      ${pageHead("Change undone")}
      ${notice(sentences.filter(Boolean).join(" "), others > 0 ? "warn" : "ok", { announced: true })}
      ${changeTable(lines, missing)}
      <p class="actions">${buttonLink(`${member.path}/links`, "Show links")} <a href="${member.path}/links/undo">Undo another change</a></p>`,
  };
}

/** Also of an archived link that was restored: both are archived again. */
const isCreation = ({ before }: LinkChange) => before.archived === 1 && Object.keys(before).length === 1;

function describe(
  { result, isKept }: Undone["links"][number] & { result: object },
  partners: Undone["partners"],
): { word: string; tone: Tone; detail: string } {
  const rejected = rejectionOf(result, {}, partners);
  if (rejected) return { word: "Not restored", tone: "error", detail: describeRejection(rejected) };
  const { before, after, isChanged } = result;
  const detail = isChanged ? describeChange(before, after, partners) : "";
  if (!isKept) return { word: "Restored", tone: "ok", detail };
  const kept = "Somebody changed it since, and those values stay.";
  return {
    word: isChanged ? "Restored in part" : "Not restored",
    tone: "warn",
    detail: `${detail} ${kept}`.trim(),
  };
}
