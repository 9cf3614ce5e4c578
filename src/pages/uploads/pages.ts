/** The pages of an upload: its form with the progress of the script, what the check found, and the result. */
import { html } from "hono/html";
import { AppError } from "../../errors.ts";
import { toSentence } from "../../http/input/parse.ts";
import { servedScript } from "../../http/served-file.ts";
import { buttonLink, notice, pageHead } from "../elements.ts";
import { errorSummary, field, RejectedForm } from "../forms/fields.ts";
import { showPlural } from "../locale.ts";
import type { Markup } from "../markup.ts";
import {
  countChanges,
  countItems,
  countOf,
  counts,
  countText,
  type OutcomeTexts,
  outcomeTable,
  type ShowOutcome,
} from "./outcomes.ts";
import { NOT_UTF8, type Outcome, toResultFile, UTF16, WORKBOOK } from "./rows.ts";
import { script as text } from "./upload.client.js";

/** Sends a file that is too large for one request in parts. */
export const uploadScript = servedScript("/upload.js", text);

/** The words of a surface for its upload. */
export interface UploadTexts extends OutcomeTexts {
  /** The step before the import: "Check file" by default. */
  check?: string;
  /** What the script says after the number of rows. */
  said: { ready: string; imported: string; duplicate: string };
  /** Of the file of results. */
  columns: string[];
  /** The headings of the levels below the first, if a row can be below another one, separated by `|`. */
  levels?: string[];
}

const FILE_NAME = "results.csv";
const CHECK = "Check file";

/** Where the forms of an upload lead, and the parts of a larger file: to the check, the confirmation, and what was imported. */
export interface UploadPaths {
  form: string;
  confirm: string;
  list: string;
  /** The link to the form for other rows. */
  again: string;
  /** What undoes an import. */
  undo?: string;
}

/** What a form has beside its file: fields with these names. */
export interface MoreFields {
  names: RegExp;
  sent: URLSearchParams;
  above: (rejected?: RejectedForm) => Markup;
  beside: (rejected?: RejectedForm) => Markup;
}

/** The form of the file, and where the script shows its progress. After an error, the summary is shown above the form. */
export function uploadForm(
  texts: UploadTexts,
  paths: UploadPaths,
  note: Markup | string,
  error?: AppError,
  more?: MoreFields,
): { summary: Markup | ""; form: Markup } {
  const rejected = error && rejectFile(error, more);
  const [above = "", beside = ""] = [more?.above(rejected), more?.beside(rejected)];
  const file = field(
    {
      name: "file",
      label: "CSV file",
      subject: "The file",
      type: "file",
      accept: ".csv,text/csv",
      required: more === undefined,
      hint: "With a header row, up to 10 MB. From Excel, save it as “CSV UTF-8”. Without JavaScript, up to 1,000 rows and 1 MB.",
    },
    rejected,
  );
  const { noun, said } = texts;
  const words = (of: UploadTexts["changes"] = {}) =>
    Object.fromEntries(Object.entries(of).map(([state, { word }]) => [state, word]));
  const data = html`data-words="${JSON.stringify([words(texts.states), words(texts.changes)])}" data-import="${paths.confirm}" data-one="${noun[0]}" data-many="${noun[1]}"
    data-ready="${said.ready}" data-imported="${said.imported}" data-duplicate="${said.duplicate}" data-not-utf8="${NOT_UTF8}" data-utf16="${UTF16}" data-workbook="${WORKBOOK}"
    ${texts.levels ? html`data-levels="${texts.levels.join(" ")}"` : ""}`;
  const lead = html`<strong>The file can't be imported.</strong> Nothing was imported.`;
  return {
    summary: rejected ? errorSummary(rejected, lead) : "",
    form: html`
      <section class="card">
        ${multipartForm(
          paths.form,
          html`
          ${more ? html`<div class="columns"><div>${above}${file}</div><div>${beside}</div></div>` : file}
          <button>${texts.check ?? CHECK}</button>
          <progress aria-label="Check" hidden></progress>`,
          html` id="upload" ${data}`,
        )}
        <p class="hint">${note}</p>
      </section>
      ${progress(texts, paths)}`,
  };
}

/** A form that has room for the rows of a file. */
export const multipartForm = (action: string, content: Markup, attributes: Markup | "" = ""): Markup =>
  html`<form method="post" action="${action}" enctype="multipart/form-data"${attributes}>${content}</form>`;

/** The script sends larger files in parts. */
const TOO_LARGE =
  "Without JavaScript, a file can have at most 1,000 rows and 1 MB. Split it, or turn JavaScript on.";

/** What is wrong with the columns and rows of a file is an error of its field. */
function rejectFile({ code, message, errors }: AppError, more?: MoreFields): RejectedForm {
  const own = errors.map(({ param, message: wrong }) => {
    if (more?.names.test(param)) return { param, message: wrong };
    const text = /^(file|body)$/.test(param)
      ? wrong
      : `In the file: ${toSentence({ param, message: wrong })}`;
    return { param: "file", message: text };
  });
  const isTooLarge = code === "payload_too_large";
  const whole = { param: "file", message: isTooLarge ? TOO_LARGE : message };
  return new RejectedForm(
    new AppError(code, message, { errors: own.length > 0 ? own : [whole] }),
    more?.sent,
  );
}

function progress(texts: UploadTexts, { list, undo }: UploadPaths): Markup {
  return html`
    <section class="card" id="progress" aria-labelledby="progress-title" hidden>
      <h2 id="progress-title" tabindex="-1">Check</h2>
      <p role="status"></p>
      <progress aria-labelledby="progress-title"></progress>
      <div class="table stacked" tabindex="0" role="region" aria-label="First rows" hidden><table>
        <thead><tr><th scope="col">Row</th><th scope="col">${texts.name}</th><th scope="col">Result</th><th scope="col">Details</th></tr></thead>
        <tbody></tbody>
      </table></div>
      <div class="actions">
        <button type="button" id="import" hidden></button>
        ${undo === undefined ? "" : html`<form method="post" action="${undo}" id="undo" hidden><input type="hidden" name="change"><button class="secondary">Undo</button></form>`}
        <a class="button secondary" id="list" href="${list}" hidden>Show ${texts.noun[1]}</a>
        <a class="button secondary" id="download" download="${FILE_NAME}" hidden>Download results</a>
      </div>
    </section>`;
}

/** What the check of a file found. `good` has the rows to import; `more` can change what they are. */
export function checkedBody(
  texts: UploadTexts,
  paths: UploadPaths,
  { outcomes, good, more = "" }: { outcomes: Outcome[]; good: string; more?: Markup | "" },
  show: ShowOutcome,
): Markup {
  const { said, noun } = texts;
  const todo = whatToDo(texts, outcomes);
  return html`
    ${pageHead(texts.check ?? CHECK)}
    <p class="lead">Nothing is ${countChanges(outcomes, "ready") > 0 ? "saved" : said.imported} yet.</p>
    ${counts(texts, outcomes, ["ready", "duplicate", "rejected"])}
    ${
      todo === ""
        ? notice(
            `There's nothing to import. ${countOf(outcomes, "rejected") > 0 ? "Fix the rejected rows, then check them again." : `All ${noun[1]} ${said.duplicate}.`}`,
            "warn",
          )
        : html`
${multipartForm(
  paths.confirm,
  html`
            <input type="hidden" name="rows" value="${good}">
            <input type="hidden" name="left_out" value="${countOf(outcomes, "duplicate") + countOf(outcomes, "rejected")}">
            <p class="actions"><button>${todo}</button> ${buttonLink(paths.form, "Cancel")}</p>
            <progress aria-label="Import" hidden></progress>`,
  html` id="confirm"`,
)}`
    }
    ${more}
    ${outcomeTable(texts, outcomes, show)}
    <p class="actions">${downloadLink(texts, outcomes, "Download check")} ${todo === "" ? buttonLink(paths.form, paths.again) : ""}</p>`;
}

/** What an import did. `leftOut` counts the rows that only the check had, `undo` takes the import back or says how. */
export function resultBody(
  texts: UploadTexts,
  paths: UploadPaths,
  { outcomes, leftOut }: { outcomes: Outcome[]; leftOut: number },
  show: ShowOutcome,
  undo: Markup | "" = "",
): Markup {
  const rejected = countOf(outcomes, "rejected");
  const { said, noun } = texts;
  const [items, changes] = [countItems(outcomes, "imported"), countChanges(outcomes, "imported")];
  const done = [
    items > 0 || changes === 0
      ? `${items === 0 ? `No ${noun[1]}` : countText(texts, items)} ${said.imported}.`
      : "",
    changes > 0 ? `${countText(texts, changes)} changed.` : "",
    rejected > 0 ? `${countText(texts, rejected)} rejected.` : "",
    leftOut > 0 ? `${showPlural(leftOut, "row was", "rows were")} left out, as the check said.` : "",
  ];
  return html`
    ${pageHead("Import result")}
    ${notice(done.filter(Boolean).join(" "), rejected === 0 ? "ok" : "warn", { announced: true, action: undo })}
    ${counts(texts, outcomes, ["imported", "duplicate", "rejected"])}
    <p class="actions">${downloadLink(texts, outcomes, "Download results")} ${buttonLink(paths.list, `Show ${noun[1]}`)} <a href="${paths.form}">${paths.again}</a></p>
    ${outcomeTable(texts, outcomes, show)}`;
}

/** `Import 3 links and change 2 links`; an empty text if there is neither. */
function whatToDo(texts: UploadTexts, outcomes: Outcome[]): string {
  const [items, changes] = [countItems(outcomes, "ready"), countChanges(outcomes, "ready")];
  const text = [
    ...(items > 0 ? [`import ${countText(texts, items)}`] : []),
    ...(changes > 0 ? [`change ${countText(texts, changes)}`] : []),
  ].join(" and ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The file is in the page itself, because results are not stored. */
function downloadLink(texts: UploadTexts, outcomes: Outcome[], label: string): Markup {
  const file = toResultFile(texts.columns, outcomes).toWellFormed();
  const address = `data:text/csv;charset=utf-8,${encodeURIComponent(file)}`;
  return html`<a class="button secondary" href="${address}" download="${FILE_NAME}">${label}</a>`;
}
