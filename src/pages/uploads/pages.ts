/** What the pages of an upload show: the progress of the script, the counts, and a table with a row for each result. */

import { html } from "hono/html";
import { AppError } from "../../errors.ts";
import { toSentence } from "../../http/input/parse.ts";
import { servedFile } from "../../http/served-file.ts";
import { errorSummary, field, RejectedForm } from "../fields.ts";
import { showPlural } from "../locale.ts";
import type { Markup } from "../markup.ts";
import { type Outcome, toResultFile } from "./rows.ts";
import text from "./upload.client.js";

/** Sends a file that is too large for one request in parts. */
export const uploadScript = servedFile("/upload.js", "text/javascript; charset=utf-8", text);

type State = Outcome["state"];

/** The words of a surface for its rows. */
export interface UploadTexts {
  /** The singular and the plural of what a row is. */
  noun: [string, string];
  /** What a row of the table is called: "Row" by default. */
  row?: string;
  /** The heading of the column with the name of a row. */
  name: string;
  /** The word, the color and the meaning of each state. */
  states: Record<State, { word: string; color: "ok" | "error" | ""; meaning: string }>;
  /** What the script says after the number of rows. */
  said: { ready: string; imported: string; duplicate: string };
  columns: string[];
  /** The columns with the levels below the first, if a row can be below another one. */
  levels?: string[];
}

const FILE_NAME = "results.csv";

export const countOf = (outcomes: Outcome[], state: State) =>
  outcomes.filter((one) => one.state === state).length;

export const countText = ({ noun: [one, many] }: UploadTexts, count: number) => showPlural(count, one, many);

/**
 * The form of the file, and where the script shows its progress. `check` and `importTo` are the paths for parts. After an error, the
 * summary is shown above the form.
 */
export function uploadForm(
  texts: UploadTexts,
  paths: { action: string; check: string; importTo: string },
  note: string,
  error?: AppError,
): { summary: Markup | ""; form: Markup } {
  const rejected = error && rejectFile(error);
  const file = field(
    {
      name: "file",
      label: "CSV file",
      subject: "The file",
      type: "file",
      accept: ".csv,text/csv",
      required: true,
      hint: "UTF-8 with commas and a header row, up to 10 MB. Without JavaScript, up to 1,000 rows and 1 MiB.",
    },
    rejected,
  );
  const { noun, said } = texts;
  const data = html`data-check="${paths.check}" data-import="${paths.importTo}" data-one="${noun[0]}" data-many="${noun[1]}"
    data-ready="${said.ready}" data-imported="${said.imported}" data-duplicate="${said.duplicate}"
    ${texts.levels ? html`data-levels="${texts.levels.join(" ")}"` : ""}`;
  const lead = html`<strong>The file can't be read.</strong> Nothing was imported.`;
  return {
    summary: rejected ? errorSummary(rejected, lead) : "",
    form: html`
      <section class="card">
        <form id="upload" method="post" action="${paths.action}" enctype="multipart/form-data" ${data}>
          ${file}
          <button>Check file</button>
        </form>
        <p class="hint">${note}</p>
      </section>
      ${progress(texts)}`,
  };
}

/** The script sends larger files in parts. */
const TOO_LARGE =
  "Without JavaScript, a file can have at most 1,000 rows and 1 MiB. Split it, or turn JavaScript on.";

/** What is wrong with the columns and rows of a file is an error of its field. */
function rejectFile({ code, message, errors }: AppError): RejectedForm {
  const own = errors.map(({ param, message: wrong }) => ({
    param: "file",
    message: /^(file|body)$/.test(param) ? wrong : `In the file: ${toSentence({ param, message: wrong })}`,
  }));
  const isTooLarge = code === "payload_too_large";
  const whole = { param: "file", message: isTooLarge ? TOO_LARGE : message };
  return new RejectedForm(new AppError(code, message, { errors: own.length > 0 ? own : [whole] }));
}

function progress(texts: UploadTexts): Markup {
  return html`
    <section class="card" id="progress" aria-labelledby="progress-title" hidden>
      <h2 id="progress-title" tabindex="-1">Check</h2>
      <p role="status"></p>
      <progress aria-labelledby="progress-title"></progress>
      <div class="table stacked" tabindex="0" role="region" aria-label="Rejected rows" hidden><table>
        <thead><tr><th scope="col">Row</th><th scope="col">${texts.name}</th><th scope="col">What's wrong</th></tr></thead>
        <tbody></tbody>
      </table></div>
      <p class="actions">
        <button type="button" id="import" hidden></button>
        <a class="button secondary" id="download" download="${FILE_NAME}" hidden>Download results</a>
      </p>
    </section>`;
}

export function countList(texts: UploadTexts, outcomes: Outcome[], states: State[]): Markup {
  return html`<dl class="details">${states.map((state) => html`<dt>${texts.states[state].meaning}</dt><dd>${countText(texts, countOf(outcomes, state))}</dd>`)}</dl>`;
}

/** The rejected rows first. */
export function outcomeTable(
  texts: UploadTexts,
  outcomes: Outcome[],
  show: (outcome: Outcome) => Markup,
): Markup {
  const isRejected = ({ state }: Outcome) => Number(state === "rejected");
  const sorted = outcomes.toSorted((left, right) => isRejected(right) - isRejected(left));
  return html`
    <div class="table stacked" tabindex="0" role="region" aria-label="Rows"><table>
      <thead><tr><th scope="col">${texts.row ?? "Row"}</th><th scope="col">${texts.name}</th><th scope="col">Result</th><th scope="col">Details</th></tr></thead>
      <tbody>${sorted.map(
        (outcome) => html`
          <tr>
            <th scope="row" data-label="${texts.row ?? "Row"}">${outcome.number}</th>
            <td data-label="${texts.name}">${show(outcome)}</td>
            <td data-label="Result"><span class="badge ${texts.states[outcome.state].color}">${texts.states[outcome.state].word}</span></td>
            <td data-label="Details">${outcome.detail}</td>
          </tr>`,
      )}</tbody>
    </table></div>`;
}

/** Where the forms of an upload lead: the form of the file, the confirmation, and what was imported. */
export interface UploadPaths {
  form: string;
  confirm: string;
  list: string;
}

/** What the check of a file found. `good` has the rows to import. */
export function checkedBody(
  texts: UploadTexts,
  paths: UploadPaths,
  { outcomes, good }: { outcomes: Outcome[]; good: string },
  show: (outcome: Outcome) => Markup,
): Markup {
  const ready = countOf(outcomes, "ready");
  const { said, noun } = texts;
  return html`
    <h1>Check file</h1>
    <p class="lead">Nothing is ${said.imported} yet.</p>
    ${countList(texts, outcomes, ["ready", "duplicate", "rejected"])}
    ${
      ready === 0
        ? html`<p class="notice warn">There's nothing to import. ${countOf(outcomes, "rejected") > 0 ? "Fix the rejected rows, then upload the file again." : `All ${noun[1]} ${said.duplicate}.`}</p>`
        : html`
          <form method="post" action="${paths.confirm}" enctype="multipart/form-data">
            <input type="hidden" name="rows" value="${good}">
            <p class="actions"><button>Import ${countText(texts, ready)}</button> <a class="button secondary" href="${paths.form}">Cancel</a></p>
          </form>`
    }
    ${outcomeTable(texts, outcomes, show)}
    <p class="actions">${downloadLink(texts, outcomes, "Download check")} ${ready === 0 ? html`<a class="button secondary" href="${paths.form}">Upload another file</a>` : ""}</p>`;
}

/** What an import did. */
export function resultBody(
  texts: UploadTexts,
  paths: UploadPaths,
  outcomes: Outcome[],
  show: (outcome: Outcome) => Markup,
): Markup {
  const [imported, rejected] = [countOf(outcomes, "imported"), countOf(outcomes, "rejected")];
  const { said, noun } = texts;
  return html`
    <h1>Import result</h1>
    <p class="notice ${rejected === 0 ? "ok" : "warn"}" role="status">${imported === 0 ? `No ${noun[1]}` : countText(texts, imported)} ${said.imported}.${rejected === 0 ? "" : ` ${countText(texts, rejected)} rejected.`}</p>
    ${countList(texts, outcomes, ["imported", "duplicate", "rejected"])}
    <p class="actions">${downloadLink(texts, outcomes, "Download results")} <a class="button secondary" href="${paths.list}">Show ${noun[1]}</a> <a href="${paths.form}">Upload another file</a></p>
    ${outcomeTable(texts, outcomes, show)}`;
}

/** The file is in the page itself, because results are not stored. */
export function downloadLink(texts: UploadTexts, outcomes: Outcome[], label: string): Markup {
  const file = toResultFile(texts.columns, outcomes).toWellFormed();
  const address = `data:text/csv;charset=utf-8,${encodeURIComponent(file)}`;
  return html`<a class="button secondary" href="${address}" download="${FILE_NAME}">${label}</a>`;
}
