/** What a change did to each link, with its Undo. */
import { html } from "hono/html";
import { withContact } from "../../pages/contact.ts";
import { badge, buttonLink, notice, pageHead, pathText } from "../../pages/elements.ts";
import { form } from "../../pages/forms/form.ts";
import { table } from "../../pages/lists/table.ts";
import { showPlural } from "../../pages/locale.ts";
import type { Markup } from "../../pages/markup.ts";
import { namesOf } from "../../usecases/links/link.ts";
import type { UpdateResult } from "../../usecases/links/updates.ts";
import type { AppPage, Member } from "../frame.ts";
import { ALL_MATCHES } from "../links/query.ts";
import type { Targets } from "./targets.ts";
import { type Bulk, explain } from "./update.ts";

/** `again`: it was changed, and then changed again. `overtaken`: somebody changed it between the review and the change. */
type State = "changed" | "again" | "overtaken" | "rejected" | "same";

export const countLinks = (links: number) => showPlural(links, "link", "links");

/** Undoes what a request changed. `what` says more to people who hear the button. */
export const undoForm = (
  { path }: Pick<Member, "path">,
  request: string,
  text = "Undo",
  what: Markup | "" = "",
): Markup =>
  form({
    action: `${path}/links/undo`,
    hidden: { change: request },
    button: html`${text}${what && html`<span class="visually-hidden"> ${what}</span>`}`,
    kind: "small secondary",
  });

export function resultPage(
  member: Member,
  bulk: Bulk & { request: string },
  { results, missing, partners }: Pick<Targets, "missing" | "partners"> & { results: UpdateResult[] },
  stateOf: (result: UpdateResult) => State,
): AppPage {
  const stated = results.map((result) => ({ result, state: stateOf(result) }));
  const changed = stated.filter(({ state }) => state === "changed");
  const failures = stated.filter(({ state }) => state === "rejected" || state === "overtaken").length;
  const all = failures + missing.length;
  const { back, links, request } = bulk;
  const undo = changed.length > 0 ? undoForm(member, request) : "";
  const said = doneText(bulk, changed.length, partners);
  const lines = stated.map(({ result, state }) =>
    lineOf(result, stateCell(member, state, result, partners), state === "rejected" || state === "overtaken"),
  );
  return {
    title: said,
    body: html`
      ${pageHead(said)}
      ${notice(`${said}.${all > 0 ? ` ${countLinks(all)} not changed.` : ""}`, all > 0 ? "warn" : "ok", { announced: true, action: undo })}
      ${changeTable(lines, missing)}
      <p class="actions">
        ${buttonLink(backPath(member, back, []), "Back to links", "")}
        ${links === ALL_MATCHES ? "" : html`<a href="${backPath(member, back, links)}">Keep the selection</a>`}
      </p>`,
  };
}

function stateCell(
  { env }: Member,
  state: State,
  result: UpdateResult,
  partners: Targets["partners"],
): Markup {
  const failed = badge("Not changed", "error");
  switch (state) {
    case "changed":
      return badge("Changed", "ok");
    case "again":
      return html`${badge("Changed again")} It was changed, and then changed again.`;
    case "overtaken":
      return html`${failed} Somebody changed it after your review. Select it and review the change again.`;
    case "rejected":
      return html`${failed} ${withContact(env, explain(result, partners))}`;
    case "same":
      return html`<span class="muted">No change needed.</span>`;
  }
}

/** What was done, to so many links. */
function doneText({ action, partner }: Bulk, changed: number, partners: Targets["partners"]): string {
  if (changed === 0) return "No links changed";
  const links = countLinks(changed);
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
    case "target":
      return `Target set for ${links}`;
    case "target-app":
      return `Target set to the app's URLs for ${links}`;
    case "target-inherit":
      return `Target set to same as parent for ${links}`;
  }
}

export const nameOf = (partner: number | undefined, partners: Targets["partners"]) =>
  partners.get(partner ?? 0)?.displayName ?? "an unknown partner";

export interface Line {
  link: Markup;
  change: Markup | string;
  /** Whether it comes first where not all lines are shown. */
  isFailure: boolean;
}

export const lineOf = ({ before }: UpdateResult, change: Markup | string, isFailure: boolean): Line => ({
  link: pathText(namesOf(before)),
  change,
  isFailure,
});

/** More links than can be selected one by one are not all shown. */
const MOST_LINES = 200;
const SHOWN_OF_MORE = 50;

export function changeTable(lines: Line[], missing: string[]): Markup {
  const unknown = missing.map(
    (token): Line => ({
      link: html`<code>${token}</code>`,
      change: html`${badge("Can't change", "error")} This app has no link with this token.`,
      isFailure: true,
    }),
  );
  const all = [...lines, ...unknown];
  const isCut = all.length > MOST_LINES;
  const [failures, others] = [
    all.filter(({ isFailure }) => isFailure),
    all.filter((line) => !line.isFailure),
  ];
  const first = failures.slice(0, Math.max(SHOWN_OF_MORE / 2, SHOWN_OF_MORE - others.length));
  return html`
    ${table({
      label: "Changed links",
      columns: [
        { heading: "Link", cell: ({ link }) => link },
        { heading: "Change", cell: ({ change }) => change },
      ],
      rows: isCut ? [...first, ...others].slice(0, SHOWN_OF_MORE) : all,
    })}
    ${isCut ? html`<p class="muted">And ${countLinks(all.length - SHOWN_OF_MORE)} more.</p>` : ""}`;
}

/** The fields of a form that makes a change. */
export const toFields = ({
  action,
  partner,
  target = "",
  links,
  back,
}: Omit<Bulk, "target"> & Partial<Bulk>) => ({
  action,
  partner: String(partner ?? ""),
  target,
  links: String(links),
  back,
});

/** The Links page with the query from which the form was sent, and a selection. */
export function backPath({ path }: Member, back: string, selected: string[]): string {
  const query = new URLSearchParams(back);
  query.delete("selected");
  if (selected.length > 0) query.set("selected", selected.join());
  const search = query.toString();
  return `${path}/links${search && `?${search}`}`;
}
