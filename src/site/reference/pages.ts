/** The pages of an area and of an operation. */

import { html } from "hono/html";
import { ERRORS } from "../../errors.ts";
import { badge } from "../../pages/elements.ts";
import type { Markup } from "../../pages/markup.ts";
import { asCode } from "../../pages/markup.ts";
import { type FullArea, groupsOf, operationPath, type Reference } from "./areas.ts";
import { type Described, type DocumentedResponse, type Parameter, resolve, successesOf } from "./document.ts";
import { fieldList, toFields } from "./fields.ts";
import { samplesOf } from "./samples.ts";
import { sampleOf } from "./values.ts";

export function areaBody(area: FullArea): Markup {
  return html`
    <p class="lead">${area.lead}</p>
    <section class="card">
      <h2>Access</h2>
      <p>${asCode(area.access)}</p>
      ${area.guide ? html`<p>Start with the guide: <a href="${area.guide.path}">${area.guide.title}</a>.</p>` : ""}
    </section>
    ${area.operations.some(isVersion2) ? whichVersion : ""}
    ${groupsOf(area).map(
      ([noun, operations]) => html`
        <section class="card">
          <h2>${noun ? noun[0]?.toUpperCase() + noun.slice(1) : "Operations"}</h2>
          <ul class="operations">${operations.map((operation) => operationItem(area, operation))}</ul>
        </section>`,
    )}`;
}

function operationItem(area: FullArea, operation: Described): Markup {
  return html`
    <li>
      <a href="${operationPath(area, operation)}">${operation.summary}</a>
      <span class="endpoint"><span class="method">${operation.method}</span> <code>${operation.path}</code></span>
    </li>`;
}

const isVersion2 = ({ path }: Described) => path.startsWith("/public/v2/");

const whichVersion = html`
  <section class="card">
    <h2>Which version</h2>
    <p>Use version 1 (<code>/public/v1/…</code>). It has every operation, and its pages have the total number of items and a link to the previous page.</p>
    <p>Version 2 (<code>/public/v2/…</code>) has only the two lists of links. It returns the same links in a smaller envelope, without <code>api_version</code>, <code>request_id</code> and <code>timestamp</code>. Both versions are supported.</p>
  </section>`;

export function operationBody(reference: Reference, area: FullArea, operation: Described): Markup {
  return html`
    <p class="endpoint"><span class="method">${operation.method}</span> <code>${operation.path}</code></p>
    ${operation.description ? html`<p class="lead">${asCode(operation.description)}</p>` : ""}
    ${otherVersion(area, operation)}
    ${tokensOf(area, operation)}
    <section class="card">
      <h2 id="samples">Samples</h2>
      ${samplesOf(reference, area, operation).map(
        ({ language, code }, index) => html`
          <details name="sample" ${index === 0 ? "open" : ""}>
            <summary>${language}</summary>
            <pre data-language="${language}">${code}</pre>
          </details>`,
      )}
      ${area.variable ? html`<p class="hint">${asCode(area.access)}</p>` : ""}
      <p class="hint">TypeScript: create <code>linkledger.d.ts</code> as <a href="/docs/typescript">TypeScript client</a> describes.</p>
    </section>
    ${request(reference, operation)}
    <section class="card">
      <h2 id="response">Response</h2>
      ${successesOf(operation).map(([status, response]) => responsePart(reference, status, response))}
    </section>
    ${errors(operation)}`;
}

const TOKEN_NAMES: Record<string, string> = {
  apiToken: "API token (`ll_api_…`)",
  writeToken: "access token for writing (`ll_write_…`)",
  readToken: "access token for reading (`ll_read_…`)",
  costCredential: "cost credential (`ll_live_…` or `ll_test_…`)",
};

/** Which tokens an operation takes. */
function tokensOf({ surface }: FullArea, { security, path }: Described): Markup | "" {
  const names = security.flatMap((one) => Object.keys(one)).map((name) => TOKEN_NAMES[name] ?? name);
  if (names.length === 0) return "";
  const only =
    surface === "operator"
      ? " An access token for one app gets 403."
      : path.includes("{app_token}") && names.length > 1
        ? " An access token for one app works only for that app."
        : "";
  return html`<p class="hint">${asCode(`Takes: ${names.join(", ")}.${only}`)}</p>`;
}

/** Which of two versions to use, for an operation that both have. */
function otherVersion(area: FullArea, operation: Described): Markup | "" {
  const [from, to] = isVersion2(operation) ? ["v2", "v1"] : ["v1", "v2"];
  const path = operation.path.replace(`/public/${from}/`, `/public/${to}/`);
  const other = area.operations.find(
    (one) => one !== operation && one.path === path && one.method === operation.method,
  );
  if (!other) return "";
  const link = html`<a href="${operationPath(area, other)}">Version ${to.slice(1)}</a>`;
  return isVersion2(operation)
    ? html`<p class="notice">${link} is the one for new programs. Version 2 returns the same links in a smaller envelope.</p>`
    : html`<p class="notice">Use this version. ${link} returns the same links in a smaller envelope.</p>`;
}

const PLACES = [
  ["path", "Path parameters"],
  ["query", "Query parameters"],
  ["header", "Headers"],
] as const;

function request(reference: Reference, operation: Described): Markup | "" {
  const { document } = reference;
  const { parameters, body } = operation;
  // A form is documented as a form and as a query with the same names.
  const isForm = body?.mediaType === "application/x-www-form-urlencoded";
  const groups = PLACES.map(
    ([place, title]) =>
      [
        title,
        parameters.filter((parameter) => parameter.in === place && !(isForm && place === "query")),
      ] as const,
  ).filter(([, found]) => found.length > 0);
  if (groups.length === 0 && !body) return "";
  return html`
    <section class="card">
      <h2 id="request">Request</h2>
      ${groups.map(([title, found]) => html`<h3>${title}</h3>${fieldList(document, found.map(toField), "required")}`)}
      ${
        body?.schema
          ? html`
              <h3>${isForm ? "Parameters in the query string, a form or a JSON object" : "JSON body"}</h3>
              ${fieldList(document, toFields(resolve(document, body.schema)), "required")}`
          : ""
      }
    </section>`;
}

const toField = ({ name, schema, required, description }: Parameter) => ({
  name,
  schema,
  required,
  description,
});

/** The headers that every response has. */
const COMMON_HEADERS = new Set(["X-Request-Id"]);

function responsePart({ document }: Reference, status: string, response: DocumentedResponse): Markup {
  const [mediaType, content] = Object.entries(response.content ?? {})[0] ?? [];
  const others = Object.keys(response.content ?? {}).slice(1);
  const headers = Object.keys(response.headers).filter((name) => !COMMON_HEADERS.has(name));
  const sample = content?.schema && (content.example ?? sampleOf(document, content.schema, "required"));
  return html`
    <h3>${badge(status, status < "300" ? "ok" : "")} ${asCode(response.description)}</h3>
    ${headers.length > 0 ? html`<p>Headers: ${headers.map((name) => html`<code>${name}</code> `)}</p>` : ""}
    ${others.length > 0 ? html`<p>Also as ${others.map((name) => html`<code>${name}</code> `)}</p>` : ""}
    ${
      content?.schema
        ? html`
            <pre data-language="JSON">${JSON.stringify(sample, null, 2)}</pre>
            <details>
              <summary>Fields</summary>
              ${fieldList(document, toFields(resolve(document, content.schema)), "optional")}
            </details>`
        : mediaType
          ? html`<p>Media type: <code>${mediaType}</code></p>`
          : ""
    }`;
}

function errors({ errors: codes }: Described): Markup {
  return html`
    <section class="card">
      <h2 id="errors">Errors</h2>
      <p>Every error is a <a href="/docs/errors">problem document</a> with one of these codes.</p>
      <dl class="fields">${codes.map(
        (code) => html`
          <div>
            <dt>${badge(String(ERRORS[code].status))} <a href="/docs/errors#${code}"><code>${code}</code></a></dt>
            <dd>${ERRORS[code].title}</dd>
          </div>`,
      )}</dl>
    </section>`;
}
