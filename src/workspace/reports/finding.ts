/** What is missing or wrong in an app, as a text with links: the names of partners, and the page that fixes it. */
import { html } from "hono/html";
import { withContact } from "../../pages/contact.ts";
import { nameText } from "../../pages/elements.ts";
import type { Markup } from "../../pages/markup.ts";
import type { Member } from "../frame.ts";
import { partnerHref } from "../partners/link.ts";

export interface Finding {
  key: string;
  text: string;
  /** How many clicks, impressions or costs it is about. */
  count?: number;
  /** The partners that the text names. */
  partners?: Named[];
  /** The name and the path of the page that fixes it. */
  fix: [name: string, href: string];
  /** Another one that does. */
  otherFix?: [name: string, href: string];
}

export interface Named {
  partnerId: number;
  name: string;
}

/** The text of a finding. The names of partners lead to their pages, with the days of the present page. */
export const findingText = (
  { env, path }: Pick<Member, "env" | "path">,
  { text, partners = [] }: Finding,
  days = "",
): Markup =>
  withContact(env, text, (part) => linkNames(part, partners, (id) => partnerHref({ path }, id, days)));

/** The longest name first, because a name can have another one in it. */
function linkNames(text: string, partners: Named[], hrefOf: (id: number) => string): Markup | string {
  const [first, ...others] = partners.toSorted((one, other) => other.name.length - one.name.length);
  if (!first) return text;
  const [before = "", ...after] = text.split(first.name);
  const rest = after.join(first.name);
  const link = html`<a href="${hrefOf(first.partnerId)}">${nameText(first.name)}</a>`;
  return html`${linkNames(before, others, hrefOf)}${after.length === 0 ? "" : link}${linkNames(rest, others, hrefOf)}`;
}

/** The page of a partner; of several, the list. */
export function fixAt(path: string, partners: Named[], days = ""): Finding["fix"] {
  const [first, second] = partners;
  return first && !second
    ? ["Open partner", partnerHref({ path }, first.partnerId, days)]
    : ["Open partners", `${path}/partners${days}`];
}
