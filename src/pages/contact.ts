/** Whom people ask when only an operator can help. */
import { html } from "hono/html";
import type { Env } from "../env.ts";
import type { Markup } from "./markup.ts";

type Content = Markup | string | (Markup | string)[];
type Setting = Pick<Env, "OPERATOR_CONTACT">;

/** `your operator (ops@example.com)`, for sentences such as "Ask … to add you". */
export function operatorContact({ OPERATOR_CONTACT: contact }: Setting): Markup | string {
  return contact ? html`your operator (${contactLink(contact)})` : "your operator";
}

function contactLink(contact: string): Markup | string {
  const href = contact.startsWith("https://") ? contact : isEmail(contact) ? `mailto:${contact}` : undefined;
  return href === undefined ? contact : html`<a href="${href}">${contact}</a>`;
}

const isEmail = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text);

const ASK = /(?<=\b(?:ask|contact) )(?:your|the|an) operator\b/i;

/** The same in a text that comes from elsewhere and says whom to ask. `show` renders the rest of it. */
export function withContact(env: Setting, text: string, show: (part: string) => Content = String): Markup {
  const [before = "", after] = splitAtOperator(text);
  return after === undefined
    ? html`${show(text)}`
    : html`${show(before)}${operatorContact(env)}${show(after)}`;
}

/** For a text that has no room for a link, such as that of an invalid field. */
export function nameContact({ OPERATOR_CONTACT: contact }: Setting, text: string): string {
  const [before = "", after] = splitAtOperator(text);
  return after === undefined || !contact ? text : `${before}your operator (${contact})${after}`;
}

/** The contact itself, for a place that is on every page. */
export const contactNote = ({ OPERATOR_CONTACT: contact }: Setting): Markup | "" =>
  contact ? html`<span>Operator: ${contactLink(contact)}</span>` : "";

function splitAtOperator(text: string): string[] {
  const found = ASK.exec(text);
  return found ? [text.slice(0, found.index), text.slice(found.index + found[0].length)] : [text];
}
