/** Marks that a sentence of the documentation or of a refusal may bear. */
import { html } from "hono/html";

/** Text between backticks as code. */
export function asCode(text: string) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}
