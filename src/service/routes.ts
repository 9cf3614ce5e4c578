/** What the service says of itself. */
import { html } from "hono/html";
import type { Context } from "../env.ts";
import { ERRORS } from "../errors.ts";
import type { Route } from "../http/router.ts";

export const serviceRoutes: Route[] = [{ path: "/docs/errors", methods: { GET: readErrors } }];

/** The page that the `type` of every problem document names. */
async function readErrors(_context: Context): Promise<Response> {
  const sections = Object.entries(ERRORS).map(
    ([code, { status, title, help }]) => html`
      <section id="${code}">
        <h2><code>${code}</code></h2>
        <p><strong>${status}</strong> ${title}.</p>
        <p>${help}</p>
      </section>`,
  );
  const page = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Problems · linkledger</title>
  </head>
  <body>
    <main>
      <h1>Problems</h1>
      <p>Every refusal is a problem document (RFC 9457). Its <code>code</code> is one of these.</p>
      ${sections}
    </main>
  </body>
</html>`;
  return new Response(String(page), {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'",
    },
  });
}
