/** Markup in the sentences of error messages and of the documentation. */
import { html } from "hono/html";

/** Renders text between backticks as code. */
export function asCode(text: string) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}
