/** The pages of an import: the form, what the check found, and the result. */
import { html } from "hono/html";
import { type AppError, ERRORS } from "../../errors.ts";
import type { Markup } from "../../pages/markup.ts";
import {
  checkedBody,
  resultBody,
  type UploadPaths,
  uploadForm,
  uploadScript,
} from "../../pages/uploads/pages.ts";
import type { Outcome } from "../../pages/uploads/rows.ts";
import type { AppPage, Member } from "../frame.ts";
import { LINK_TEXTS, showPath } from "./texts.ts";

const pathsOf = ({ path }: Member): UploadPaths => ({
  form: `${path}/links/import`,
  confirm: `${path}/links/import/rows`,
  list: `${path}/links`,
});

export function importForm(member: Member, error?: AppError): AppPage {
  const paths = pathsOf(member);
  const { summary, form } = uploadForm(
    LINK_TEXTS,
    { action: paths.form, check: paths.form, importTo: paths.confirm },
    "The check changes nothing. You see what would be created first, and confirm it. Links that exist are never created again or changed, so you can upload the same file twice.",
    error,
  );
  return {
    title: error ? "Error: Import links" : "Import links",
    scripts: [uploadScript.href],
    ...(error && { status: ERRORS[error.code].status }),
    body: html`
      ${breadcrumb(member, "Import")}
      <h1>Import links</h1>
      ${summary}
      ${form}
      <section class="card" aria-labelledby="format">
        <h2 id="format">Format</h2>
        <p>One link in each row, with the names from its network down to its own. Links above it that are missing are created too. <code>partner</code>, <code>partner_id</code> and <code>cost_data</code> (<code>on</code> or <code>off</code>) are for the link of the row; leave them empty to inherit. Only <code>network</code> is a required column. A row with a <code>link_token</code> names an existing link.</p>
        <p>An <a href="${member.path}/links.csv" download>export</a> has all columns that an import accepts. It leaves out archived links; for a file with them, <a href="${member.path}/links?archived=all">show archived links</a> before you export.</p>
        <pre tabindex="0" aria-label="Example"><code>network,campaign,ad_group,creative,partner,cost_data
Acme,,,,Acme Ads,on
Acme,Spring,Runners,Video 15s,,</code></pre>
      </section>`,
  };
}

/** `good` has the rows to import. */
export function checkedPage(member: Member, outcomes: Outcome[], good: string): AppPage {
  const body = checkedBody(LINK_TEXTS, pathsOf(member), { outcomes, good }, showPath(member));
  return { title: "Check file", body: html`${breadcrumb(member, "Import")} ${body}` };
}

export function resultPage(member: Member, outcomes: Outcome[]): AppPage {
  const body = resultBody(LINK_TEXTS, pathsOf(member), outcomes, showPath(member));
  return { title: "Import result", body: html`${breadcrumb(member, "Import")} ${body}` };
}

function breadcrumb({ path }: Member, current: string): Markup {
  return html`
    <nav class="breadcrumb" aria-label="Breadcrumb"><ol>
      <li><a href="${path}/links">Links</a></li>
      <li aria-current="page">${current}</li>
    </ol></nav>`;
}
