/** Whom people ask when only an operator can help. */
import { html } from "hono/html";
import type { Env } from "../env.ts";
import type { Markup } from "./markup.ts";

type Setting = Pick<Env, "OPERATOR_CONTACT">;

/** `your operator (ops@example.com)`, for sentences such as "Ask … to add you". */
export function operatorContact({ OPERATOR_CONTACT: contact }: Setting): Markup | string {
  if (!contact) return "your operator";
  const href = contact.startsWith("https://") ? contact : isEmail(contact) ? `mailto:${contact}` : undefined;
  return html`your operator (${href === undefined ? contact : html`<a href="${href}">${contact}</a>`})`;
}

const isEmail = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);
