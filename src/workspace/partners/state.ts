/** What a partner is now, since when, and when it was last active. */
import { html } from "hono/html";
import { HOUR_MS, toIso } from "../../domain/time.ts";
import { operatorContact } from "../../pages/contact.ts";
import { card, facts, nameText, notice } from "../../pages/elements.ts";
import { type Markup, time } from "../../pages/markup.ts";
import type { PartnerStatus } from "../../usecases/partner-status.ts";
import type { Member } from "../frame.ts";
import { describeType } from "../reports/lines.ts";

const sinceText = (at: number | null) => (at === null ? "" : html` since ${time(toIso(at))}`);

/** What the state means, and since when. Nothing of it depends on the days of the page. */
export function stateNotices(member: Member, { partner, state, since, silentSince }: PartnerStatus): Markup {
  const name = nameText(partner.displayName);
  const explained = {
    stopped: notice(
      html`Stopped by an operator${since === null ? "" : html` on ${time(toIso(since))}`}. Its costs are rejected, and its clicks and impressions are recorded with cost data off. Ask ${operatorContact(member.env)} to resume it.`,
      "error",
    ),
    live: "",
    in_round: notice(
      html`${name} is in an integration round${since === null ? "" : html` (opened ${time(toIso(since))})`}. Its costs count once ${operatorContact(member.env)} approves the round.`,
      "warn",
    ),
    not_integrated: notice(
      html`${name} has no cost data yet. Its clicks and impressions count. Ask ${operatorContact(member.env)} for an integration round.`,
      "warn",
    ),
  }[state];
  return html`
    ${explained}
    ${silentSince === null ? "" : notice(html`No cost after ${time(toIso(silentSince))}. Ask the partner.`, "warn")}`;
}

/** Its cost types, and when it was last active. */
export function stateSection({ types, activity }: PartnerStatus): Markup {
  const typesIn = (of: "live" | "in_round") =>
    types
      .filter((type) => type.state === of)
      .map((type) => html`<div>${describeType(type.costType)}${sinceText(type.since)}</div>`);
  const [live, inRound] = [typesIn("live"), typesIn("in_round")];
  return card(
    { id: "state", title: "State", kind: "across" },
    facts(
      live.length > 0 && ["Cost types", html`${live}`],
      inRound.length > 0 && ["In a round", html`${inRound}`],
      ["Last cost, accepted or rejected", lastTime(activity, activity?.lastCostAt)],
      ["Last click", lastTime(activity, activity?.lastClickAt)],
    ),
    activity === null
      ? ""
      : html`<p class="hint">In all apps, to the hour. Updated ${time(toIso(activity.hour * HOUR_MS))}.</p>`,
  );
}

function lastTime(activity: PartnerStatus["activity"], at: number | null | undefined): Markup | string {
  if (activity === null) return "Not known yet: the hourly job hasn't run.";
  return at == null ? "None in the last weeks" : time(toIso(at));
}
