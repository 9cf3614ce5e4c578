/** The parts of the start page that are about the deployment: its health, and what a new one still needs. */
import { html } from "hono/html";
import type { Start } from "../../../db/operator/start.ts";
import { LARGE_DATABASE_BYTES, MAX_DATABASE_BYTES } from "../../../db/upkeep/sizes.ts";
import { toIso } from "../../../domain/time.ts";
import type { Context } from "../../../env.ts";
import { badge, card, type Fact, facts } from "../../../pages/elements.ts";
import { showBytes, showPlural } from "../../../pages/locale.ts";
import { type Markup, time } from "../../../pages/markup.ts";

export function healthSection({ ledger }: Context, { purgedAt, archiveFailingSince, sizes }: Start): Markup {
  const archive = !ledger.archive
    ? html`${badge("Not bound")} What the purge deletes is not kept. <a href="/docs/archive">How to bind a bucket</a>`
    : archiveFailingSince === null
      ? purgedAt === null
        ? badge("Not used yet")
        : badge("Works", "ok")
      : html`${badge("Fails", "error")} since ${time(toIso(archiveFailingSince))}`;
  return card(
    { id: "health", title: "Health" },
    facts(
      ["Last purge", purgedAt === null ? "Not yet. It runs every hour once deployed" : time(toIso(purgedAt))],
      ["Archive", archive],
      [sizes.length === 1 ? "Database" : "Databases", sizesText(sizes)],
    ),
  );
}

/** Of many shards the two that matter: DB, and the fullest one. */
function sizesText(sizes: Start["sizes"]): Markup {
  const [control, ...shards] = sizes;
  const shown = [...(control ? [control] : []), ...shards.sort((one, other) => other.bytes - one.bytes)];
  const items = shown
    .slice(0, 2)
    .map(
      ({ name, bytes }) =>
        html`<div>${name}: ${showBytes(bytes)} of ${showBytes(MAX_DATABASE_BYTES)} ${bytes >= LARGE_DATABASE_BYTES ? badge("Large", "warn") : ""}</div>`,
    );
  const more = sizes.length - 2;
  return html`${items}${more > 0 ? html`<div class="muted">${showPlural(more, "other database")} with less. <a href="/readyz">All sizes as JSON</a></div>` : ""}`;
}

/** Until everything that is needed is there. */
export function setupSection({ env, ledger }: Context, { setup, partners }: Start): Markup | "" {
  const steps: [isDone: boolean, text: string, href: string, isOptional?: true][] = [
    [setup?.hasTwoFactor === 1, "Turn on two-factor authentication for an operator", "/account"],
    [setup?.hasApp === 1, "Create an app", "/operator/apps/new"],
    [setup?.hasMember === 1, "Add a member to an app", "/operator/users/new"],
    [setup?.hasPartner === 1, "Create a partner", "/operator/partners/new"],
    [setup?.hasRound === 1, "Open a round", "/operator/partners"],
    [partners.some(({ supportsCostData }) => supportsCostData), "Make a partner live", "/operator/partners"],
    [
      env.OPERATOR_CONTACT !== undefined,
      "Add a contact for questions (optional)",
      "/docs/operators#add-a-contact-for-questions",
      true,
    ],
    [ledger.archive !== undefined, "Bind an archive (optional)", "/docs/archive", true],
  ];
  if (steps.every(([isDone, , , isOptional]) => isDone || isOptional)) return "";
  const items = steps.map(
    ([isDone, text, href]): Fact => [
      badge(isDone ? "Done" : "To do", isDone ? "ok" : ""),
      isDone ? text : html`<a href="${href}">${text}</a>`,
    ],
  );
  return card({ id: "setup", title: "Set up linkledger" }, facts(...items));
}
