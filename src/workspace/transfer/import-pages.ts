/** The pages of an import: the form, what the check found, and the result. */
import { html } from "hono/html";
import { type AppError, ERRORS } from "../../errors.ts";
import type { Markup } from "../../http/pages.ts";
import {
  countList,
  countOf,
  countText,
  downloadLink,
  outcomeTable,
  uploadForm,
  uploadScript,
} from "../../usecases/uploads/pages.ts";
import type { Outcome } from "../../usecases/uploads/rows.ts";
import type { AppPage, Member } from "../frame.ts";
import { LINK_TEXTS, showPath } from "./texts.ts";

const pathOf = ({ path }: Member) => `${path}/links/import`;

export function importForm(member: Member, error?: AppError): AppPage {
  const path = pathOf(member);
  const { summary, form } = uploadForm(
    LINK_TEXTS,
    { action: path, check: path, importTo: `${path}/rows` },
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
  const path = pathOf(member);
  const ready = countOf(outcomes, "ready");
  return {
    title: "Check file",
    body: html`
      ${breadcrumb(member, "Import")}
      <h1>Check file</h1>
      <p class="lead">Nothing is created yet.</p>
      ${countList(LINK_TEXTS, outcomes, ["ready", "duplicate", "rejected"])}
      ${
        ready === 0
          ? html`<p class="notice warn">There's nothing to create. ${countOf(outcomes, "rejected") > 0 ? "Fix the rejected rows, then upload the file again." : "All links exist already."}</p>`
          : html`
            <form method="post" action="${path}/rows" enctype="multipart/form-data">
              <input type="hidden" name="rows" value="${good}">
              <p class="actions"><button>Import ${countText(LINK_TEXTS, ready)}</button> <a class="button secondary" href="${path}">Cancel</a></p>
            </form>`
      }
      ${outcomeTable(LINK_TEXTS, outcomes, showPath(member))}
      <p class="actions">${downloadLink(LINK_TEXTS, outcomes, "Download check")} ${ready === 0 ? html`<a class="button secondary" href="${path}">Upload another file</a>` : ""}</p>`,
  };
}

export function resultPage(member: Member, outcomes: Outcome[]): AppPage {
  const [created, rejected] = [countOf(outcomes, "imported"), countOf(outcomes, "rejected")];
  return {
    title: "Import result",
    body: html`
      ${breadcrumb(member, "Import")}
      <h1>Import result</h1>
      <p class="notice ${rejected === 0 ? "ok" : "warn"}" role="status">${created === 0 ? "No links created." : `${countText(LINK_TEXTS, created)} created.`}${rejected === 0 ? "" : ` ${countText(LINK_TEXTS, rejected)} rejected.`}</p>
      ${countList(LINK_TEXTS, outcomes, ["imported", "duplicate", "rejected"])}
      <p class="actions">${downloadLink(LINK_TEXTS, outcomes, "Download results")} <a class="button secondary" href="${member.path}/links">Show links</a> <a href="${pathOf(member)}">Upload another file</a></p>
      ${outcomeTable(LINK_TEXTS, outcomes, showPath(member))}`,
  };
}

function breadcrumb({ path }: Member, current: string): Markup {
  return html`
    <nav class="breadcrumb" aria-label="Breadcrumb"><ol>
      <li><a href="${path}/links">Links</a></li>
      <li aria-current="page">${current}</li>
    </ol></nav>`;
}
