/** Shows what a page says after a redirect. */
import { html } from "hono/html";
import type { Context } from "../env.ts";
import type { Markup } from "./markup.ts";

export function showNotice(
  notices: { readDone: (context: Context) => string | undefined },
  context: Context,
): Markup | "" {
  const text = notices.readDone(context);
  return text === undefined ? "" : html`<p class="notice ok" role="status">${text}</p>`;
}
