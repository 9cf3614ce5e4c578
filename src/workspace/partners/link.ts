/** Where the name of a partner leads. */
import { html } from "hono/html";
import { nameText } from "../../pages/elements.ts";
import type { Markup } from "../../pages/markup.ts";
import type { Member } from "../frame.ts";

/** `days`: the query with the days of the present page, as `keepDays` returns it. */
export const partnerHref = ({ path }: Pick<Member, "path">, id: number, days = ""): string =>
  `${path}/partners/${id}${days}`;

export const partnerLink = (
  member: Pick<Member, "path">,
  { id, displayName }: { id: number; displayName: string },
  days = "",
): Markup => html`<a href="${partnerHref(member, id, days)}">${nameText(displayName)}</a>`;
