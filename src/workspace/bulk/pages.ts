/** The confirmation and the result of a change of several links, and the form that makes it. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { isSigned, signForSession } from "../../auth/sessions.ts";
import { readLinks } from "../../db/links/updates.ts";
import type { Context } from "../../env.ts";
import { readForm } from "../../http/input/form.ts";
import { invalidRequest, parseOrThrow } from "../../http/input/parse.ts";
import { redirectResponse } from "../../http/redirect.ts";
import { badge, buttonLink, notice, pageHead, pathText } from "../../pages/elements.ts";
import { form } from "../../pages/form.ts";
import { showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { table } from "../../pages/table.ts";
import { namesOf } from "../../usecases/links/link.ts";
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
  const lines = results.map((result) =>
    lineOf(
      result,
      result.rejection
        ? html`${badge("Can't change", "error")} ${explain(result, partners)}`
        : result.isChanged
          ? describeChange(result.before, result.after, partners)
          : html`<span class="muted">No change</span>`,
    ),
  );
  const hidden = { ...toFields(bulk), seen: showSeen(bulk, results) };
  return {
    title: "Review changes",
    body: html`
      ${pageHead("Review changes")}
      <p class="lead">${actionName(bulk, partners)}: ${count(changed)} of ${count(links.length)} selected will change. Nothing is saved yet.</p>
      ${changeTable(lines, missing)}
      ${
        changed === 0
          ? html`<p class="actions">${buttonLink(back, "Back to links")}</p>`
          : form({
              action: `${member.path}/links/bulk`,
              hidden,
              button: `Change ${count(changed)}`,
              cancel: back,
            })
      }`,
  };
};

const count = (links: number) => showPlural(links, "link", "links");

/** Every link is changed or not by itself. One that somebody changed since the review is not. */
export const submitBulk: Show = async (context, member) => {
  const sent = await readForm(context, bulkForm);
  if ("errors" in sent) throw invalidRequest(sent.errors);
  const { seen, ...bulk } = sent.fields;
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
  const lines = results.map((result) =>
    lineOf(
      result,
      done.has(result)
        ? badge("Changed", "ok")
        : result.rejection
          ? html`${badge("Not changed", "error")} ${explain(result, partners)}`
          : result.isChanged
            ? wasChanged.has(result.before.token)
              ? html`${badge("Changed again")} It was changed, and then changed again.`
              : html`${badge("Not changed", "error")} Somebody changed it after your review. Select it and review the change again.`
            : html`<span class="muted">No change needed.</span>`,
    ),
  );
  const { action } = query;
  const opposite = action === "archive" || action === "restore" ? OPPOSITES[action] : undefined;
  const undo =
    opposite && changed.length > 0
      ? form({
          action: `${member.path}/links/bulk`,
          hidden: toFields({ ...query, action: opposite, links: changed.map(({ before }) => before.token) }),
          button: "Undo",
          kind: "small secondary",
        })
      : "";
  const failures = failed.length + missing.length;
  const said = doneText(query, changed.length, partners);
  return {
    title: said,
    body: html`
      ${pageHead(said)}
      ${notice(`${said}.${failures > 0 ? ` ${count(failures)} not changed.` : ""}`, failures > 0 ? "warn" : "ok", { announced: true, action: undo })}
      ${changeTable(lines, missing)}
      <p class="actions">
        ${buttonLink(backPath(member, query.back, []), "Back to links", "")}
        <a href="${backPath(member, query.back, query.links)}">Keep the selection</a>
      </p>`,
  };
};

/** What was done, to so many links. */
function doneText({ action, partner }: Bulk, changed: number, partners: Judged["partners"]): string {
  if (changed === 0) return "No links changed";
  const links = count(changed);
  switch (action) {
    case "archive":
      return `${links} archived`;
    case "restore":
      return `${links} restored`;
    case "attach":
      return `${links} attached to ${nameOf(partner, partners)}`;
    case "detach":
      return `${links} detached`;
    case "cost-on":
      return `Cost data turned on for ${links}`;
    case "cost-off":
      return `Cost data turned off for ${links}`;
    case "cost-inherit":
      return `Cost data set to same as parent for ${links}`;
  }
}

const nameOf = (partner: number | undefined, partners: Judged["partners"]) =>
  partners.get(partner ?? 0)?.displayName ?? "an unknown partner";

function actionName({ action, partner }: Bulk, partners: Judged["partners"]): string {
  return action === "attach" ? `Attach to ${nameOf(partner, partners)}` : ACTIONS[action];
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

const fullName = (link: UpdateResult["before"]) => namesOf(link).join(" › ");

interface Line {
  link: Markup;
  change: Markup | string;
}

const lineOf = ({ before }: UpdateResult, change: Markup | string): Line => ({
  link: pathText(namesOf(before)),
  change,
});

function changeTable(lines: Line[], missing: string[]): Markup | string {
  const unknown = missing.map(
    (token): Line => ({
      link: html`<code>${token}</code>`,
      change: html`${badge("Can't change", "error")} This app has no link with this token.`,
    }),
  );
  return table({
    label: "Selected links",
    columns: [
      { heading: "Link", cell: ({ link }) => link },
      { heading: "Change", cell: ({ change }) => change },
    ],
    rows: [...lines, ...unknown],
  });
}

/** The fields of a form that makes a change. */
const toFields = ({ action, partner, links, back }: Bulk) => ({
  action,
  partner: String(partner ?? ""),
  links: links.join(),
  back,
});

/** The Links page with the query from which the form was sent, and a selection. */
function backPath({ path }: Member, back: string, selected: string[]): string {
  const query = new URLSearchParams(back);
  query.delete("selected");
  if (selected.length > 0) query.set("selected", selected.join());
  const search = query.toString();
  return `${path}/links${search && `?${search}`}`;
}
