/** The pages of an upload: the form, what the check found, and the result. */
import { html } from "hono/html";
import { type AppError, ERRORS } from "../errors.ts";
import type { Markup } from "../http/pages.ts";
import { errorText, type PartnerPage } from "./frame.ts";
import { type Outcomes, toResultFile } from "./upload-rows.ts";

export function uploadForm(error?: AppError): PartnerPage {
  return {
    title: error ? "Error: Upload costs" : "Upload costs",
    ...(error && { status: ERRORS[error.code].status }),
    body: html`
      <h1>Upload costs</h1>
      ${error ? html`<div class="notice error" role="alert" id="file-error"><p><strong>The file can't be read.</strong> Nothing was imported.</p>${errorText(error)}</div>` : ""}
      <section class="card">
        <form id="upload" method="post" action="/partner/upload" enctype="multipart/form-data">
          <div class="field">
            <label for="file">CSV file</label>
            <input id="file" name="file" type="file" accept=".csv,text/csv" required aria-describedby="file-hint${error ? " file-error" : ""}">
            <p class="hint" id="file-hint">UTF-8 with commas and a header row, up to 10 MB. Without JavaScript, up to 1,000 rows and 1 MiB.</p>
          </div>
          <button>Check file</button>
        </form>
        <p class="hint">The check changes nothing. You see what would be imported first, and confirm it. Uploading the same file again changes nothing either.</p>
      </section>
      <section class="card" id="progress" aria-labelledby="progress-title" hidden>
        <h2 id="progress-title" tabindex="-1">Check</h2>
        <p role="status"></p>
        <progress aria-labelledby="progress-title"></progress>
        <div class="table stacked" tabindex="0" role="region" aria-label="Rejected rows" hidden><table>
          <thead><tr><th scope="col">Row</th><th scope="col">Cost ID</th><th scope="col">What's wrong</th></tr></thead>
          <tbody></tbody>
        </table></div>
        <p class="actions">
          <button type="button" id="import" hidden></button>
          <a class="button secondary" id="download" download="results.csv" hidden>Download results</a>
        </p>
      </section>
      <section class="card" aria-labelledby="format">
        <h2 id="format">Format</h2>
        <p>One cost in each row. <code>cost_amount</code> can be empty. Each cost ID can be in the file once. The <a href="/docs/partners#parameters">partner guide</a> explains the values.</p>
        <pre tabindex="0" aria-label="Example"><code>cost_type,cost_currency,cost_id,cost_amount,tag
cpc,USD,yourname-20260701-0001,0.25,july
cpc,USD,yourname-20260701-0002,0.3,july</code></pre>
      </section>`,
  };
}

/** `good` has the rows to import. */
export function checkedPage(outcomes: Outcomes, good: string): PartnerPage {
  const ready = count(outcomes, "ready");
  return {
    title: "Check file",
    body: html`
      <h1>Check file</h1>
      <p class="lead">Nothing is imported yet.</p>
      ${countList(outcomes, ["ready", "duplicate", "rejected"])}
      ${
        ready === 0
          ? html`<p class="notice warn">There's nothing to import. ${count(outcomes, "rejected") > 0 ? "Fix the rejected rows, then upload the file again." : "All costs were sent before."}</p>`
          : html`
            <form method="post" action="/partner/upload/import" enctype="multipart/form-data">
              <input type="hidden" name="rows" value="${good}">
              <p class="actions"><button>Import ${costs(ready)}</button> <a class="button secondary" href="/partner/upload">Cancel</a></p>
            </form>`
      }
      ${outcomeTable(outcomes)}
      <p class="actions">${download(outcomes, "Download check")} ${ready === 0 ? html`<a class="button secondary" href="/partner/upload">Upload another file</a>` : ""}</p>`,
  };
}

export function resultPage(outcomes: Outcomes): PartnerPage {
  const [imported, rejected] = [count(outcomes, "imported"), count(outcomes, "rejected")];
  return {
    title: "Import result",
    body: html`
      <h1>Import result</h1>
      <p class="notice ${rejected === 0 ? "ok" : "warn"}" role="status">${imported === 0 ? "No costs imported." : `${costs(imported)} imported.`}${rejected === 0 ? "" : ` ${costs(rejected)} rejected.`}</p>
      ${countList(outcomes, ["imported", "duplicate", "rejected"])}
      <p class="actions">${download(outcomes, "Download results")} <a class="button secondary" href="/partner/costs">Show costs</a> <a href="/partner/upload">Upload another file</a></p>
      ${outcomeTable(outcomes)}`,
  };
}

const costs = (number: number) => `${number.toLocaleString("en-US")} ${number === 1 ? "cost" : "costs"}`;

const STATES: Record<Outcomes[number]["state"], [badge: string, meaning: string]> = {
  ready: ["ok", "Would be imported"],
  imported: ["ok", "Imported"],
  duplicate: ["", "Sent before, nothing changes"],
  rejected: ["error", "Rejected"],
};

const count = (outcomes: Outcomes, state: Outcomes[number]["state"]) =>
  outcomes.filter((one) => one.state === state).length;

function countList(outcomes: Outcomes, states: Outcomes[number]["state"][]): Markup {
  return html`<dl class="details">${states.map((state) => html`<dt>${STATES[state][1]}</dt><dd>${costs(count(outcomes, state))}</dd>`)}</dl>`;
}

/** The rejected rows first. */
function outcomeTable(outcomes: Outcomes): Markup {
  const isRejected = ({ state }: Outcomes[number]) => Number(state === "rejected");
  const sorted = outcomes.toSorted((left, right) => isRejected(right) - isRejected(left));
  return html`
    <div class="table stacked" tabindex="0" role="region" aria-label="Rows"><table>
      <thead><tr><th scope="col">Row</th><th scope="col">Cost ID</th><th scope="col">Result</th><th scope="col">Details</th></tr></thead>
      <tbody>${sorted.map(
        ({ number, costId, state, detail }) => html`
          <tr>
            <th scope="row" data-label="Row">${number}</th>
            <td data-label="Cost ID"><code>${costId}</code></td>
            <td data-label="Result"><span class="badge ${STATES[state][0]}">${state}</span></td>
            <td data-label="Details">${detail}</td>
          </tr>`,
      )}</tbody>
    </table></div>`;
}

/** The file is in the page itself, because results are not stored. */
function download(outcomes: Outcomes, label: string): Markup {
  const address = `data:text/csv;charset=utf-8,${encodeURIComponent(toResultFile(outcomes).toWellFormed())}`;
  return html`<a class="button secondary" href="${address}" download="results.csv">${label}</a>`;
}
