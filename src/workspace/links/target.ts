/** Where the clicks on a link lead, for each kind of device, with an example of what they pass on. */
import { html } from "hono/html";
import type { PageLink } from "../../db/links/browse.ts";
import type { Platform } from "../../domain/engagements/audience.ts";
import { chooseTarget, type Destination } from "../../domain/engagements/click-target.ts";
import { buttonLink, card, facts, nameText, notice } from "../../pages/elements.ts";
import type { Markup } from "../../pages/markup.ts";
import { LEVEL_NAMES } from "./query.ts";

export const DEVICES: [name: string, platform: Platform][] = [
  ["iPhone and iPad", "ios"],
  ["Android", "android"],
  ["Computers", "windows"],
];

const EXAMPLES: Partial<Record<string, string>> = {
  campaign: "Spring Sale",
  adgroup: "Women 25-34",
  creative: "Video A",
  cost_id: "click-00000001",
  country: "DE",
};

/** The link above from which this one inherits a target, such as `Network Acme`; undefined if none above has one. */
export function targetAbove({
  level,
  inheritedName,
  target1,
  target2,
  target3,
}: PageLink): Markup | undefined {
  const at = [target1, target2, target3].findIndex((target) => target !== null);
  const name = inheritedName?.split("::").at(-1 - at);
  return at < 0 || name === undefined
    ? undefined
    : html`${LEVEL_NAMES[level - 2 - at] ?? ""} ${nameText(name)}`;
}

/** What a link has: its own target, that of a link above, or the URLs of the app. */
export function describeTarget(row: PageLink): Markup {
  const target = row.target ?? row.inheritedTarget ?? "";
  const above = targetAbove(row);
  const source = row.target !== null ? "set on this link" : above ? html`from ${above}` : "";
  return html`${target === "" ? "The app's URLs" : html`<code>${target}</code>`} <span class="muted">${source}</span>`;
}

/** Where a click leads on each device, from the function that decides it. */
export function devicePreview(destination: Destination, row: PageLink): Markup {
  const used = new Map<string, string>();
  const lines = DEVICES.map(([name, platform]) => {
    const valueFor = (placeholder: string) => {
      if (placeholder === "link_token") return row.token;
      if (placeholder === "platform") return platform;
      const value = EXAMPLES[placeholder] ?? `example-${placeholder}`;
      if (placeholder !== "country") used.set(placeholder, value);
      return value;
    };
    const ownTarget = row.target ?? row.inheritedTarget ?? "";
    const chosen = chooseTarget(destination, { query: new URLSearchParams(), ownTarget, platform, valueFor });
    return { name, ...chosen };
  });
  const isSame = lines.every(({ url }) => url === lines[0]?.url);
  const shown = isSame ? lines.slice(0, 1).map((line) => ({ ...line, name: "Every device" })) : lines;
  const isSkipped = lines.some(({ notAllowed }) => notAllowed.length > 0);
  return html`
    ${isSkipped ? notice("The app doesn't allow the scheme or the host of this target, so clicks skip it.", "warn") : ""}
    ${facts(...shown.map(({ name, url }): [string, Markup] => [name, html`<code>${url}</code>`]))}
    ${used.size > 0 ? html`<p class="hint">An example, for a click with ${[...used].map(([name, value], index) => html`${index > 0 ? ", " : ""}<code>${name}=${value}</code>`)}.</p>` : ""}`;
}

export function targetSection(destination: Destination, row: PageLink, settings: string): Markup {
  return card(
    {
      id: "leads",
      title: "Where clicks lead",
      aside: buttonLink(`${settings}#leads`, "Change target"),
    },
    facts(["Target", describeTarget(row)]),
    devicePreview(destination, row),
  );
}
