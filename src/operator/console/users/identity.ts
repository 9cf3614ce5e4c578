/** On the page of a single sign-on user: who the user is at the provider, and who can be linked. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { linkIdentity, type UserIdentity, unlinkIdentity } from "../../../db/accounts/identities.ts";
import { toIso } from "../../../domain/time.ts";
import { AppError } from "../../../errors.ts";
import { idText } from "../../../http/input/fields.ts";
import { parseOrThrow } from "../../../http/input/parse.ts";
import { badge, card, facts, nameText } from "../../../pages/elements.ts";
import { confirmation, form } from "../../../pages/forms/form.ts";
import { table } from "../../../pages/lists/table.ts";
import { type Markup, time } from "../../../pages/markup.ts";
import { type Act, done, idOf } from "../layout.ts";
import { passwordField } from "../step-up.ts";
import { SET_UP } from "./common.ts";
import type { UserView } from "./sections.ts";

type Attempt = UserIdentity["attempts"][number];

export function identitySection(view: UserView, { identity, attempts }: UserIdentity): Markup {
  return card(
    { id: "identity", title: "Single sign-on" },
    identity
      ? linked(view, identity)
      : !view.hasSingleSignOn
        ? html`<p>${SET_UP}. Until then, this user can't sign in: <a href="#sign-in">reset the password</a> to give them one.</p>`
        : html`<p>Not linked yet. The first sign-in links a member whose email address the provider has verified. Anybody else appears below, and you link them.</p>`,
    attempts.length === 0 ? "" : attemptsOf(view, attempts, identity === undefined),
  );
}

function linked({ path, session, rejectedAt }: UserView, identity: NonNullable<UserIdentity["identity"]>) {
  const action = `${path}/identity/unlink`;
  const rejected = rejectedAt(action);
  return html`
    ${facts(
      ["Provider", nameText(identity.issuer)],
      ["Subject", html`<code>${nameText(identity.subject)}</code>`],
      ["Linked", time(toIso(identity.createdAt))],
    )}
    ${confirmation({
      action,
      isOpen: rejected !== undefined,
      summary: "Unlink",
      explanation:
        "All of the user's sessions end. The next sign-in of a member with a verified email address links the user again.",
      button: "Unlink",
      more: passwordField(session, "unlink", rejected),
    })}`;
}

function attemptsOf({ path, session, rejectedAt }: UserView, attempts: Attempt[], canLink: boolean) {
  const action = `${path}/identity`;
  const rejected = rejectedAt(action);
  return html`
    <h3>Not signed in</h3>
    <p>These people signed in at the provider with the email address of this user, but nobody was linked. Ask the user for the code that they were shown, by phone or in person, and link only the row with this code.</p>
    ${table({
      label: "Not signed in",
      rows: attempts,
      columns: [
        { heading: "Code", cell: ({ code }) => html`<code>${code}</code>` },
        {
          heading: "Email address",
          cell: ({ isVerified }) =>
            isVerified ? badge("verified", "ok") : badge("verification not stated", "warn"),
        },
        // Of up to 255 characters, which a table does not break within code.
        { heading: "Subject", cell: ({ subject }) => nameText(subject) },
        { heading: "Provider", cell: ({ issuer }) => nameText(issuer) },
        { heading: "Time", cell: ({ attemptedAt }) => time(toIso(attemptedAt)) },
        canLink && {
          heading: "Link",
          kind: "action",
          cell: ({ id, code }) =>
            form({
              action,
              id: `link-${id}`,
              hidden: { attempt: String(id) },
              more: passwordField(session, `link-${id}`, rejected),
              button: html`Link<span class="visually-hidden">: ${code}</span>`,
              kind: "small secondary",
            }),
        },
      ],
    })}
    ${canLink ? "" : html`<p class="hint">To link one of them, unlink the user first.</p>`}`;
}

const attemptForm = z.object({ attempt: idText });

export const submitIdentity: Act = async (context, session, sent) => {
  const id = idOf(context);
  const { attempt } = parseOrThrow(attemptForm, { attempt: sent.get("attempt") });
  if (!(await linkIdentity(context.env.DB, session, { id, attempt }))) throw new AppError("identity_taken");
  return done(`/operator/users/${id}`, "identity-linked");
};

export const submitUnlink: Act = async (context, session) => {
  const id = idOf(context);
  if (!(await unlinkIdentity(context.env.DB, session, id))) throw new AppError("not_found");
  return done(`/operator/users/${id}`, "identity-unlinked");
};
