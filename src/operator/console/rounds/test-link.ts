/** The page on which an operator chooses or creates the link of a round, and gets what the partner needs. */
import { html } from "hono/html";
import { listAllApps } from "../../../db/operator/apps.ts";
import { MAX_TEST_LINKS } from "../../../db/operator/test-links.ts";
import { card, copyable, facts, nameText, pageHead } from "../../../pages/elements.ts";
import { type RejectedForm, tokenOption } from "../../../pages/forms/fields.ts";
import { form } from "../../../pages/forms/form.ts";
import type { Markup } from "../../../pages/markup.ts";
import type { Link } from "../../../usecases/links/link.ts";
import { readRound } from "../../api/rounds.ts";
import { createTestLink, readNewestTestLink, readTestLink, readTestLinks } from "../../api/test-links.ts";
import { type Act, done, idOf, partnerTrail, pick, type Show } from "../layout.ts";

export const testLinkPage: Show = async (context, rejected, session) => {
  const { searchParams, origin } = context.url;
  const [round, apps] = await Promise.all([
    readRound.handle(context, session, { path: { id: idOf(context) } }),
    listAllApps(context.env.DB),
  ]);
  const path = `/operator/rounds/${round.id}/link`;
  const asked = rejected?.form.get("app_token") ?? searchParams.get("app");
  const newest = asked === null ? await readNewestTestLink(context, round.partner_id) : undefined;
  const token = asked ?? newest?.appToken ?? apps[0]?.token ?? "";
  const app = apps.find((one) => one.token === token);
  const links = app ? await readTestLinks(context, app.token, round.partner_id) : [];
  const linkToken = searchParams.get("link");
  const chosen =
    app && linkToken
      ? await readTestLink(context, { token: linkToken, appToken: app.token, partnerId: round.partner_id })
      : undefined;
  return {
    title: `Test link of round ${round.id}`,
    section: "Partners",
    body: html`
      ${partnerTrail({ id: round.partner_id, name: round.partner }, "Test link", [`Round ${round.id}`, `/operator/rounds/${round.id}`])}
      ${pageHead("Test link")}
      ${
        chosen
          ? handover(chosen, round.partner, origin)
          : html`<p class="lead">${nameText(round.partner)} opens a test link with a cost ID, then sends the cost with the same ID.</p>`
      }
      ${card({ id: "choose", title: "Choose an app" }, chooseApp(path, apps, token))}
      ${app ? existingLinks(path, app, links) : ""}
      ${app && round.state === "open" ? newLink(path, app, round.partner, rejected) : ""}`,
  };
};

type App = { token: string; name: string };

function chooseApp(path: string, apps: App[], token: string): Markup {
  if (apps.length === 0)
    return html`<p class="muted">No apps yet. <a href="/operator/apps/new">Create an app</a> first.</p>`;
  const options = apps.map(tokenOption);
  return form({
    method: "get",
    action: path,
    fields: { app: { label: "App", options } },
    values: { app: token },
    button: "Choose app",
    kind: "secondary",
  });
}

function existingLinks(path: string, app: App, links: Link[]): Markup {
  const items = links.map(({ label, token }) => {
    const query = new URLSearchParams({ app: app.token, link: token });
    return html`<li><a href="${path}?${query}">${nameText(label)}</a> <code>${token}</code></li>`;
  });
  return card(
    { id: "existing", title: html`Links of ${nameText(app.name)} with this partner` },
    items.length === 0
      ? html`<p class="muted">No link of this app has the partner attached. Create one below.</p>`
      : html`<ul>${items}</ul>`,
    items.length === MAX_TEST_LINKS ? html`<p class="muted">Showing the newest ${MAX_TEST_LINKS}.</p>` : "",
  );
}

const newLink = (path: string, app: App, partner: string, rejected?: RejectedForm): Markup =>
  card(
    { id: "new", title: "New link" },
    form(
      {
        action: path,
        hidden: { app_token: app.token },
        fields: {
          name: {
            label: "Name",
            required: true,
            hint: `A network link of ${app.name} with the partner attached and cost data off.`,
          },
        },
        values: { name: `${partner} test` },
        button: "Create link",
      },
      rejected,
    ),
  );

/** Everything that the partner needs besides its test credential. */
const handover = (link: Link, partner: string, origin: string): Markup =>
  card(
    { id: "handover", title: html`Send this to ${nameText(partner)}` },
    facts(
      ["Link", nameText(link.label)],
      ["Link token", copyable("link-token", link.token, "link token")],
      ["Click URL", copyable("click-url", link.click_url, "click URL")],
      ["Impression URL", copyable("impression-url", link.impression_url, "impression URL")],
      ["Costs go to", copyable("cost-url", `${origin}/cost`, "address for costs")],
      ["Partner guide", html`<a href="/docs/partners">${origin}/docs/partners</a>`],
      ["Report", `${origin}/partner`],
    ),
    html`<p class="hint">Also send the test credential that you got when you opened the round. If it's lost, issue another one on the partner's page.</p>`,
  );

export const submitTestLink: Act = async (context, session, sent) => {
  const path = { id: idOf(context) };
  const body = pick(sent, "app_token", "name");
  const link = await createTestLink.submit(context, session, { path, body });
  return done(`/operator/rounds/${path.id}/link`, "link-created", {
    app: body.app_token ?? "",
    link: link.token,
  });
};
