/** The pages of an import: the form, what the check found, and the result. */
import { html } from "hono/html";
import type { Context } from "../../env.ts";
import { type AppError, ERRORS } from "../../errors.ts";
import { card, nameText, notice, pageHead } from "../../pages/elements.ts";
import { check, field, type Option, type RejectedForm } from "../../pages/forms/fields.ts";
import { hiddenInputs } from "../../pages/lists/query.ts";
import { table } from "../../pages/lists/table.ts";
import { showList, showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import {
  checkedBody,
  multipartForm,
  resultBody,
  type UploadPaths,
  uploadForm,
  uploadScript,
} from "../../pages/uploads/pages.ts";
import type { Outcome } from "../../pages/uploads/rows.ts";
import { FIELD_NAMES } from "../../usecases/links/path-rows.ts";
import { undoForm } from "../bulk/outcomes.ts";
import { SETTING_FIELDS, settingFields } from "../create/fields.ts";
import { fixedLevels } from "../create/pages.ts";
import { cancelHref, firstLevelOf, howMany, hrefOf, type Place, trail } from "../create/place.ts";
import type { AppPage } from "../frame.ts";
import { LEVEL_NAMES } from "../links/query.ts";
import { MAX_ROWS, TABLE } from "./import-rows.ts";
import { columnsFrom, type Sheet } from "./sheet.ts";
import { LINK_TEXTS, showLinks } from "./texts.ts";

const pathsOf = (place: Place, isPasted = false): UploadPaths => ({
  form: hrefOf(place, "import"),
  again: isPasted ? "Paste other rows" : "Upload another file",
  confirm: hrefOf(place, "import/rows", isPasted ? { pasted: "1" } : {}),
  list: cancelHref(place),
  undo: `${place.member.path}/links/undo`,
});

export function importForm(place: Place, error?: AppError, sent = new URLSearchParams()): AppPage {
  const { member, parent, partners } = place;
  const levels = LEVEL_NAMES.slice(parent?.level ?? 0);
  const above = (rejected?: RejectedForm) =>
    field(
      {
        name: "cells",
        label: "Cells or paths",
        rows: 10,
        autofocus: true,
        hint: html`Paste spreadsheet cells, or one path per line: ${levels.join(" > ")}. Up to 1,000 rows. <span data-count-of="cells" data-most="${MAX_ROWS}" role="status"></span>`,
      },
      rejected,
    );
  const beside = (rejected?: RejectedForm) => html`
    <fieldset><legend>For rows without their own values</legend>
      ${settingFields(parent, partners, member.env, rejected)}
    </fieldset>`;
  const upload = uploadForm(
    LINK_TEXTS,
    pathsOf(place),
    "The check changes nothing. You'll see what would be created and changed before you confirm. You can send the same rows twice: nothing is created again.",
    error,
    { names: /^(cells|partner|partner_id|cost_data|target)$/, sent, above, beside },
  );
  const heading = parent ? "Import sub-links" : "Import links";
  return {
    title: error ? `Error: ${heading}` : heading,
    scripts: [uploadScript.href],
    ...(error && { status: ERRORS[error.code].status }),
    body: html`
      ${trail(place, heading)}
      ${pageHead(heading)}
      ${howMany(place, "import")}
      ${upload.summary}
      ${fixedLevels(place)}
      ${upload.form}
      ${format(place)}`,
  };
}

function format({ member: { path } }: Place): Markup {
  return card(
    { id: "format", title: "Format" },
    html`
      <p><strong>To create links:</strong> one link in each row, with the names from its network down to its own. Missing links above it are created too. <code>partner</code>, <code>partner_id</code>, <code>cost_data</code> (<code>on</code>, <code>off</code> or <code>inherit</code>) and <code>target</code> are for the link of the row; leave them empty to inherit. If several partners have the same name, add the ID, as in <code>Acme Ads (12)</code>. Columns can be in any order, and after the check you can choose what each of them is.</p>
      <pre tabindex="0" aria-label="Example of new links"><code>network,campaign,ad_group,creative,partner,cost_data
Acme,,,,Acme Ads,on
Acme,Spring,Runners,Video 15s,,</code></pre>
      <p><strong>To change links:</strong> a row with a <code>link_token</code> changes that link, up to 1,000 in a file. <code>partner</code> or <code>partner_id</code> attaches a partner, and <code>none</code> as the ID detaches it; <code>cost_data</code> is <code>on</code>, <code>off</code> or <code>inherit</code>; <code>archived</code> is <code>yes</code> or <code>no</code>; <code>target</code> is a URL, <code>none</code> for the app's URLs, or <code>inherit</code>. An empty cell changes nothing.</p>
      <pre tabindex="0" aria-label="Example of changes"><code>link_token,partner_id,cost_data,archived
q2r7kd0n5x,1,on,
h4tz9wcm2b,none,inherit,yes</code></pre>
      <p>An <a href="${path}/links.csv" download>export</a> has all columns that an import accepts. It leaves out archived links; for a file with them, <a href="${path}/links?archived=all">show archived links</a> before you export. For 24 hours, you can <a href="${path}/links/undo">undo</a> an import.</p>`,
  );
}

/** A name that no partner has, in so many rows, and the partner that nearly has it. */
export interface Correction {
  name: string;
  near: string;
  rows: number;
  /** Whether somebody chose it. */
  isUsed: boolean;
}

/** The rows as they were sent, and how they were read. */
export interface Read {
  sheet: Sheet;
  sent: URLSearchParams;
  text: string;
  isFile: boolean;
  corrections: Correction[];
}

/** `good` has the rows to import. */
export function checkedPage(place: Place, found: { outcomes: Outcome[]; good: string }, read: Read): AppPage {
  const { problem, warning } = read.sheet;
  const columns = columnsForm(place, read);
  const more = html`${warning === undefined ? "" : notice(warning, "warn")}${columns}`;
  const body = checkedBody(
    LINK_TEXTS,
    pathsOf(place, !read.isFile),
    { ...found, more },
    showLinks(place.member),
  );
  return {
    title: "Check rows",
    ...(problem !== undefined && { status: 400 }),
    scripts: [uploadScript.href],
    body: html`${trail(place, "Import")} ${problem === undefined ? body : html`${pageHead("Check rows")}${notice(problem, "error", { announced: true })}${columns}`}`,
  };
}

/** The first rows with what each column is, which can be changed, and names to correct. */
function columnsForm(place: Place, { sheet, sent, text, isFile, corrections }: Read): Markup {
  const { columns, headings, sample } = sheet;
  const names = columnsFrom(firstLevelOf(place));
  const options: Option[] = [
    ["", "Ignore"],
    ...names.map((name): Option => [name, FIELD_NAMES[name] ?? name]),
  ];
  const headingOf = (at: number) => headings?.[at] || `Column ${at + 1}`;
  const choose = (at: number) => html`
    <select name="column${at}" aria-label="${headingOf(at)}">
      ${options.map(([name, word]) => html`<option value="${name}" ${name === columns[at] ? html`selected` : ""}>${word}</option>`)}
    </select>`;
  const ignored = columns.flatMap((name, at) => {
    const heading = headingOf(at);
    return name === "" && !TABLE.unread?.includes(heading.toLowerCase()) ? [`“${heading}”`] : [];
  });
  const kept = SETTING_FIELDS.map((name): [name: string, value: string] => [name, sent.get(name) ?? ""]);
  kept.push(["chosen", "yes"], ["csv", isFile ? text : ""]);
  return card(
    { id: "columns", title: "Columns" },
    ignored.length > 0
      ? notice(`Not imported: ${showList(ignored)}. To import a column, choose what it is.`, "warn")
      : "",
    multipartForm(
      pathsOf(place).form,
      html`
        ${hiddenInputs(kept)}
        ${table<string[] | undefined>({
          label: "First rows",
          columns: columns.map((_, at) => ({
            heading: headingOf(at),
            cell: (row) => (row ? nameText(row[at] ?? "") : choose(at)),
          })),
          rows: [undefined, ...sample],
        })}
        ${check("headings", "The first row has headings", headings !== undefined)}
        ${corrections.map(({ name, near, rows, isUsed }, at) => check(`correct${at}`, html`Use ${near} for “${name}” (${showPlural(rows, "row")})`, isUsed, name))}
        ${isFile ? "" : field({ name: "cells", label: "Rows", rows: 6, value: text, hint: "Change them here, and check again." })}
        <button class="secondary">Check again</button>`,
    ),
  );
}

export function resultPage(
  place: Place,
  outcomes: Outcome[],
  leftOut: number,
  { requestId, url }: Context,
): AppPage {
  const isDone = outcomes.some(({ state }) => state === "imported");
  const undo = isDone ? undoForm(place.member, requestId) : "";
  const paths = pathsOf(place, url.searchParams.has("pasted"));
  const body = resultBody(LINK_TEXTS, paths, { outcomes, leftOut }, showLinks(place.member), undo);
  return { title: "Import result", body: html`${trail(place, "Import")} ${body}` };
}
