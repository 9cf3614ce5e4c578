/** Shows what a page says after a redirect. */
import { html } from "hono/html";
import type { Markup } from "./frame.ts";

export function showNotice(notices: { read: (url: URL) => string | undefined }, url: URL): Markup | "" {
  const text = notices.read(url);
  return text === undefined ? "" : html`<p class="notice ok" role="status">${text}</p>`;
}
