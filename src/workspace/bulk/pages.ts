/** The confirmation and the result of a change of several links, and the form that makes it. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { isSigned, signForSession } from "../../auth/sessions.ts";
import { readLinks } from "../../db/links/updates.ts";
import type { Context } from "../../env.ts";
import { readForm } from "../../http/input/form.ts";
import { invalidRequest, parseOrThrow } from "../../http/input/parse.ts";
import { redirectResponse } from "../../http/redirect.ts";
import type { Markup } from "../../pages/markup.ts";
import { changeLinks, judgeUpdate, type UpdateResult } from "../../usecases/links/updates.ts";
import { authorizeApp, type Member, type Show } from "../frame.ts";
import { ACTIONS } from "./selection.ts";
import {
  type Bulk,
  bulkFields,
  bulkForm,
  bulkQuery,
  describeChange,
  explain,
  showSeen,
  toUpdate,
} from "./update.ts";

const resultQuery = z.object({ ...bulkFields, changed: z._default(z.string(), "") });

/** Shows what would change. Without a link, or with `only=select`, leads back to the Links page with the selection. */
export const bulkPage: Show = async (context, member) => {
  const { url } = context;
  const links = [...new Set(url.searchParams.getAll("links").flatMap((value) => value.split(",")))].filter(
    (token) => token !== "",
  );
  const back = backPath(member, url.searchParams.get("back") ?? "", links);
  if (links.length === 0 || url.searchParams.has("only")) return redirectResponse(back);
  const bulk = parseOrThrow(z.object(bulkFields), {
    ...Object.fromEntries(url.searchParams),
    links: links.join(),
  });
  const { results, missing, partners } = await judgeAll(context, member, bulk);
  const changed = results.filter(({ isChanged }) => isChanged).length;
  const rows = results.map((result) =>
    row(
      result,
      result.rejection
        ? html`<span class="badge error">Can't change</span> ${explain(result, partners)}`
        : result.isChanged
          ? html`${describeChange(result.before, result.after, partners)}`
          : html`<span class="muted">No change</span>`,
    ),
  );
  const name = actionName(bulk, partners);
  return {
    title: "Review changes",
    body: html`
      <h1>Review changes</h1>
      <p class="lead">${name}: ${count(changed)} of ${count(links.length)} selected will change. Nothing is saved yet.</p>
      ${table(rows, missing)}
      <div class="actions">
        ${changed === 0 ? "" : post(member, bulk, html`<button>Change ${count(changed)}</button>`, showSeen(bulk, results))}
        <a class="button secondary" href="${back}">Back to links</a>
      </div>`,
  };
};

const count = (links: number) => `${links} ${links === 1 ? "link" : "links"}`;

/** Every link is changed or not by itself. One that somebody changed since the review is not. */
export const submitBulk: Show = async (context, member) => {
  const form = await readForm(context, bulkForm);
  if ("errors" in form) throw invalidRequest(form.errors);
  const { seen, ...bulk } = form.fields;
  const scope = { ...member.viewer, appToken: member.app.token };
  const at = { now: context.now, seen };
  const update = toUpdate(bulk);
  const { access, results } = await changeLinks(context.env.DB, scope, bulk.links, () => update, at);
  authorizeApp(access);
  const changed = [...results].flatMap(([token, { isChanged }]) => (isChanged ? token : []));
  const result = `${member.path}/links/bulk/result?${bulkQuery(bulk, { changed: changed.join() })}`;
  return redirectResponse(signForSession(context, result));
};

const OPPOSITES = { archive: "restore", restore: "archive" } as const;

/** Only for the session that made the change: a link from somebody else could name a change that nobody made, with its Undo. */
export const bulkResult: Show = async (context, member) => {
  if (!isSigned(context)) return redirectResponse(`${member.path}/links`);
  const query = parseOrThrow(resultQuery, Object.fromEntries(context.url.searchParams));
  const { results, missing, partners } = await judgeAll(context, member, query);
  // A link that was changed and is in another state now was changed again. One that was not, and would be changed now, was changed
  // by somebody between the review and the change.
  const wasChanged = new Set(query.changed.split(","));
  const changed = results.filter(
    ({ before, isChanged, rejection }) => !isChanged && !rejection && wasChanged.has(before.token),
  );
  const done = new Set(changed);
  const failed = results.filter(
    ({ before, isChanged, rejection }) => rejection || (isChanged && !wasChanged.has(before.token)),
  );
  const rows = results.map((result) =>
    row(
      result,
      done.has(result)
        ? html`<span class="badge ok">Changed</span>`
        : result.rejection
          ? html`<span class="badge error">Not changed</span> ${explain(result, partners)}`
          : result.isChanged
            ? wasChanged.has(result.before.token)
              ? html`<span class="badge">Changed again</span> It was changed, and then changed again.`
              : html`<span class="badge error">Not changed</span> Somebody changed it after your review. Select it and review the change again.`
            : html`<span class="muted">No change needed.</span>`,
    ),
  );
  const { action } = query;
  const opposite = action === "archive" || action === "restore" ? OPPOSITES[action] : undefined;
  const undo =
    opposite && changed.length > 0
      ? post(
          member,
          { ...query, action: opposite, links: changed.map(({ before }) => before.token) },
          html`<button class="small secondary">Undo</button>`,
        )
      : "";
  const failures = failed.length + missing.length;
  return {
    title: "Result",
    body: html`
      <h1>Result</h1>
      <div class="notice undo ${failures > 0 ? "warn" : "ok"}">
        <p role="status">${actionName(query, partners)}: ${count(changed.length)} changed.${failures > 0 ? ` ${count(failures)} not changed.` : ""}</p>
        ${undo}
      </div>
      ${table(rows, missing)}
      <p class="actions">
        <a class="button" href="${backPath(member, query.back, [])}">Back to links</a>
        <a href="${backPath(member, query.back, query.links)}">Keep the selection</a>
      </p>`,
  };
};

function actionName({ action, partner }: Bulk, partners: Judged["partners"]): string {
  if (action !== "attach") return ACTIONS[action];
  return `Attach to ${partners.get(partner ?? 0)?.displayName ?? "an unknown partner"}`;
}

type Judged = Awaited<ReturnType<typeof judgeAll>>;

/** What the change does to each link now, by name, and the tokens that the app does not have. */
async function judgeAll({ env }: Context, { viewer, app }: Member, bulk: Bulk) {
  const scope = { ...viewer, appToken: app.token };
  const { access, partners, links } = await readLinks(env.DB, scope, bulk.links);
  authorizeApp(access);
  const results = [...links.values()]
    .map((link) => judgeUpdate(link, toUpdate(bulk), partners))
    .sort(({ before: one }, { before: other }) => fullName(one).localeCompare(fullName(other)));
  return { results, missing: bulk.links.filter((token) => !links.has(token)), partners };
}

const fullName = ({ inheritedName, label }: UpdateResult["before"]) =>
  [...(inheritedName?.split("::") ?? []), label].join(" › ");

function row({ before }: UpdateResult, text: Markup): Markup {
  return html`<tr><th scope="row">${fullName(before)}</th><td data-label="Change">${text}</td></tr>`;
}

function table(rows: Markup[], missing: string[]): Markup {
  const unknown = missing.map(
    (token) =>
      html`<tr><th scope="row"><code>${token}</code></th><td data-label="Change"><span class="badge error">Can't change</span> This app has no link with this token.</td></tr>`,
  );
  return html`
    <div class="table stacked" tabindex="0" role="region" aria-label="Selected links"><table>
      <thead><tr><th scope="col">Link</th><th scope="col">Change</th></tr></thead>
      <tbody>${rows}${unknown}</tbody>
    </table></div>`;
}

/** A form that makes a change. */
function post({ path }: Member, { action, partner, links, back }: Bulk, button: Markup, seen = ""): Markup {
  const inputs = Object.entries({ action, partner: partner ?? "", links: links.join(), back, seen })
    .filter(([, value]) => value !== "")
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
  return html`<form method="post" action="${path}/links/bulk">${inputs}${button}</form>`;
}

/** The Links page with the query from which the form was sent, and a selection. */
function backPath({ path }: Member, back: string, selected: string[]): string {
  const query = new URLSearchParams(back);
  query.delete("selected");
  if (selected.length > 0) query.set("selected", selected.join());
  const search = query.toString();
  return `${path}/links${search && `?${search}`}`;
}
