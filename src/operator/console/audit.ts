/** The audit log: the changes by operators, newest first. */
import { html } from "hono/html";
import { toPage } from "../../db/keyset.ts";
import { listAudit } from "../../db/operator/audit.ts";
import { time } from "../../usecases/rounds/view.ts";
import { toAuditItem } from "../api/audit.ts";
import { table } from "./elements.ts";
import type { Show } from "./layout.ts";

const NO_CHANGES = html`<p class="notice">No changes yet. Every change by an operator is listed here, with the user and the time.</p>`;

export const auditPage: Show = async (context) => {
  const requested = context.url.searchParams.get("before") ?? "";
  const before = /^\d{1,15}$/.test(requested) ? Number(requested) : Number.MAX_SAFE_INTEGER;
  const range = { after: null, before, limit: 100 };
  const page = toPage(range, (await listAudit(context.env.DB, range)).rows);
  const rows = page.items
    .map(toAuditItem)
    .reverse()
    .map(
      (item) =>
        html`<tr><td>${time(item.happened_at)}</td><td>${item.user?.email ?? "Command line"}</td><th scope="row">${item.action}: ${item.subject}</th><td>${Object.entries(item.detail).map(([name, value]) => html`<div><code>${name}: ${typeof value === "string" ? value : JSON.stringify(value)}</code></div>`)}</td></tr>`,
    );
  return {
    section: "Audit log",
    body: html`
      <h1>Audit log</h1>
      ${table("Audit log", ["Time", "User", "Action", "Details"], rows, NO_CHANGES)}
      ${page.previous === null ? "" : html`<p><a href="/operator/audit?before=${page.previous}">Older entries</a></p>`}`,
  };
};
