/** Credentials by their hints, and how one is revoked. */
import { html } from "hono/html";
import type * as z from "zod/mini";
import { toPage } from "../../db/keyset.ts";
import { listCredentials, type NamedCredentialRecord } from "../../db/operator/credentials.ts";
import type { Context } from "../../env.ts";
import type { Markup } from "../../http/pages.ts";
import { time } from "../../usecases/rounds/view.ts";
import * as actions from "../actions.ts";
import { type credential, toCredentialItem } from "../resources.ts";
import { confirmStep } from "./fields.ts";
import {
  consolePage,
  done,
  type FormError,
  idOf,
  nextLink,
  type OperatorSession,
  rangeOf,
} from "./layout.ts";

/** With its partner's name and the state of its round, where other partners' credentials stand beside it. */
type CredentialItem = z.output<typeof credential> &
  Partial<Pick<NamedCredentialRecord, "partner" | "round_state">>;

export async function credentialsPage(
  context: Context,
  operatorSession: OperatorSession,
  formError?: FormError,
): Promise<Response> {
  const range = rangeOf(context);
  const found = await listCredentials(context.env.DB, operatorSession.actor, range);
  operatorSession.authorize(found.access);
  const page = toPage(range, found.rows);
  return consolePage(context, operatorSession, {
    title: "Credentials",
    section: "Credentials",
    formError,
    body: html`
      <h1>Credentials</h1>
      ${
        page.items.length === 0
          ? html`<p class="notice">There is no credential yet. <a href="/operator">Choose a partner</a> and open a round for it.</p>`
          : credentialTable(
              page.items.map((row) => ({
                ...toCredentialItem(row),
                partner: row.partner,
                round_state: row.round_state,
              })),
              true,
            )
      }
      ${nextLink("/operator/credentials", page.next)}`,
  });
}

export function credentialTable(items: CredentialItem[], withPartner = false): Markup {
  return html`
    <div class="table" tabindex="0" role="region" aria-label="Every credential"><table>
      <thead><tr><th scope="col">Credential</th><th scope="col">Kind</th>${withPartner ? html`<th scope="col">Partner</th>` : ""}<th scope="col">Cost types</th><th scope="col">Made</th><th scope="col">State</th></tr></thead>
      <tbody>${items.map((item) => credentialRow(item, withPartner))}</tbody>
    </table></div>`;
}

function credentialRow(item: CredentialItem, withPartner: boolean): Markup {
  return html`
    <tr>
      <th scope="row"><code>${item.hint}</code></th>
      <td>${item.mode === "live" ? "live" : html`test, <a href="/operator/rounds/${item.round_id ?? ""}">round ${item.round_id ?? ""}</a>${item.round_state && item.round_state !== "open" ? html`, ${item.round_state}` : ""}`}</td>
      ${withPartner ? html`<td><a href="/operator/partners/${item.partner_id}">${item.partner}</a></td>` : ""}
      <td>${item.cost_types.join(", ")}</td>
      <td>${time(item.created_at)}</td>
      <td>${
        item.revoked_at
          ? html`<span class="badge">revoked</span> ${time(item.revoked_at)}`
          : confirmStep({
              action: `/operator/credentials/${item.id}/revoke`,
              open: "Revoke",
              explain: `The partner's requests with ${item.hint} are rejected from that moment on. This cannot be taken back.`,
              button: "Revoke for good",
            })
      }</td>
    </tr>`;
}

export async function revokeCredential(
  context: Context,
  operatorSession: OperatorSession,
): Promise<Response> {
  const { partner_id } = await actions.revokeCredential(context, operatorSession, idOf(context));
  return done(context, `/operator/partners/${partner_id}`, "revoked");
}
