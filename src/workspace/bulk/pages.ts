/** The review of a change of several links, and the form that makes it. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { isSigned, signForSession } from "../../auth/sessions.ts";
import { countInheriting, INHERITED, MOST_COUNTED } from "../../db/links/inheriting.ts";
import type { Context } from "../../env.ts";
import { readForm } from "../../http/input/form.ts";
import { invalidRequest, parseOrThrow } from "../../http/input/parse.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { withContact } from "../../pages/contact.ts";
import { badge, buttonLink, notice, pageHead } from "../../pages/elements.ts";
import { form } from "../../pages/forms/form.ts";
import { showCount } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import type { StoredLink } from "../../usecases/links/link.ts";
import { changeLinks, type UpdateResult } from "../../usecases/links/updates.ts";
import { type AppPage, authorizeApp, type Member, type Show, scopeOf } from "../frame.ts";
import { ALL_MATCHES, MAX_SELECTED } from "../links/query.ts";
import { backPath, changeTable, countLinks, lineOf, nameOf, resultPage, toFields } from "./result.ts";
import { ACTIONS } from "./selection.ts";
import { readTargets, type Targets } from "./targets.ts";
import {
  type Bulk,
  bulkFields,
  bulkForm,
  bulkQuery,
  describeChange,
  explain,
  hasSeenTarget,
  needsSeen,
  needsTarget,
  showSeen,
  toSeen,
  toUpdate,
} from "./update.ts";

const resultQuery = z.object({
  ...bulkFields,
  changed: z._default(z.string(), ""),
  request: z._default(z.string(), ""),
});

/** Shows what would change. Without a link, or with `only=select`, leads back to the Links page with the selection. */
export const bulkPage: Show = async (context, member) => {
  const { url } = context;
  const links = [...new Set(url.searchParams.getAll("links").flatMap((value) => value.split(",")))].filter(
    (token) => token !== "",
  );
  const back = backPath(member, url.searchParams.get("back") ?? "", links);
  if (links.length === 0 || url.searchParams.has("only")) return redirectResponse(back);
  const bulk = parseOrThrow(z.object(bulkFields).check(needsTarget), {
    ...Object.fromEntries(url.searchParams),
    links: links.join(),
  });
  return reviewPage(context, member, bulk, await readTargets(context, member, bulk));
};

async function reviewPage(
  { env }: Context,
  member: Member,
  bulk: Bulk,
  targets: Targets,
  warning: Markup | "" = "",
): Promise<AppPage> {
  const { results, missing, partners, version, tooMany } = targets;
  const selected = Array.isArray(bulk.links) ? bulk.links : undefined;
  const back = backPath(member, bulk.back, selected ?? [ALL_MATCHES]);
  const leave = html`<p class="actions">${buttonLink(back, "Back to links", "")}</p>`;
  const title = "Review changes";
  if (tooMany !== undefined)
    return { title, body: html`${pageHead(title)}${warning}${notice(tooMany, "warn")}${leave}` };
  const changing = results.filter(({ isChanged }) => isChanged);
  const changed = changing.length;
  const failures = missing.length + results.filter(({ rejection }) => rejection !== undefined).length;
  const lines = results.map((result) =>
    lineOf(
      result,
      result.rejection
        ? html`${badge("Can't change", "error")} ${withContact(member.env, explain(result, partners))}`
        : result.isChanged
          ? describeChange(result.before, result.after, partners)
          : html`<span class="muted">No change</span>`,
      result.rejection !== undefined,
    ),
  );
  const of = selected
    ? `${showCount(selected.length)} selected ${selected.length === 1 ? "link" : "links"}`
    : `${countLinks(results.length)} that ${results.length === 1 ? "matches" : "match"}`;
  const seen =
    selected && needsSeen(bulk)
      ? showSeen(
          results.map(({ before }) => before),
          bulk,
        )
      : "";
  return {
    title,
    body: html`
      ${pageHead(title)}
      ${warning}
      <p class="lead">${actionName(bulk, partners)}: ${showCount(changed)} of ${of} will change${failures > 0 ? html`, and ${showCount(failures)} can't` : ""}.${await showInheriting(env.DB, changing)} Nothing is saved yet.</p>
      ${changeTable(lines, missing)}
      ${
        changed === 0
          ? leave
          : form({
              action: `${member.path}/links/bulk`,
              hidden: { ...toFields(bulk), seen, matched: version ?? "" },
              button: `Change ${countLinks(changed)}`,
              cancel: back,
            })
      }`,
  };
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

function actionName({ action, partner, target }: Bulk, partners: Targets["partners"]): string {
  if (action === "target") return `Set the target ${target}`;
  return action === "attach" ? `Attach to ${nameOf(partner, partners)}` : ACTIONS[action];
}

/** Every link is changed or not by itself. One that somebody changed since the review is not. */
export const submitBulk: Show = async (context, member) => {
  const sent = await readForm(context, bulkForm);
  if ("errors" in sent) throw invalidRequest(sent.errors);
  const { seen, matched, ...bulk } = sent.fields;
  if (bulk.links === ALL_MATCHES) return submitMatches(context, member, bulk, matched);
  const done = await change(context, member, bulk, bulk.links, seen);
  // The address of a page has no room for more.
  if (bulk.links.length > MAX_SELECTED) return done.page;
  const changed = done.results.flatMap(({ before, isChanged }) => (isChanged ? before.token : []));
  const result = `${member.path}/links/bulk/result?${bulkQuery(bulk, { changed: changed.join(), request: context.requestId })}`;
  return redirectResponse(signForSession(context, result));
};

/** Changes what was reviewed, or nothing: if other links match now, these are reviewed first. */
async function submitMatches(
  context: Context,
  member: Member,
  bulk: Bulk,
  matched: string,
): Promise<AppPage> {
  const targets = await readTargets(context, member, bulk);
  if (targets.tooMany !== undefined || targets.version !== matched) {
    const warning = notice("Nothing was changed, because other links match now. Review them below.", "warn", {
      announced: true,
    });
    return { ...(await reviewPage(context, member, bulk, targets, warning)), status: 409 };
  }
  const links = targets.results.map(({ before }) => before);
  const seen = needsSeen(bulk) ? toSeen(links) : undefined;
  const tokens = links.map(({ token }) => token);
  return (await change(context, member, bulk, tokens, seen)).page;
}

async function change(
  context: Context,
  member: Member,
  bulk: Bulk,
  tokens: string[],
  seen: ReturnType<typeof toSeen> | undefined,
): Promise<{ results: UpdateResult[]; page: AppPage }> {
  const update = toUpdate(bulk);
  const overtaken = new Set<string>();
  const updateOf = (link: StoredLink) => {
    if (!seen || hasSeenTarget(link, seen)) return update;
    overtaken.add(link.token);
    return {};
  };
  const how = { seen: seen?.links, source: "bulk" } as const;
  const done = await changeLinks(context, scopeOf(member), tokens, updateOf, how);
  authorizeApp(done.access);
  const results = [...done.results.values()];
  const missing = tokens.filter((token) => !done.results.has(token));
  const request = context.requestId;
  const page = resultPage(member, { ...bulk, request }, { ...done, results, missing }, (result) => {
    if (result.isChanged) return "changed";
    if (result.rejection === "link_changed" || overtaken.has(result.before.token)) return "overtaken";
    return result.rejection ? "rejected" : "same";
  });
  return { results, page };
}

/** Only for the session that made the change: a link from somebody else could name a change that nobody made, with its Undo. */
export const bulkResult: Show = async (context, member) => {
  if (!isSigned(context)) return redirectResponse(`${member.path}/links`);
  const query = parseOrThrow(resultQuery, Object.fromEntries(context.url.searchParams));
  const targets = await readTargets(context, member, query);
  // A link that was changed and is in another state now was changed again. One that was not, and would be changed now, was changed
  // by somebody between the review and the change.
  const wasChanged = new Set(query.changed.split(","));
  return resultPage(member, query, targets, ({ before, isChanged, rejection }) => {
    if (rejection) return "rejected";
    if (isChanged) return wasChanged.has(before.token) ? "again" : "overtaken";
    return wasChanged.has(before.token) ? "changed" : "same";
  });
};
