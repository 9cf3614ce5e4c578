/** `/docs`: where each reader starts, the APIs, and what holds for every request. */
import { html } from "hono/html";
import type { Context } from "../env.ts";
import type { Markup } from "../pages/markup.ts";
import type { Reference } from "./reference/areas.ts";

export function overviewBody({ url }: Context, { areas }: Reference): Markup {
  return html`
    <p class="lead">Create campaign links, record clicks and impressions, and match every ad cost to the click or impression behind it.</p>
    <div class="grid three">
      <section class="card">
        <h2>Members</h2>
        <p>Run campaigns for an app.</p>
        <ol>
          <li><a href="/account">Sign in</a> and look at your app.</li>
          <li>Create a link and give its URLs to a partner.</li>
          <li>See what its clicks cost.</li>
        </ol>
        <p><a class="button secondary" href="/docs/members">Member guide</a></p>
      </section>
      <section class="card">
        <h2>Partners</h2>
        <p>Send what each click or impression cost.</p>
        <ol>
          <li>Get a test credential from the operator.</li>
          <li>Record a click and send its cost.</li>
          <li>Pass an <a href="/docs/rounds">integration round</a>.</li>
        </ol>
        <p><a class="button secondary" href="/docs/partners">Partner guide</a></p>
      </section>
      <section class="card">
        <h2>Operators</h2>
        <p>Run linkledger for members and partners.</p>
        <ol>
          <li>Add apps, users and partners.</li>
          <li>Run integration rounds and issue credentials.</li>
          <li>Monitor the Worker and respond to incidents.</li>
        </ol>
        <p><a class="button secondary" href="/docs/operators">Operator guide</a></p>
      </section>
    </div>
    <section class="card">
      <h2>APIs</h2>
      <dl class="areas">${areas.map(
        ({ path, title, lead }) => html`<div><dt><a href="${path}">${title}</a></dt><dd>${lead}</dd></div>`,
      )}</dl>
      <p>All of them are in the <a href="/openapi.json">OpenAPI 3.1 document</a>. TypeScript programs get <a href="/docs/typescript">types from it</a>.</p>
    </section>
    <section class="card">
      <h2>Every request</h2>
      <ul>
        <li><strong>Address:</strong> all paths are on <code>${url.origin}</code>.</li>
        <li><strong>Credentials:</strong> go into the <code>Authorization</code> header, as <code>Token token=…</code> or <code>Bearer …</code>, never into a URL.</li>
        <li><strong>Version:</strong> use version 1 of the <a href="/docs/api/campaign">campaign API</a>. Version 2 has only its two lists of links.</li>
        <li><strong>Lists:</strong> have 50 items on a page by default and at most 1,000 with <code>limit</code>. Follow <code>paging.next</code> until it is null.</li>
        <li><strong>Errors:</strong> are <a href="/docs/errors">problem documents</a> that list every invalid parameter in one response.</li>
        <li><strong>Retries:</strong> send the same request again after 408, 429, 500 and 503, after <code>Retry-After</code> seconds if the header is present. Creating links is safe to retry with an <code>Idempotency-Key</code>, and a cost with its cost ID.</li>
        <li><strong>Support:</strong> every response has an <code>X-Request-Id</code>. The operator can find the request by it.</li>
      </ul>
    </section>`;
}
