/** What the service says of itself. */
import { html } from "hono/html";
import type { Context } from "../env.ts";
import { ERRORS } from "../errors.ts";
import { documented } from "../http/operation.ts";
import { pageResponse } from "../http/pages.ts";
import type { Route } from "../http/router.ts";
import { asCode } from "../http/text.ts";
import { readGuide } from "./guide.ts";
import { readLiveness, readReadiness } from "./health.ts";
import { readLlms } from "./llms.ts";
import * as operations from "./operations.ts";
import { referenceRoutes } from "./reference.ts";

export const serviceRoutes: Route[] = [
  { path: "/healthz", methods: { GET: documented(operations.readLiveness, readLiveness) } },
  { path: "/readyz", methods: { GET: documented(operations.readReadiness, readReadiness) } },
  ...referenceRoutes,
  { path: "/docs/partners", methods: { GET: readGuide } },
  { path: "/llms.txt", methods: { GET: readLlms } },
  { path: "/docs/errors", methods: { GET: readErrors } },
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
  return pageResponse(context, {
    title: "Problems",
    body: html`
      <h1>Problems</h1>
      <p class="lead">Every rejection is a problem document (RFC 9457). Its <code>code</code> is one of these.</p>
      ${sections}`,
  });
}
