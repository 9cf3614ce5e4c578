/** The console's list of cost credentials, shown by their hints, and the form to revoke one. */
import { html } from "hono/html";
import { type NamedCredentialRow, searchCredentials } from "../../db/operator/credentials.ts";
import { credentialBadge } from "../../pages/costs/states.ts";
import { nameText, notice, pageHead } from "../../pages/elements.ts";
import type { Option } from "../../pages/forms/fields.ts";
import { confirmation } from "../../pages/forms/form.ts";
import { type ListView, noRows, readListView } from "../../pages/lists/list.ts";
import { table } from "../../pages/lists/table.ts";
import { type Markup, time } from "../../pages/markup.ts";
import { CREDENTIAL, revokeCredential } from "../api/credentials.ts";
import { type Act, done, idOf, type Show } from "./layout.ts";

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
  const none = notice(
    html`No credentials yet. <a href="/operator/partners">Choose a partner</a> and open a round for it.`,
  );
  return {
    section: "Credentials",
    body: html`
      ${pageHead("Credentials")}
      <p class="lead">Issue a credential on the page of its partner.</p>
      ${list.controls}
      ${credentialTable(list.rows, noRows(list, none, "credentials"), list.heading)}
      ${list.pager}`,
  };
};

/** `heading`: of the list of all partners' credentials, what leads to another order. */
export function credentialTable(
  shown: NamedCredentialRow[],
  empty: Markup,
  heading?: ListView<NamedCredentialRow>["heading"],
) {
  return table({
    label: "Credential list",
    rows: shown.map((row) => ({ ...row, ...CREDENTIAL.toItem(row) })),
    empty,
    columns: [
      heading !== undefined && {
        ...{ heading: "Partner", ...heading("partner") },
        cell: ({ partner_id, partner }) =>
          html`<a href="/operator/partners/${partner_id}">${nameText(partner ?? "")}</a>`,
      },
      { heading: "Credential", onPhone: 5, cell: ({ hint }) => html`<code>${hint}</code>` },
      {
        heading: "Mode",
        cell: ({ mode, round_id, roundState }) =>
          mode === "live"
            ? "Live"
            : html`Test, <a href="/operator/rounds/${round_id ?? ""}">round ${round_id ?? ""}</a>${roundState && roundState !== "open" ? `, ${roundState}` : ""}`,
      },
      { heading: "Cost types", onPhone: 7, cell: ({ cost_types }) => cost_types.join(", ") },
      {
        heading: "Created",
        isMinor: true,
        ...heading?.("created"),
        cell: ({ created_at }) => time(created_at),
      },
      {
        heading: "State",
        onPhone: "beside",
        cell: ({ revoked_at, roundState }) =>
          credentialBadge(revoked_at !== null, roundState != null && roundState !== "open"),
      },
      {
        heading: "Revoke",
        kind: "action",
        cell: ({ id, hint, revoked_at }) =>
          revoked_at
            ? time(revoked_at)
            : confirmation({
                action: `/operator/credentials/${id}/revoke`,
                summary: html`Revoke<span class="visually-hidden"> ${hint}</span>`,
                explanation: `Requests with ${hint} will be rejected immediately. This can't be undone.`,
                button: "Revoke credential",
              }),
      },
    ],
  });
}

export const submitRevocation: Act = async (context, session) => {
  const { partner_id } = await revokeCredential.handle(context, session, { path: { id: idOf(context) } });
  return done(`/operator/partners/${partner_id}`, "credential-revoked");
};
