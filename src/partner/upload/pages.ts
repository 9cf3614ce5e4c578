/** The pages of an upload: the form, what the check found, and the result. */
import { html } from "hono/html";
import { showInvisible } from "../../domain/characters.ts";
import { COST_TYPES } from "../../domain/cost-types.ts";
import { type AppError, ERRORS } from "../../errors.ts";
import {
  checkedBody,
  resultBody,
  type UploadTexts,
  uploadForm,
  uploadScript,
} from "../../pages/uploads/pages.ts";
import type { Outcome } from "../../pages/uploads/rows.ts";
import { RESULT_COLUMNS } from "../../usecases/costs/batch.ts";
import type { PartnerPage } from "../frame.ts";

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

const PATHS = {
  form: "/partner/upload",
  again: "Upload another file",
  confirm: "/partner/upload/import",
  list: "/partner/costs",
};

const show = { name: ({ name }: Outcome) => html`<code>${showInvisible(name ?? "")}</code>` };

export function uploadPage(error?: AppError): PartnerPage {
  const { summary, form } = uploadForm(
    COST_TEXTS,
    PATHS,
    html`The check changes nothing. You'll see what would be imported before you confirm. Uploading the same file again changes nothing either. An upload can't be undone as a whole: <a href="/docs/corrections">void wrong costs one by one</a>.`,
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
        <p>One cost in each row. <code>cost_amount</code> can be empty. Use each cost ID only once in a file. The <a href="/docs/partners#parameters">partner guide</a> explains the values.</p>
        <pre tabindex="0" aria-label="Example"><code>cost_type,cost_currency,cost_id,cost_amount,tag
${COST_TYPES[0]},USD,yourname-20260701-0001,0.25,july
${COST_TYPES[0]},USD,yourname-20260701-0002,0.3,july</code></pre>
      </section>`,
  };
}

/** `good` has the rows to import. */
export function checkedPage(outcomes: Outcome[], good: string): PartnerPage {
  return { title: "Check file", body: checkedBody(COST_TEXTS, PATHS, { outcomes, good }, show) };
}

export function resultPage(outcomes: Outcome[], leftOut: number): PartnerPage {
  const isWrong = html`<a href="/docs/corrections">Void wrong costs one by one</a>`;
  const action = outcomes.some(({ state }) => state === "imported") ? isWrong : "";
  return {
    title: "Import result",
    body: resultBody(COST_TEXTS, PATHS, { outcomes, leftOut }, show, action),
  };
}
