/** The routes of health, documentation and `/llms.txt`. */
import { html } from "hono/html";
import type { Context } from "../env.ts";
import { ERRORS } from "../errors.ts";
import { routesOf } from "../http/operation.ts";
import type { Route } from "../http/router.ts";
import { asCode } from "../http/text.ts";
import { docsPage, docsRoutes } from "./docs.ts";
import { readLiveness } from "./liveness.ts";
import { readLlms } from "./llms.ts";
import { readReadiness } from "./readiness.ts";
import { referenceRoutes } from "./reference.ts";

export const siteRoutes: Route[] = [
  ...routesOf([readLiveness, readReadiness]),
  ...referenceRoutes,
  ...docsRoutes,
  { path: "/docs/errors", methods: { GET: readErrors } },
  { path: "/llms.txt", methods: { GET: readLlms } },
];

/** The page that the `type` of every problem document names. */
function readErrors(context: Context): Promise<Response> {
  const sections = Object.entries(ERRORS).map(
    ([code, { status, title, help }]) => html`
      <section class="card" id="${code}">
        <div class="head"><h2><code>${code}</code></h2><span class="badge">${status}</span></div>
        <p><strong>${title}.</strong></p>
        <p>${asCode(help)}</p>
      </section>`,
  );
  const body = html`
    <p class="lead">Every error is a problem document (RFC 9457). Its <code>code</code> is one of these.</p>
    ${sections}`;
  return docsPage(context, "/docs/errors", "Errors", body);
}
