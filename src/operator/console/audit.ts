/** The audit log: the changes by operators, newest first. */
import { html } from "hono/html";
import { toPage } from "../../db/keyset.ts";
import { listAudit } from "../../db/operator/audit.ts";
import { time } from "../../usecases/rounds/view.ts";
import { toAuditItem } from "../resources/audit.ts";
import { consolePage, type Show } from "./layout.ts";

export const auditPage: Show = async (context, session) => {
  const requested = context.url.searchParams.get("before") ?? "";
  const before = /^\d{1,15}$/.test(requested) ? Number(requested) : Number.MAX_SAFE_INTEGER;
  const range = { after: null, before, limit: 100 };
  const { rows } = await listAudit(context.env.DB, range);
  const page = toPage(range, rows);
  const items = page.items.map(toAuditItem).reverse();
  return consolePage(context, session, {
    title: "Audit log",
    section: "Audit log",
    body: html`
      <h1>Audit log</h1>
      ${
        items.length === 0
          ? html`<p class="notice">No changes yet. Every change by an operator is listed here, with the user and the time.</p>`
          : html`<div class="table" tabindex="0" role="region" aria-label="Audit log"><table>
              <thead><tr><th scope="col">Time</th><th scope="col">User</th><th scope="col">Action</th><th scope="col">Details</th></tr></thead>
              <tbody>${items.map((item) => html`<tr><td>${time(item.happened_at)}</td><td>${item.user?.email ?? "Command line"}</td><th scope="row">${item.action}: ${item.subject}</th><td>${Object.entries(item.detail).map(([name, value]) => html`<div><code>${name}: ${typeof value === "string" ? value : JSON.stringify(value)}</code></div>`)}</td></tr>`)}</tbody>
            </table></div>`
      }
      ${page.previous === null ? "" : html`<p><a href="/operator/audit?before=${page.previous}">Older entries</a></p>`}`,
  });
};
