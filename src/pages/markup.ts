/** Markup, and texts that are shown as code or as a time. */
import { html } from "hono/html";
import { describeTime } from "./locale.ts";

/** Markup in which every value was escaped, as `html` from hono/html makes it. */
export type Markup = ReturnType<typeof html>;

/** Renders text between backticks as code. */
export function asCode(text: string) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}

/** Shows an instant in ISO 8601. */
export function time(instant: string, seconds?: "seconds"): Markup {
  return html`<time datetime="${instant}">${describeTime(instant, seconds)}</time>`;
}
