/** What the pages of users share: roles, the badge of a state, and the page with a temporary password. */
import { html } from "hono/html";
import { TEMPORARY } from "../../../auth/passwords.ts";
import type { Context } from "../../../env.ts";
import { badge } from "../../../pages/elements.ts";
import type { Markup } from "../../../pages/markup.ts";
import type { UserItem } from "../../api/users/users.ts";
import { type Page, secretPage } from "../layout.ts";

export const ROLE_NAMES = { member: "Member", operator: "Operator" } as const;

/** Where an operator would choose single sign-on. */
export const SET_UP = html`Single sign-on isn't set up. <a href="/docs/single-sign-on">How to set it up</a>`;

export function stateOf({ disabled_at, erased }: UserItem): Markup {
  if (erased) return badge("Erased");
  return disabled_at === null ? badge("Active", "ok") : badge("Disabled");
}

export function passwordPage({ url }: Context, { id, email, temporary_password = "" }: UserItem): Page {
  return secretPage({
    section: "Users",
    title: "Temporary password",
    name: `Temporary password for ${email}`,
    secret: temporary_password,
    use: html`<p>Send it to the user. They sign in at <code>${url.origin}/login</code> within ${TEMPORARY} and choose their own password there.</p>`,
    back: `/operator/users/${id}`,
  });
}
