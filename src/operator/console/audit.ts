/** The audit log: sign-ins and changes, newest first. */
import { html } from "hono/html";
import { toPage } from "../../db/keyset.ts";
import { listAudit } from "../../db/operator/audit.ts";
import { time } from "../../usecases/rounds/view.ts";
import { toAuditItem } from "../api/audit.ts";
import { table } from "./elements.ts";
import type { Show } from "./layout.ts";

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
        html`<tr><td>${time(item.happened_at)}</td><td>${nameUser(item)}</td><th scope="row">${item.action}: ${item.subject}</th><td>${Object.entries(item.detail).map(([name, value]) => html`<div><code>${name}: ${typeof value === "string" ? value : JSON.stringify(value)}</code></div>`)}</td></tr>`,
    );
  return {
    section: "Audit log",
    body: html`
      <h1>Audit log</h1>
      ${table("Audit log", ["Time", "User", "Action", "Details"], rows)}
      ${page.previous === null ? "" : html`<p><a href="/operator/audit?before=${page.previous}">Older entries</a></p>`}`,
  };
};

function nameUser({ user, action }: ReturnType<typeof toAuditItem>): string {
  return user?.email ?? (action === "create user" ? "Command line" : "Not signed in");
}
