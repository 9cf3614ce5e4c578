/** `/llms.txt`: a summary of the interfaces in Markdown, for language models. */
import { TYPES_PER_MILLE } from "../domain/cost-types.ts";
import { COST_WINDOW, describeFits, listOf } from "../domain/texts.ts";
import type { Context } from "../env.ts";
import { ERRORS } from "../errors.ts";
import { DOCS } from "./docs.ts";

export function readLlms({ url: { origin } }: Context): Response {
  const pages = DOCS.map(({ path, title }) => `- [${title}](${origin}${path})`);
  const codes = Object.entries(ERRORS).map(
    ([code, { status, title }]) => `- ${status} \`${code}\`: ${title}`,
  );
  const text = `# linkledger

> Link management for mobile apps, and a ledger that matches the costs of ad partners to clicks and impressions. Every path below is on ${origin}.

## Documents

- [OpenAPI 3.1 document](${origin}/openapi.json): every JSON operation with its parameters, responses and error codes
${pages.join("\n")}

## Interfaces

- Campaign API, for users: \`/public/v1/…\` and \`/public/v2/…\`, with an API token (\`ll_api_…\`) or an access token (\`ll_read_…\`, \`ll_write_…\`). Lists the apps (\`GET /public/v1/apps\`), lists, creates and updates links, and reports what they cost (\`GET …/apps/{app_token}/spend\`, \`/engagements\`, \`/performance\`) as JSON or CSV.
- Cost API, for partners: \`POST /cost\` (query, form or JSON), \`POST /cost/batch\` (JSON or CSV, up to 1,000 costs), \`GET /cost\` (the partner's own costs, as JSON or CSV), \`GET /cost/{cost_id}\`, \`POST /cost/{cost_id}/void\`, \`GET /cost/round\`, with a credential (\`ll_live_…\` or \`ll_test_…\`).
- Engagement, for the public: \`GET /{link_token}\` (click) and \`GET /impression/{link_token}\`, without credentials. With \`s2s=1\` the response is JSON and is sent after the engagement is stored.
- Tools for agents: \`POST /mcp\`, the Model Context Protocol, revision 2026-07-28, with an access token for reading (\`ll_read_…\`). [How to connect, and what each tool answers](${origin}/docs/agents).
- Operator API: \`/operator/v1/…\`, with the API token of an operator, or an access token for all apps.
- Health: \`GET /healthz\` (the Worker runs) and \`GET /readyz\` (ready, or why not).

## Rules

- Credentials go into the \`Authorization\` header, as \`Token token=…\` or \`Bearer …\`, never into a URL.
- Lists are paged: follow \`paging.next\` until it is null. \`limit\` is 50 by default, at most 1,000.
- A cost is identified by its \`cost_id\` (12 to 256 characters). The same values again return 200 with \`"duplicate": true\`, so a retry is safe. Other values for the same ID are rejected.
- A cost matches the engagement with the same \`cost_id\`: ${describeFits((type) => `\`${type}\``)}. It is accepted up to ${COST_WINDOW} after the engagement. Before the engagement it is pending and matches later. \`GET /cost/{cost_id}\` returns its state; \`mismatch\` says why an engagement with the ID cannot take the cost.
- Amounts are decimal text with at most 5 decimal places; for ${listOf(
    TYPES_PER_MILLE.map((type) => `\`${type}\``),
    "and",
  )} the price of 1,000 impressions. Days are in UTC.
- 200 to a cost means that it is committed. Retry 408, 429, 500 and 503 with the same request, after \`Retry-After\` seconds if the header is present. Fix the request after any other error.
- Every response has an \`X-Request-Id\`. Every error is a problem document (RFC 9457) with \`code\`, \`detail\`, \`request_id\` and, for a malformed request, \`errors\` with every invalid parameter.

## Error codes

${codes.join("\n")}
`;
  return new Response(text, {
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}
