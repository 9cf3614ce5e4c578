/** Where links are created: in an app, or below the link that `parent` in the query names. */
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { FoundPath } from "../../db/links/paths.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { breadcrumb, choices } from "../../pages/elements.ts";
import type { Markup } from "../../pages/markup.ts";
import { findBase } from "../../usecases/links/paths.ts";
import { authorizeApp, type Member, scopeOf } from "../frame.ts";

export interface Place {
  member: Member;
  /** The link above the new ones. Undefined for level 1. */
  parent: FoundPath["base"];
  partners: Partners;
}

export async function readPlace(context: Context, member: Member): Promise<Place> {
  const token = context.url.searchParams.get("parent") || null;
  const { access, base: parent, partners } = await findBase(context, scopeOf(member), token);
  authorizeApp(access);
  if (parent === null) throw new AppError("not_found", "This app has no link with this token.");
  if (parent?.level === 4) throw new AppError("level_limit");
  return { member, parent, partners };
}

/** The level of the first link of a path. */
export const firstLevelOf = ({ parent }: Place) => (parent?.level ?? 0) + 1;

/** The address of a page of this place. */
export function hrefOf(
  { member, parent }: Place,
  page: "new" | "import" | "import/rows" = "new",
  more: Record<string, string> = {},
): string {
  const query = new URLSearchParams({ ...(parent && { parent: parent.token }), ...more });
  return `${member.path}/links/${page}${query.size > 0 ? `?${query}` : ""}`;
}

export const cancelHref = ({ member, parent }: Place) =>
  `${member.path}/links${parent ? `/${parent.token}` : ""}`;

export function trail(place: Place, here: string): Markup {
  const above: [string, string][] = place.parent ? [[place.parent.label, cancelHref(place)]] : [];
  return breadcrumb([["Links", `${place.member.path}/links`], ...above], here);
}

export const howMany = (place: Place, page: "new" | "import"): Markup =>
  choices(
    "How many links",
    [
      ["One link", hrefOf(place), page === "new"],
      ["Paste or import many", hrefOf(place, "import"), page === "import"],
    ],
    "page",
  );
