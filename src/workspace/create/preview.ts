/** What the form for one link would create: which links of the path exist, and the URLs of the last one. */
import { html } from "hono/html";
import type { Context } from "../../env.ts";
import { badge, card, facts, nameText, notice } from "../../pages/elements.ts";
import type { Markup } from "../../pages/markup.ts";
import { newRow, type StoredLink, toLink } from "../../usecases/links/link.ts";
import type { PathRow } from "../../usecases/links/path-rows.ts";
import type { PathResult } from "../../usecases/links/path-rules.ts";
import { LEVEL_NAMES } from "../links/query.ts";
import type { Place } from "./place.ts";

/** In the place of the token that a new link gets. */
const NEW_TOKEN = "NEW_TOKEN";

export function pathPreview(
  context: Context,
  { partners }: Place,
  row: PathRow,
  result: PathResult,
  attached?: PathRow,
): Markup {
  const { found, differences, similar } = result;
  const first = found.base?.level ?? 0;
  const { click_url, impression_url } = toLink(lastLink(row, result, attached), partners, context);
  const url = (id: string, name: string, text: string) => html`
    <h3 id="${id}">${name}</h3>
    <div class="secret"><code aria-labelledby="${id}" role="group" tabindex="0">${text}</code></div>`;
  return card(
    { id: "path-preview", title: "Preview" },
    notice(
      result.state === "exists"
        ? `This link exists already. Nothing would be created or changed. ${differences.join(" ")}`
        : "Nothing is created yet.",
      "",
      { announced: true },
    ),
    similar === undefined
      ? ""
      : notice(html`${nameText(similar)} already exists. Only the capital letters differ.`, "warn"),
    facts(
      ...row.names.map((name, at): [string, Markup] => [
        LEVEL_NAMES[first + at] ?? "",
        html`${nameText(name)} ${at < found.nodes.length ? badge("Exists") : badge("New", "ok")}`,
      ]),
    ),
    url("preview-click", "Click URL", click_url),
    url("preview-impression", "Impression URL", impression_url),
  );
}

/** The last link of the path, with what it inherits from those above it that exist. */
function lastLink(
  { names, partnerId, costSwitch, target }: PathRow,
  { found }: PathResult,
  attached?: PathRow,
): StoredLink {
  const { base, nodes } = found;
  const level = (base?.level ?? 0) + names.length;
  const last = nodes[names.length - 1];
  const above = nodes.slice(0, names.length - 1);
  const nearest = <T>(values: (T | null)[]) => values.findLast((value) => value !== null) ?? null;
  return {
    ...newRow({ token: last?.token ?? NEW_TOKEN, label: names.at(-1) ?? "", level }),
    partnerId: last ? last.partnerId : partnerId,
    costSwitch: last ? last.costSwitch : costSwitch === null ? null : Number(costSwitch),
    target: last ? last.target : target,
    inheritedName: null,
    inheritedPartner: nearest([
      base?.inheritedPartner ?? null,
      base?.partnerId ?? null,
      ...above.map((node) => node.partnerId),
      attached?.partnerId ?? null,
    ]),
    inheritedSwitch: nearest([
      base?.inheritedSwitch ?? null,
      base?.costSwitch ?? null,
      ...above.map((node) => node.costSwitch),
      attached?.costSwitch == null ? null : Number(attached.costSwitch),
    ]),
    inheritedTarget: nearest([
      base?.inheritedTarget ?? null,
      base?.target ?? null,
      ...above.map((node) => node.target),
    ]),
  };
}
