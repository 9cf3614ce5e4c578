/** The form that archives the sub-links that clicks created and that have no cost, of one network or of the whole app. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { readPlaces } from "../../db/links/sub-links/unused.ts";
import { MAX_FROM_ENGAGEMENTS } from "../../domain/engagements/sub-links.ts";
import { AUDIENCE_MONTHS } from "../../domain/time.ts";
import { AppError } from "../../errors.ts";
import { readAs } from "../../http/input/fields.ts";
import { readForm } from "../../http/input/form.ts";
import { readInput } from "../../http/input/input.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { buttonLink, nameText, notice, pageHead } from "../../pages/elements.ts";
import { form } from "../../pages/forms/form.ts";
import { showCount, showPlural } from "../../pages/locale.ts";
import { archiveUnused, LOWEST, MAX_ARCHIVED } from "../../usecases/links/unused.ts";
import { authorizeApp, type Member, type Show, scopeOf } from "../frame.ts";
import { readTokens } from "../links/query.ts";
import { undoForm } from "./outcomes.ts";

/** The token of one link, or empty. */
const token = z._default(
  readAs(z.string(), (value, reject) => (value === "" ? null : (readTokens(value, reject, 1)[0] ?? null))),
  null,
);
const unusedQuery = z.strictObject({ network: token });
const unusedForm = z.object({
  network: token,
  level: z._default(readAs(z.enum(["2", "3", "4"], "must be 2, 3 or 4"), Number), LOWEST.level),
  after: token,
});

type Network = { network: string | null };

export const unusedPath = ({ path }: Pick<Member, "path">, network: string | null) =>
  `${path}/links/unused${network === null ? "" : `?${new URLSearchParams({ network })}`}`;

const backOf = ({ path }: Member, { network }: Network) =>
  network === null ? `${path}/links` : `${path}/links/${network}`;

const subLinks = (count: number) => showPlural(count, "sub-link", "sub-links");

function authorize(found: Awaited<ReturnType<typeof readPlaces>>, { network }: Network) {
  authorizeApp(found);
  if (network !== null && found?.label == null)
    throw new AppError("not_found", "This app has no network with this token.");
  return {
    places: found?.places ?? 0,
    place: found?.label == null ? "this app" : nameText(found.label),
  };
}

export const unusedPage: Show = async (context, member) => {
  const { query } = await readInput(context, { query: unusedQuery });
  const found = await readPlaces(context.env.DB, { ...scopeOf(member), ...query });
  const { places, place } = authorize(found, query);
  const title = "Archive unused sub-links";
  return {
    title,
    body: html`
      ${pageHead(title)}
      <p class="lead">Clicks and impressions created ${subLinks(places)} of ${place} that take up places. There are ${showCount(MAX_FROM_ENGAGEMENTS)} below each network.</p>
      <p>This archives those of them that have no cost in the last ${AUDIENCE_MONTHS} months, up to ${showCount(MAX_ARCHIVED)} at a time, creatives first. These stay: links that members created, links with a cost or an adjustment, and links with a sub-link that stays.</p>
      <p>Archived links still redirect, count and accept costs. Their places are free for new sub-links. You can restore them on the Links page, with the filter “Only archived”.</p>
      ${form({
        action: `${member.path}/links/unused`,
        hidden: { network: query.network ?? "" },
        button: "Archive unused sub-links",
        cancel: backOf(member, query),
      })}`,
  };
};

export const submitUnused: Show = async (context, member) => {
  const sent = await readForm(context, unusedForm);
  if ("errors" in sent) throw invalidRequest(sent.errors);
  const { network, ...position } = sent.fields;
  const { found, archived, next } = await archiveUnused(context, { ...scopeOf(member), network }, position);
  const { place } = authorize(found, { network });
  const action = `${member.path}/links/unused`;
  const said = archived === 0 ? "No sub-links archived" : `${subLinks(archived)} archived`;
  const undo = archived === 0 ? "" : undoForm(member, context.requestId);
  return {
    title: said,
    body: html`
      ${pageHead(said)}
      ${notice(html`${said} of ${place}.`, "ok", { announced: true, action: undo })}
      ${
        next
          ? html`
              <p>There can be more. Continue until none are left.${archived > 0 ? " Undo restores those of this step." : ""}</p>
              ${form({
                action,
                hidden: { network: network ?? "", level: String(next.level), after: next.after ?? "" },
                button: `Archive up to ${showCount(MAX_ARCHIVED)} more`,
                cancel: backOf(member, { network }),
              })}`
          : html`
              <p>No unused sub-links are left.</p>
              <p class="actions">${buttonLink(backOf(member, { network }), network === null ? "Back to links" : "Back to the link", "")}</p>`
      }`,
  };
};
