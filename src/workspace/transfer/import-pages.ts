/** The pages of an import: the form, what the check found, the result, and what was undone. */
import { html } from "hono/html";
import type { LinkImport } from "../../db/links/imports.ts";
import { toIso } from "../../domain/time.ts";
import { type AppError, ERRORS } from "../../errors.ts";
import {
  badge,
  breadcrumb,
  buttonLink,
  card,
  notice,
  pageHead,
  pathText,
  type Tone,
} from "../../pages/elements.ts";
import { form } from "../../pages/forms/form.ts";
import { table } from "../../pages/lists/table.ts";
import { showPlural } from "../../pages/locale.ts";
import { type Markup, time } from "../../pages/markup.ts";
import {
  checkedBody,
  resultBody,
  type UploadPaths,
  uploadForm,
  uploadScript,
} from "../../pages/uploads/pages.ts";
import type { Outcome } from "../../pages/uploads/rows.ts";
import type { Undone } from "../../usecases/links/imports.ts";
import { namesOf } from "../../usecases/links/link.ts";
import { describeRejection } from "../../usecases/links/path-rows.ts";
import { describeChange } from "../bulk/update.ts";
import type { AppPage, Member } from "../frame.ts";
import { rejectionOf } from "./import-changes.ts";
import { LINK_TEXTS, showPath } from "./texts.ts";

const pathsOf = ({ path }: Member): UploadPaths => ({
  form: `${path}/links/import`,
  confirm: `${path}/links/import/rows`,
  list: `${path}/links`,
});

const trail = ({ path }: Member) => breadcrumb([["Links", `${path}/links`]], "Import");

/** `imports` can be undone. */
export function importForm(member: Member, imports: LinkImport[], error?: AppError): AppPage {
  const paths = pathsOf(member);
  const upload = uploadForm(
    LINK_TEXTS,
    { action: paths.form, check: paths.form, importTo: paths.confirm },
    "The check changes nothing. You'll see what would be created and changed before you confirm. You can upload the same file twice: nothing is created again.",
    error,
  );
  return {
    title: error ? "Error: Import links" : "Import links",
    scripts: [uploadScript.href],
    ...(error && { status: ERRORS[error.code].status }),
    body: html`
      ${trail(member)}
      ${pageHead("Import links")}
      ${upload.summary}
      ${upload.form}
      ${undoSection(member, imports)}
      ${format(member)}`,
  };
}

function undoSection({ path }: Member, imports: LinkImport[]): Markup | "" {
  if (imports.length === 0) return "";
  return card(
    { id: "undo", title: "Undo changes" },
    html`<p>For 24 hours, you can undo what an import changed. Undo keeps values that somebody has changed since then, and links that the import created.</p>`,
    table({
      label: "Imports that changed links",
      columns: [
        { heading: "Import", cell: ({ importedAt }) => time(toIso(importedAt), "seconds") },
        { heading: "Changed", cell: ({ count }) => showPlural(count, "link", "links") },
        {
          heading: "Undo",
          kind: "action",
          cell: ({ id, importedAt }) =>
            form({
              action: `${path}/links/import/undo`,
              hidden: { id: String(id) },
              button: html`Undo<span class="visually-hidden"> the import of ${time(toIso(importedAt), "seconds")}</span>`,
              kind: "small secondary",
            }),
        },
      ],
      rows: imports,
    }),
  );
}

function format({ path }: Member): Markup {
  return card(
    { id: "format", title: "Format" },
    html`
      <p><strong>To create links:</strong> one link in each row, with the names from its network down to its own. Missing links above it are created too. <code>partner</code>, <code>partner_id</code> and <code>cost_data</code> (<code>on</code>, <code>off</code> or <code>inherit</code>) are for the link of the row; leave them empty to inherit. Only <code>network</code> is a required column.</p>
      <pre tabindex="0" aria-label="Example of new links"><code>network,campaign,ad_group,creative,partner,cost_data
Acme,,,,Acme Ads,on
Acme,Spring,Runners,Video 15s,,</code></pre>
      <p><strong>To change links:</strong> a row with a <code>link_token</code> changes that link, up to 1,000 in a file. <code>partner_id</code> attaches a partner, or <code>none</code> detaches it; <code>cost_data</code> is <code>on</code>, <code>off</code> or <code>inherit</code>; <code>archived</code> is <code>yes</code> or <code>no</code>. An empty cell changes nothing.</p>
      <pre tabindex="0" aria-label="Example of changes"><code>link_token,partner_id,cost_data,archived
q2r7kd0n5x,1,on,
h4tz9wcm2b,none,inherit,yes</code></pre>
      <p>An <a href="${path}/links.csv" download>export</a> has all columns that an import accepts. It leaves out archived links; for a file with them, <a href="${path}/links?archived=all">show archived links</a> before you export.</p>`,
  );
}

/** `good` has the rows to import. */
export function checkedPage(member: Member, outcomes: Outcome[], good: string): AppPage {
  const body = checkedBody(LINK_TEXTS, pathsOf(member), { outcomes, good }, showPath(member));
  return { title: "Check file", body: html`${trail(member)} ${body}` };
}

export function resultPage(member: Member, outcomes: Outcome[]): AppPage {
  const paths = pathsOf(member);
  const hasChanges = outcomes.some(({ state, isChange }) => isChange && state === "imported");
  const undo = hasChanges ? buttonLink(`${paths.form}#undo`, "Undo changes") : "";
  const body = resultBody(LINK_TEXTS, paths, outcomes, showPath(member), undo);
  return { title: "Import result", body: html`${trail(member)} ${body}` };
}

type UndoneLink = Undone["links"][number];

/** What an undo did to each link of its import. */
export function undonePage(member: Member, { links, partners }: Undone): AppPage {
  const restored = links.filter(({ result }) => result?.isChanged).length;
  const rows = links.map((link) => ({ ...link, shown: describe(link, partners) }));
  const others = rows.filter(({ shown }) => shown.tone !== "ok").length;
  const sentences = [
    `${restored === 0 ? "No links" : showPlural(restored, "link", "links")} restored.`,
    others > 0 ? `${showPlural(others, "link", "links")} not restored completely.` : "",
  ];
  return {
    title: "Import undone",
    body: html`
      ${trail(member)}
      ${pageHead("Import undone")}
      ${notice(sentences.filter(Boolean).join(" "), others > 0 ? "warn" : "ok", { announced: true })}
      ${table({
        label: "Links of the import",
        columns: [
          { heading: "Link", cell: ({ change, result }) => nameOf(member, change.token, result) },
          { heading: "Result", cell: ({ shown }) => badge(shown.word, shown.tone) },
          { heading: "Details", cell: ({ shown }) => shown.detail },
        ],
        rows,
      })}
      <p class="actions">${buttonLink(`${member.path}/links`, "Show links")} <a href="${pathsOf(member).form}">Import another file</a></p>`,
  };
}

function nameOf({ path }: Member, token: string, result: UndoneLink["result"]): Markup {
  if (!result) return html`<code>${token}</code>`;
  return html`<a href="${path}/links/${token}">${pathText(namesOf(result.before))}</a>`;
}

function describe(
  { result, isKept }: UndoneLink,
  partners: Undone["partners"],
): { word: string; tone: Tone; detail: string } {
  if (!result) return { word: "gone", tone: "error", detail: "This app has no link with this token." };
  const rejected = rejectionOf(result, {}, partners);
  if (rejected) return { word: "not restored", tone: "error", detail: describeRejection(rejected) };
  const { before, after, isChanged } = result;
  const detail = isChanged ? describeChange(before, after, partners) : "";
  if (!isKept) return { word: "restored", tone: "ok", detail };
  const kept = "Somebody changed it after the import, and those values stay.";
  return {
    word: isChanged ? "restored in part" : "not restored",
    tone: "warn",
    detail: `${detail} ${kept}`.trim(),
  };
}
