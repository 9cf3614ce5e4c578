/** What the form for one link would create: which links of the path exist, and the URLs of the last one. */
import { html } from "hono/html";
import type { Partners } from "../../db/links/partner-catalog.ts";
import type { FoundPath } from "../../db/links/paths.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import type { Context } from "../../env.ts";
import { badge, facts, nameText, notice } from "../../pages/elements.ts";
import type { Markup } from "../../pages/markup.ts";
import { inheritedFrom, newRow, type StoredLink, toLink } from "../../usecases/links/link.ts";
import type { PathRow } from "../../usecases/links/path-rows.ts";
import type { PathResult } from "../../usecases/links/path-rules.ts";
import { LEVEL_NAMES } from "../links/query.ts";

/** In the place of the token that a new link gets. */
const NEW_TOKEN = "NEW_TOKEN";

/** `rows`: the links of the path that the form sets, and their settings; the last one is that of the whole path. */
export function pathPreview(
  context: Context,
  partners: Partners,
  rows: PathRow[],
  { found, differences, similar, state }: PathResult,
): Markup {
  const first = found.base?.level ?? 0;
  const names = rows.at(-1)?.names ?? [];
  const { click_url, impression_url } = toLink(lastLink(names, rows, found), partners, context);
  const url = (id: string, name: string, text: string) => html`
    <h3 id="${id}">${name}</h3>
    <div class="secret"><code aria-labelledby="${id}" role="group" tabindex="0">${text}</code></div>`;
  return html`
    ${notice(
      state === "exists"
        ? `This link already exists. Nothing would be created or changed. ${differences.join(" ")}`
        : "Nothing is created yet.",
      "",
      { announced: true },
    )}
    ${similar === undefined ? "" : notice(html`${nameText(similar)} already exists. Only the capital letters differ.`, "warn")}
    ${facts(
      ...names.map((name, at): [string, Markup] => [
        LEVEL_NAMES[first + at] ?? "",
        html`${nameText(name)} ${at < found.nodes.length ? badge("Exists") : badge("New", "ok")}`,
      ]),
    )}
    ${url("preview-click", "Click URL", click_url)}
    ${url("preview-impression", "Impression URL", impression_url)}`;
}

/** The last link of the path, with what it inherits from those above it. */
function lastLink(names: string[], rows: PathRow[], { base, nodes }: FoundPath): StoredLink {
  let link: StoredLink | undefined = base ? { ...newRow(base), ...base } : undefined;
  for (const [at, label] of names.entries()) {
    const row = rows.find((one) => one.names.length === at + 1);
    const costSwitch = row?.costSwitch == null ? null : Number(row.costSwitch);
    const own = nodes[at] ?? (row && { partnerId: row.partnerId, costSwitch, target: row.target });
    const place = newRow({ token: NEW_TOKEN, label, level: (link?.level ?? 0) + 1 });
    link = { ...place, ...own, ...inheritedFrom(link) };
  }
  return expectDefined(link);
}
