/** `/llms.txt`: the service in a page of Markdown, for programs that read before they call. */
import type { Context } from "../env.ts";
import { ERRORS } from "../errors.ts";

export function readLlms({ url: { origin } }: Context): Response {
  const codes = Object.entries(ERRORS).map(
    ([code, { status, title }]) => `- ${status} \`${code}\`: ${title}`,
  );
  const text = `# linkledger

> Link management for mobile apps, and a ledger that matches what ad partners say a click or impression cost to that click or impression. Every path below is on ${origin}.

## Documents

- [OpenAPI 3.1 document](${origin}/openapi.json): every JSON operation with its parameters, answers and problem codes
- [Guide for partners](${origin}/docs/partners): sending costs, matching, retries, batches, integration rounds
- [Problems](${origin}/docs/errors): every rejection and what to do about it
- [API reference](${origin}/docs): the OpenAPI document as a page, drawn by a script

## Interfaces

- Campaign, for users: \`/public/v1/…\` and \`/public/v2/…\`, with an API token (\`ll_api_…\`). Lists, creates and updates links.
- Cost, for partners: \`POST /cost\` (query or form), \`POST /cost/batch\` (JSON), \`GET /cost/{cost_id}\`, \`GET /cost/round\`, with a cost credential (\`ll_live_…\` or \`ll_test_…\`).
- Engagement, for the public: \`GET /{link_token}\` (click) and \`GET /impression/{link_token}\`, without credentials. With \`s2s=1\` both answer JSON once the engagement is stored.
- Health: \`GET /healthz\` (alive) and \`GET /readyz\` (ready, or why not).

## Rules

- Credentials go into the \`Authorization\` header, as \`Token token=…\` or \`Bearer …\`, never into a URL.
- Lists are paged: follow \`paging.next\` until it is null. \`limit\` is 50 unless given, at most 1,000.
- A cost is identified by its \`cost_id\` (12 to 256 characters). The same again is answered 200 with \`"duplicate": true\`, so a retry is safe; other values for the same id are rejected.
- A cost meets the engagement with the same \`cost_id\`: \`cpm\` an impression, \`cpc\` a click, \`cpi\` and \`cpe\` a click or else an impression. It is accepted up to seven days after the engagement. Before the engagement it is stored as pending and matches by itself. \`GET /cost/{cost_id}\` tells how it currentMatch; \`mismatch\` names why an engagement that came does not carry it.
- Amounts are decimal text with at most 5 decimal places; for \`cpm\` the price of 1,000 impressions. Days are in UTC.
- 200 to a cost means that it is committed. Retry 408, 429, 500 and 503 with the same request, after \`Retry-After\` seconds where it is given; mend 400, 401 and 403 first.
- Every answer has an \`X-Request-Id\`. Every rejection is a problem document (RFC 9457) with \`code\`, \`detail\`, \`request_id\` and, for a malformed request, \`errors\` that name every fault at once.

## Problem codes

${codes.join("\n")}
`;
  return new Response(text, {
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
}
