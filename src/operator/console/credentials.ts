/** The console's list of cost credentials, shown by their hints, and the form to revoke one. */
import { html } from "hono/html";
import { toPage } from "../../db/keyset.ts";
import { listCredentials, type NamedCredentialRow } from "../../db/operator/credentials.ts";
import type { Markup } from "../../http/pages.ts";
import { time } from "../../usecases/rounds/view.ts";
import { revokeCredential } from "../api/credentials/revoke-credential.ts";
import { type CredentialItem, toCredentialItem } from "../resources/credentials.ts";
import { confirmStep } from "./fields.ts";
import { type Act, consolePage, done, idOf, nextLink, rangeOf, type Show } from "./layout.ts";

/** A credential. The list of all partners' credentials also has the partner's name and the state of the round. */
type ShownCredential = CredentialItem & Partial<Pick<NamedCredentialRow, "partner" | "roundState">>;

export const credentialsPage: Show = async (context, session, formError) => {
  const range = rangeOf(context);
  const { rows } = await listCredentials(context.env.DB, range);
  const page = toPage(range, rows);
  return consolePage(context, session, {
    title: "Credentials",
    section: "Credentials",
    formError,
    body: html`
      <h1>Credentials</h1>
      ${
        page.items.length === 0
          ? html`<p class="notice">No credentials yet. <a href="/operator">Choose a partner</a> and open a round for it.</p>`
          : credentialTable(
              page.items.map((row) => ({
                ...toCredentialItem(row),
                partner: row.partner,
                roundState: row.roundState,
              })),
              true,
            )
      }
      ${nextLink("/operator/credentials", page.next)}`,
  });
};

export function credentialTable(items: ShownCredential[], withPartner = false): Markup {
  return html`
    <div class="table" tabindex="0" role="region" aria-label="Credential list"><table>
      <thead><tr><th scope="col">Credential</th><th scope="col">Mode</th>${withPartner ? html`<th scope="col">Partner</th>` : ""}<th scope="col">Cost types</th><th scope="col">Created</th><th scope="col">State</th></tr></thead>
      <tbody>${items.map((item) => credentialRow(item, withPartner))}</tbody>
    </table></div>`;
}

function credentialRow(item: ShownCredential, withPartner: boolean): Markup {
  return html`
    <tr>
      <th scope="row"><code>${item.hint}</code></th>
      <td>${item.mode === "live" ? "live" : html`test, <a href="/operator/rounds/${item.round_id ?? ""}">round ${item.round_id ?? ""}</a>${item.roundState && item.roundState !== "open" ? html`, ${item.roundState}` : ""}`}</td>
      ${withPartner ? html`<td><a href="/operator/partners/${item.partner_id}">${item.partner}</a></td>` : ""}
      <td>${item.cost_types.join(", ")}</td>
      <td>${time(item.created_at)}</td>
      <td>${
        item.revoked_at
          ? html`<span class="badge">revoked</span> ${time(item.revoked_at)}`
          : confirmStep({
              action: `/operator/credentials/${item.id}/revoke`,
              summary: "Revoke",
              explanation: `Requests with ${item.hint} will be rejected immediately. This can't be undone.`,
              button: "Revoke credential",
            })
      }</td>
    </tr>`;
}

export const submitRevocation: Act = async (context, session) => {
  const { partner_id } = await revokeCredential(context, session, idOf(context));
  return done(context, `/operator/partners/${partner_id}`, "credential-revoked");
};
