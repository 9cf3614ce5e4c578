/** The pages of an upload: the form, what the check found, and the result. */
import { html } from "hono/html";
import { type AppError, ERRORS } from "../errors.ts";
import { RESULT_COLUMNS } from "../usecases/costs/batch.ts";
import {
  countList,
  countOf,
  countText,
  downloadLink,
  outcomeTable,
  type UploadTexts,
  uploadForm,
  uploadScript,
} from "../usecases/uploads/pages.ts";
import type { Outcome } from "../usecases/uploads/rows.ts";
import type { PartnerPage } from "./frame.ts";

const COST_TEXTS: UploadTexts = {
  noun: ["cost", "costs"],
  name: "Cost ID",
  states: {
    ready: { word: "ready", color: "ok", meaning: "Would be imported" },
    imported: { word: "imported", color: "ok", meaning: "Imported" },
    duplicate: { word: "duplicate", color: "", meaning: "Sent before, nothing changes" },
    rejected: { word: "rejected", color: "error", meaning: "Rejected" },
  },
  said: { ready: "would be imported", imported: "imported", duplicate: "were sent before" },
  columns: RESULT_COLUMNS,
};

const showId = ({ name }: Outcome) => html`<code>${name}</code>`;

export function uploadPage(error?: AppError): PartnerPage {
  const path = "/partner/upload";
  const { summary, form } = uploadForm(
    COST_TEXTS,
    { action: path, check: `${path}/check-part`, importTo: `${path}/import-part` },
    "The check changes nothing. You see what would be imported first, and confirm it. Uploading the same file again changes nothing either.",
    error,
  );
  return {
    title: error ? "Error: Upload costs" : "Upload costs",
    scripts: [uploadScript.href],
    ...(error && { status: ERRORS[error.code].status }),
    body: html`
      <h1>Upload costs</h1>
      ${summary}
      ${form}
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
export function checkedPage(outcomes: Outcome[], good: string): PartnerPage {
  const ready = countOf(outcomes, "ready");
  return {
    title: "Check file",
    body: html`
      <h1>Check file</h1>
      <p class="lead">Nothing is imported yet.</p>
      ${countList(COST_TEXTS, outcomes, ["ready", "duplicate", "rejected"])}
      ${
        ready === 0
          ? html`<p class="notice warn">There's nothing to import. ${countOf(outcomes, "rejected") > 0 ? "Fix the rejected rows, then upload the file again." : "All costs were sent before."}</p>`
          : html`
            <form method="post" action="/partner/upload/import" enctype="multipart/form-data">
              <input type="hidden" name="rows" value="${good}">
              <p class="actions"><button>Import ${countText(COST_TEXTS, ready)}</button> <a class="button secondary" href="/partner/upload">Cancel</a></p>
            </form>`
      }
      ${outcomeTable(COST_TEXTS, outcomes, showId)}
      <p class="actions">${downloadLink(COST_TEXTS, outcomes, "Download check")} ${ready === 0 ? html`<a class="button secondary" href="/partner/upload">Upload another file</a>` : ""}</p>`,
  };
}

export function resultPage(outcomes: Outcome[]): PartnerPage {
  const [imported, rejected] = [countOf(outcomes, "imported"), countOf(outcomes, "rejected")];
  return {
    title: "Import result",
    body: html`
      <h1>Import result</h1>
      <p class="notice ${rejected === 0 ? "ok" : "warn"}" role="status">${imported === 0 ? "No costs imported." : `${countText(COST_TEXTS, imported)} imported.`}${rejected === 0 ? "" : ` ${countText(COST_TEXTS, rejected)} rejected.`}</p>
      ${countList(COST_TEXTS, outcomes, ["imported", "duplicate", "rejected"])}
      <p class="actions">${downloadLink(COST_TEXTS, outcomes, "Download results")} <a class="button secondary" href="/partner/costs">Show costs</a> <a href="/partner/upload">Upload another file</a></p>
      ${outcomeTable(COST_TEXTS, outcomes, showId)}`,
  };
}
