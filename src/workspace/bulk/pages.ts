/** The review of a change of several links, the form that makes it, and what it did. */
import { html } from "hono/html";
import { countInheriting, INHERITED, MOST_COUNTED } from "../../db/links/inheriting.ts";
import { runWithPartners } from "../../db/links/partner-catalog.ts";
import { runBatch } from "../../db/statement.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { readForm } from "../../http/input/form.ts";
import { parseOrThrow } from "../../http/input/parse.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { buttonLink, card, notice, pageHead } from "../../pages/elements.ts";
import { errorSummary, RejectedForm, rejectedWith } from "../../pages/forms/fields.ts";
import { form } from "../../pages/forms/form.ts";
import { showCount } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { outcomeTable } from "../../pages/uploads/outcomes.ts";
import { changeLinks, type UpdateResult, versionOf } from "../../usecases/links/updates.ts";
import { type AppPage, authorizeApp, type Member, type Show, scopeOf } from "../frame.ts";
import { ALL_MATCHES } from "../links/query.ts";
import { LINK_TEXTS, showLinks } from "../transfer/texts.ts";
import { ACTIONS, type Bulk, bulkForm, replacedBy } from "./actions.ts";
import { countLinks, toOutcome, undoForm, unknownLink } from "./outcomes.ts";
import { chooseChange } from "./selection.ts";
import { readTargets, type Targets } from "./targets.ts";

/** Shows what would change. Without a link, or with `only=select`, leads back to the Links page with the selection. */
export const bulkPage: Show = async (context, member) => {
  const { searchParams } = context.url;
  const links = [...new Set(searchParams.getAll("links").flatMap((value) => value.split(",")))].filter(
    (token) => token !== "",
  );
  const back = backPath(member, searchParams.get("back") ?? "", links);
  if (links.length === 0 || searchParams.has("only")) return redirectResponse(back);
  const sent = new URLSearchParams({ ...Object.fromEntries(searchParams), links: links.join() });
  try {
    const bulk = parseOrThrow(bulkForm, Object.fromEntries(sent));
    return await reviewPage(context, member, bulk, await readTargets(context, member, bulk));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid_request") throw error;
    return rejectedPage(context, member, new RejectedForm(error, sent));
  }
};

/** What is wrong with the form of the Links page, the form again, and the way back with the selection. */
async function rejectedPage(context: Context, member: Member, rejected: RejectedForm): Promise<AppPage> {
  const { error, form: sent } = rejected;
  context.trace.outcome = error.code;
  const [partners] = await runWithPartners(runBatch, context.env.DB, member.viewer);
  const [links, back] = [sent.get("links") ?? "", sent.get("back") ?? ""];
  // Links that cannot be selected stay out of the address.
  const isSelectable = !error.errors.some(({ param }) => param === "links");
  const fields = form(
    { ...chooseChange(`${member.path}/links/bulk`, partners), hidden: { links, back } },
    rejected,
  );
  return {
    title: "Error: Review changes",
    status: 400,
    body: html`
      ${pageHead("Review changes")}
      ${errorSummary(rejected, html`<strong>Nothing was changed.</strong> Fix the errors below and try again.`)}
      ${isSelectable ? card({ id: "change", title: "Change of the selected links" }, fields) : ""}
      <p class="actions">${buttonLink(backPath(member, back, isSelectable ? links.split(",") : []), "Back to links", "secondary")}</p>`,
  };
}

async function reviewPage(
  { env }: Context,
  member: Member,
  bulk: Bulk,
  targets: Targets,
  warning: Markup | "" = "",
): Promise<AppPage> {
  const { results, partners, tooMany } = targets;
  const isAll = bulk.links === ALL_MATCHES;
  const back = backPath(member, bulk.back, [bulk.links].flat());
  const leave = html`<p class="actions">${buttonLink(back, "Back to links", "")}</p>`;
  const title = "Review changes";
  if (tooMany !== undefined)
    return { title, body: html`${pageHead(title)}${warning}${notice(tooMany, "warn")}${leave}` };
  const outcomes = toOutcomes(bulk, targets, "ready");
  const changing = [...results.values()].filter(({ isChanged }) => isChanged);
  const changed = changing.length;
  const failures = outcomes.filter(({ state }) => state === "rejected").length;
  const of = isAll
    ? `${countLinks(results.size)} that ${results.size === 1 ? "matches" : "match"}`
    : `${showCount(outcomes.length)} selected ${outcomes.length === 1 ? "link" : "links"}`;
  const { action, partner, target, links } = bulk;
  const shown = [...results.values()].map(({ before }) => before);
  return {
    title,
    body: html`
      ${pageHead(title)}
      ${warning}
      <p class="lead">${actionName(bulk, partners)}: ${showCount(changed)} of ${of} will change${failures > 0 ? html`, and ${showCount(failures)} can't` : ""}.${await showInheriting(env.DB, changing)} Nothing is saved yet.</p>
      ${outcomeTable(LINK_TEXTS, outcomes, showLinks(member))}
      ${
        changed === 0
          ? leave
          : form({
              action: `${member.path}/links/bulk`,
              hidden: {
                action,
                partner: String(partner ?? ""),
                target,
                links: String(links),
                back: bulk.back,
                reviewed: versionOf(shown, replacedBy(bulk)),
              },
              button: `Change ${countLinks(changed)}`,
              cancel: back,
            })
      }`,
  };
}

/** In the order of their names. */
function toOutcomes({ links }: Bulk, { results, partners }: Targets, done: "ready" | "imported") {
  const missing = links === ALL_MATCHES ? [] : links.filter((token) => !results.has(token));
  const known = [...results.values()].map((result) => toOutcome(result, partners, done));
  const byName = known.sort((one, other) => (one.name ?? "").localeCompare(other.name ?? ""));
  return [...byName, ...missing.map(unknownLink)];
}

/** How many links the change reaches beside those that it changes. */
async function showInheriting(db: D1Database, changing: UpdateResult[]): Promise<string> {
  const setting = INHERITED.find((key) => changing.some(({ before, after }) => before[key] !== after[key]));
  if (!setting) return "";
  const ids = changing.map(({ before }) => before.id);
  const count = await countInheriting(db, ids, setting);
  if (count === 0) return "";
  if (count === 1) return " 1 link below inherits it.";
  const most = count > MOST_COUNTED ? `More than ${showCount(MOST_COUNTED)}` : showCount(count);
  return ` ${most} links below inherit it.`;
}

const nameOf = ({ partner }: Bulk, partners: Targets["partners"]) =>
  partners.get(partner ?? 0)?.displayName ?? "an unknown partner";

function actionName(bulk: Bulk, partners: Targets["partners"]): string {
  if (bulk.action === "target") return `Set the target ${bulk.target}`;
  return bulk.action === "attach" ? `Attach to ${nameOf(bulk, partners)}` : ACTIONS[bulk.action].name;
}

/** Changes what was reviewed, or nothing: what is otherwise now is reviewed first. */
export const submitBulk: Show = async (context, member) => {
  const sent = await readForm(context, bulkForm);
  if ("errors" in sent) return rejectedPage(context, member, rejectedWith(sent.errors, sent.sent));
  const bulk = sent.fields;
  const found = bulk.links === ALL_MATCHES ? await readTargets(context, member, bulk) : undefined;
  const tokens = bulk.links === ALL_MATCHES ? [...(found?.results.keys() ?? [])] : bulk.links;
  const done = await changeLinks(context, scopeOf(member), tokens, () => ACTIONS[bulk.action].update(bulk), {
    reviewed: { settings: replacedBy(bulk), version: bulk.reviewed },
    record: { source: "bulk" },
  });
  authorizeApp(done.access);
  if (!done.isStale && found?.tooMany === undefined) return resultPage(member, bulk, done, context.requestId);
  const warning = notice(
    "Nothing was changed, because the links are not as you reviewed them. Review them again.",
    "warn",
    {
      announced: true,
    },
  );
  const targets = { ...done, tooMany: found?.tooMany };
  return { ...(await reviewPage(context, member, bulk, targets, warning)), status: 409 };
};

function resultPage(member: Member, bulk: Bulk, done: Targets, request: string): AppPage {
  const outcomes = toOutcomes(bulk, done, "imported");
  const changed = outcomes.filter(({ state }) => state === "imported").length;
  const failures = outcomes.filter(({ state }) => state === "rejected").length;
  const said = ACTIONS[bulk.action].done
    .replace("{links}", countLinks(changed))
    .replace("{partner}", () => nameOf(bulk, done.partners));
  const title = changed === 0 ? "No links changed" : said;
  return {
    title,
    body: html`
      ${pageHead(title)}
      ${notice(`${title}.${failures > 0 ? ` ${countLinks(failures)} not changed.` : ""}`, failures > 0 ? "warn" : "ok", { announced: true, action: changed > 0 ? undoForm(member, request) : "" })}
      ${outcomeTable(LINK_TEXTS, outcomes, showLinks(member))}
      <p class="actions">
        ${buttonLink(backPath(member, bulk.back, []), "Back to links", "")}
        ${bulk.links === ALL_MATCHES ? "" : html`<a href="${backPath(member, bulk.back, bulk.links)}">Keep the selection</a>`}
      </p>`,
  };
}

/** The Links page with the query from which the form was sent, and a selection. */
function backPath({ path }: Member, back: string, selected: string[]): string {
  const query = new URLSearchParams(back);
  query.delete("selected");
  if (selected.length > 0) query.set("selected", selected.join());
  const search = query.toString();
  return `${path}/links${search && `?${search}`}`;
}
