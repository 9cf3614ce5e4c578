/** The page on which an operator chooses or creates the link of a round, and gets what the partner needs. */
import { html } from "hono/html";
import { listAllApps } from "../../../db/operator/apps.ts";
import { MAX_TEST_LINKS } from "../../../db/operator/test-links.ts";
import { copyable } from "../../../pages/elements.ts";
import type { Markup } from "../../../pages/markup.ts";
import type { Link } from "../../../usecases/links/link.ts";
import { readRound } from "../../api/rounds.ts";
import { createTestLink, readTestLink, readTestLinks } from "../../api/test-links.ts";
import { field, pick, select } from "../elements.ts";
import { type Act, done, type FormError, idOf, type Show } from "../layout.ts";

export const testLinkPage: Show = async (context, formError, session) => {
  const { searchParams, origin } = context.url;
  const [round, apps] = await Promise.all([
    readRound.handle(context, session, { path: { id: idOf(context) } }),
    listAllApps(context.env.DB),
  ]);
  const path = `/operator/rounds/${round.id}/link`;
  const token = formError?.form.get("app_token") ?? searchParams.get("app") ?? apps[0]?.token ?? "";
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
      <p><a href="/operator/rounds/${round.id}">Round ${round.id} · ${round.partner}</a></p>
      <h1>Test link</h1>
      ${
        chosen
          ? handover(chosen, round.partner, origin)
          : html`<p class="lead">${round.partner} opens this link with a cost ID, then sends the cost with the same ID.</p>`
      }
      <section class="card" aria-labelledby="choose">
        <h2 id="choose">Choose an app</h2>
        ${
          apps.length === 0
            ? html`<p class="muted">No apps yet. <a href="/operator/apps/new">Create an app</a> first.</p>`
            : html`
              <form method="get" action="${path}">
                ${select(
                  "app",
                  "App",
                  apps.map((one) => [one.token, `${one.name} (${one.token})`]),
                  token,
                )}
                <button class="secondary">Choose app</button>
              </form>`
        }
      </section>
      ${app ? existingLinks(path, app, links) : ""}
      ${app && round.state === "open" ? newLink(path, app, round.partner, formError) : ""}`,
  };
};

type App = { token: string; name: string };

function existingLinks(path: string, app: App, links: Link[]): Markup {
  const hrefOf = (link: Link) => `${path}?${new URLSearchParams({ app: app.token, link: link.token })}`;
  return html`
    <section class="card" aria-labelledby="existing">
      <h2 id="existing">Links of ${app.name} with this partner</h2>
      ${
        links.length === 0
          ? html`<p class="muted">No link of this app has the partner attached. Create one below.</p>`
          : html`<ul>${links.map((link) => html`<li><a href="${hrefOf(link)}">${link.label}</a> <code>${link.token}</code></li>`)}</ul>`
      }
      ${links.length === MAX_TEST_LINKS ? html`<p class="muted">Showing the newest ${MAX_TEST_LINKS}.</p>` : ""}
    </section>`;
}

function newLink(path: string, app: App, partner: string, formError?: FormError): Markup {
  return html`
    <section class="card" aria-labelledby="new">
      <h2 id="new">New link</h2>
      <form method="post" action="${path}">
        <input type="hidden" name="app_token" value="${app.token}">
        ${field({ name: "name", label: "Name", value: `${partner} test`, required: true, hint: `A network link of ${app.name} with the partner attached and cost data off.` }, formError)}
        <button>Create link</button>
      </form>
    </section>`;
}

/** Everything that the partner needs besides its test credential. */
function handover(link: Link, partner: string, origin: string): Markup {
  return html`
    <section class="card" aria-labelledby="handover">
      <h2 id="handover">Send this to ${partner}</h2>
      <dl class="details">
        <dt>Link</dt><dd>${link.label}</dd>
        <dt>Link token</dt><dd>${copyable("link-token", link.token, "link token")}</dd>
        <dt>Click URL</dt><dd>${copyable("click-url", link.click_url, "click URL")}</dd>
        <dt>Impression URL</dt><dd>${copyable("impression-url", link.impression_url, "impression URL")}</dd>
        <dt>Costs go to</dt><dd>${copyable("cost-url", `${origin}/cost`, "address for costs")}</dd>
        <dt>Partner guide</dt><dd><a href="/docs/partners">${origin}/docs/partners</a></dd>
        <dt>Report</dt><dd>${origin}/partner</dd>
      </dl>
      <p class="hint">Also send the test credential that you got when you opened the round. If it is lost, issue another one on the partner's page.</p>
    </section>`;
}

export const submitTestLink: Act = async (context, session, form) => {
  const path = { id: idOf(context) };
  const body = pick(form, "app_token", "name");
  const link = await createTestLink.submit(context, session, { path, body });
  return done(`/operator/rounds/${path.id}/link`, "link-created", {
    app: body.app_token ?? "",
    link: link.token,
  });
};
