/** `/docs/errors`, the page that the `type` of every problem document names: every error code, by the API that returns it. */

import { html } from "hono/html";
import { ERRORS, type ErrorCode } from "../errors.ts";
import { badge } from "../pages/elements.ts";
import type { Markup } from "../pages/markup.ts";
import { asCode } from "../pages/markup.ts";
import { type FullArea, operationPath, type Reference } from "./reference/areas.ts";

type Group = { id: string; title: string; codes: ErrorCode[] };

/** The router rejects these before an operation gets the request. */
const BEFORE_OPERATIONS: ErrorCode[] = ["method_not_allowed"];

/** The codes of one API only, those of several, and those that only pages return. */
function groupsOf({ areas }: Reference): Group[] {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const areasWith = (code: ErrorCode) =>
    areas.filter(({ operations }) => operations.some(({ errors }) => errors.includes(code)));
  const groupOf = (code: ErrorCode) => {
    const [area, ...others] = areasWith(code);
    if (BEFORE_OPERATIONS.includes(code) || others.length > 0) return "any";
    return area?.slug ?? "pages";
  };
  const byGroup = Map.groupBy(codes, groupOf);
  const titles = [
    ["any", "Any request"],
    ...areas.map(({ slug, title }) => [slug, title] as const),
    ["pages", "Pages and forms"],
  ] as const;
  return titles
    .map(([id, title]) => ({ id: `group-${id}`, title, codes: byGroup.get(id) ?? [] }))
    .filter(({ codes }) => codes.length > 0);
}

export function errorsBody(reference: Reference): Markup {
  const groups = groupsOf(reference);
  return html`
    <p class="lead">Every error is a problem document (RFC 9457). Its <code>code</code> is one of these. <code>detail</code> says what was wrong with the request, and <code>errors</code> lists every invalid parameter.</p>
    <nav class="contents" aria-label="On this page">
      ${groups.map(
        ({ id, title, codes }) => html`
          <p><a href="#${id}">${title}</a></p>
          <ul>${codes.map((code) => html`<li><a href="#${code}"><code>${code}</code></a></li>`)}</ul>`,
      )}
    </nav>
    ${groups.map(
      ({ id, title, codes }) => html`
        <h2 id="${id}">${title}</h2>
        ${codes.map((code) => errorCard(reference, code))}`,
    )}`;
}

function errorCard({ areas }: Reference, code: ErrorCode): Markup {
  const { status, title, help } = ERRORS[code];
  return html`
    <section class="card" id="${code}">
      <div class="head"><h3><code>${code}</code></h3>${badge(String(status))}</div>
      <p><strong>${title}.</strong></p>
      <p>${asCode(help)}</p>
      ${returnedBy(areas, code)}
    </section>`;
}

/** A longer list would help nobody. */
const MAX_OPERATIONS = 5;

function returnedBy(areas: FullArea[], code: ErrorCode): Markup | "" {
  const links = areas.flatMap((area) =>
    area.operations
      .filter(({ errors }) => errors.includes(code))
      .map(
        (operation) => html`<li><a href="${operationPath(area, operation)}">${operation.summary}</a></li>`,
      ),
  );
  return links.length === 0 || links.length > MAX_OPERATIONS
    ? ""
    : html`<p class="hint">Returned by:</p><ul class="hint">${links}</ul>`;
}
