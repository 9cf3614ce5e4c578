/** The console's list of cost credentials, shown by their hints, and the form to revoke one. */
import { html } from "hono/html";
import {
  type CredentialRow,
  type NamedCredentialRow,
  searchCredentials,
} from "../../db/operator/credentials.ts";
import type { Option } from "../../pages/fields.ts";
import { noRows, readListView } from "../../pages/list.ts";
import { type Markup, time } from "../../pages/markup.ts";
import { revokeCredential, toCredentialItem } from "../api/credentials.ts";
import { confirmStep, table } from "./elements.ts";
import { type Act, done, idOf, type Show } from "./layout.ts";

const NO_CREDENTIALS = html`<p class="notice">No credentials yet. <a href="/operator">Choose a partner</a> and open a round for it.</p>`;

const LIST = {
  path: "/operator/credentials",
  nouns: ["credential", "credentials"] as [string, string],
  search: "Partner or credential contains",
  sorts: { "-created": "Newest first", partner: "Partner" },
  filters: [
    {
      name: "mode",
      label: "Mode",
      options: [
        ["", "Any mode"],
        ["live", "Live"],
        ["test", "Test"],
      ] as Option[],
    },
    {
      name: "state",
      label: "State",
      options: [
        ["", "Any state"],
        ["active", "Active"],
        ["revoked", "Revoked"],
      ] as Option[],
    },
  ],
};

export const credentialsPage: Show = async (context) => {
  const list = await readListView(context, LIST, searchCredentials);
  return {
    section: "Credentials",
    body: html`
      <h1>Credentials</h1>
      <p class="lead">Issue a credential on the page of its partner.</p>
      ${list.controls}
      ${credentialTable(list.rows, noRows(list, NO_CREDENTIALS, "credentials"), true)}
      ${list.pager}`,
  };
};

/** A credential. The list of all partners' credentials also has the partner's name and the state of the round. */
type ShownCredential = CredentialRow & Partial<Pick<NamedCredentialRow, "partner" | "roundState">>;

export function credentialTable(shown: ShownCredential[], empty: Markup, withPartner = false): Markup | "" {
  const partner = withPartner ? ["Partner"] : [];
  const columns = ["Credential", "Mode", ...partner, "Cost types", "Created", "State"];
  const rows = shown.map((row) => credentialRow(row, withPartner));
  return table("Credential list", columns, rows, empty);
}

function credentialRow(row: ShownCredential, withPartner: boolean): Markup {
  const item = toCredentialItem(row);
  const ended = row.roundState && row.roundState !== "open" ? html`, ${row.roundState}` : "";
  return html`
    <tr>
      <th scope="row"><code>${item.hint}</code></th>
      <td data-label="Mode">${item.mode === "live" ? "live" : html`test, <a href="/operator/rounds/${item.round_id ?? ""}">round ${item.round_id ?? ""}</a>${ended}`}</td>
      ${withPartner ? html`<td data-label="Partner"><a href="/operator/partners/${item.partner_id}">${row.partner}</a></td>` : ""}
      <td data-label="Cost types">${item.cost_types.join(", ")}</td>
      <td data-label="Created">${time(item.created_at)}</td>
      <td data-label="State">${
        item.revoked_at
          ? html`<span class="badge error">revoked</span> ${time(item.revoked_at)}`
          : html`<span class="badge ok">active</span> ${confirmStep({
              action: `/operator/credentials/${item.id}/revoke`,
              summary: "Revoke",
              explanation: `Requests with ${item.hint} will be rejected immediately. This can't be undone.`,
              button: "Revoke credential",
            })}`
      }</td>
    </tr>`;
}

export const submitRevocation: Act = async (context, session) => {
  const { partner_id } = await revokeCredential.handle(context, session, { path: { id: idOf(context) } });
  return done(`/operator/partners/${partner_id}`, "credential-revoked");
};
