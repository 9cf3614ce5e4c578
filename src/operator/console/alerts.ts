/** The console's pages of alerts and webhooks: those of operators. */
import { html } from "hono/html";
import { listAppsWithArchived } from "../../db/operator/apps.ts";
import { listPartnerNames } from "../../db/operator/partners.ts";
import { type Context, findEmail } from "../../env.ts";
import type { Owner } from "../../pages/alerts/owner.ts";
import { SCREENS } from "../../pages/alerts/screens.ts";
import { card } from "../../pages/elements.ts";
import type { Markup } from "../../pages/markup.ts";
import { type Act, done, type Form, type Show } from "./layout.ts";
import type { OperatorSession } from "./session.ts";
import { passwordField } from "./step-up.ts";

const PATH = "/operator/alerts";
const section = "Alerts";

const ownerOf = (context: Context, session: OperatorSession): Owner => ({
  ...{ userId: session.userId, now: session.now, appToken: null, path: PATH },
  async readNames() {
    const { DB } = context.env;
    const [apps, partners] = await Promise.all([listAppsWithArchived(DB), listPartnerNames(DB)]);
    return {
      partners: new Map(partners.map(({ id, name }) => [id, name])),
      apps: new Map(apps.map(({ token, name }) => [token, name])),
    };
  },
  more: emailCard(context),
  ...(session.confirm && { confirm: session.confirm }),
  passwordField: (form, rejected) => passwordField(session, form, rejected),
});

function emailCard({ env }: Context): Markup {
  const email = findEmail(env);
  return card(
    { id: "email", title: "Email" },
    email
      ? html`<p>Alerts are sent to ${email.to.join(", ")}.</p>`
      : html`<p class="muted">Not set up. <a href="/docs/alerts#email">How to send alerts by email</a></p>`,
  );
}

interface Shown {
  path: string;
  show: Show;
  act?: Act;
  isSensitive?: (form: Form) => boolean;
}
/** Each with what it shows, what its forms do, and which of them need the password. */
export const alertPages = SCREENS.map(
  ({ path, show, act, showsSecret }): Shown => ({
    path: PATH + path,
    show: async (context, rejected, session) => ({
      ...(await show(context, ownerOf(context, session), rejected)),
      section,
    }),
    ...(act && {
      act: async (context, session, form) => {
        const result = await act(context, ownerOf(context, session), form);
        return "notice" in result ? done(result.to, result.notice) : { ...result, section };
      },
    }),
    ...(showsSecret && { isSensitive: showsSecret }),
  }),
);
