/** The page for a person who opened a link that leads nowhere. It says nothing about APIs, accounts or operators. */
import { html } from "hono/html";
import type { Context } from "../env.ts";
import { type AppError, ERRORS } from "../errors.ts";
import { pageResponse } from "../pages/frame.ts";

export function unavailablePage(context: Context, error: AppError): Promise<Response> {
  const { status } = ERRORS[error.code];
  context.trace.outcome = error.code;
  const text =
    status < 500
      ? "It may be mistyped. Ask the person or app that gave it to you for the right one."
      : "Something went wrong on our side. Try again in a minute.";
  return pageResponse(context, {
    title: "Link not available",
    status,
    headers: error.headers,
    plain: true,
    narrow: true,
    body: html`
      <section class="card">
        <h1>This link isn't available</h1>
        <p>${text}</p>
      </section>`,
  });
}
