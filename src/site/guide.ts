/** `/docs/partners`: how an ad partner sends its first cost, and what it must know before it goes live. */
import { html } from "hono/html";
import type { Context } from "../env.ts";
import { ERRORS, type ErrorCode } from "../errors.ts";
import { type Markup, pageResponse } from "../http/pages.ts";
import { asCode } from "../http/text.ts";

/** Whether the same request may be sent again as it is; what else to do is told by the page of problems. */
const REJECTIONS: Partial<Record<ErrorCode, "mend" | "again" | "operator">> = {
  invalid_request: "mend",
  cost_id_conflict: "mend",
  wrong_engagement: "mend",
  window_closed: "mend",
  unauthorized: "mend",
  credential_revoked: "operator",
  test_credential: "operator",
  cost_type_not_integrated: "operator",
  cost_data_disabled: "operator",
  round_full: "operator",
  not_found: "mend",
  request_timeout: "again",
  payload_too_large: "mend",
  unsupported_media_type: "mend",
  rate_limited: "again",
  internal_error: "again",
  unavailable: "again",
};

const ADVICE = {
  mend: "No. Mend it first.",
  again: "Yes, as it is.",
  operator: "No. Ask the operator.",
};

const PARAMETERS: [string, string][] = [
  [
    "cost_id",
    "12 to 256 characters, one for each engagement, the same that its click or impression URL carried.",
  ],
  ["cost_type", "`cpc`, `cpi`, `cpe` or `cpm`."],
  ["cost_currency", "An ISO 4217 code, for instance `USD`."],
  [
    "cost_amount",
    "A plain decimal such as `0.25`, at most 5 decimal places. For `cpm` the price of 1,000 impressions. Leave it out where the engagement's URL carried it.",
  ],
  ["tag", "At most 128 characters, for logs and debugging: yours and ours."],
];

export function readGuide(context: Context): Promise<Response> {
  const { origin } = context.url;
  return pageResponse(context, {
    title: "Guide for partners",
    body: html`
      <h1>Guide for partners</h1>
      <p class="lead">You send what a click or an impression cost. It is matched to that click or impression by its cost ID.</p>
      ${firstCost(origin)}
      ${parameters()}
      ${matching()}
      ${retries()}
      ${batches(origin)}
      ${roundsInBrief(origin)}
      ${errorCodes()}`,
  });
}

function section(id: string, title: string, body: Markup): Markup {
  return html`<section class="card" id="${id}"><h2>${title}</h2>${body}</section>`;
}

function firstCost(origin: string): Markup {
  return section(
    "first-cost",
    "Your first cost in five minutes",
    html`
      <p>The operator opens an <a href="#rounds">integration round</a> for you and gives you a test credential and the token of a link that is attached to you: other links take no cost of yours. Nothing that you send with a test credential counts as spend, so try what you like.</p>
      <pre>BASE_URL=${origin}
COST_TOKEN=ll_test_…
LINK_TOKEN=…</pre>
      <p><strong>1. An engagement.</strong> A person's browser would open the link. With <code>s2s=1</code> your server opens it, and is answered once the click is stored:</p>
      <pre>curl "$BASE_URL/$LINK_TOKEN?cost_id=yourname-20260701-0001&amp;s2s=1"</pre>
      <p><code>"recorded": true</code> means that the click is kept. If it is <code>false</code>, look at <code>dropped</code>: it names each cost parameter of the URL that was bad and left out. If that is empty, the URL carried no <code>cost_id</code>, or the link is attached to no partner. For an impression put <code>/impression/</code> before the link's token.</p>
      <p><strong>2. Its cost</strong>, with the same cost ID:</p>
      <pre>curl -H "Authorization: Token token=$COST_TOKEN" \\
  -d 'cost_type=cpc' -d 'cost_currency=USD' -d 'cost_amount=0.25' \\
  -d 'cost_id=yourname-20260701-0001' -d 'tag=first' "$BASE_URL/cost"</pre>
      <p><strong>3. The answer.</strong> <code>200</code> means that the cost is stored. <code>"match": "matched"</code> means that it has met its click.</p>
      <p><strong>4. What the round says of it</strong>:</p>
      <pre>curl -H "Authorization: Token token=$COST_TOKEN" "$BASE_URL/cost/round"</pre>
      <p>The credential goes into the <code>Authorization</code> header, as <code>Token token=…</code> or <code>Bearer …</code>. It is never taken from a URL.</p>`,
  );
}

function parameters(): Markup {
  const rules = PARAMETERS.map(
    ([name, text]) => html`<dt><code class="whole">${name}</code></dt><dd>${asCode(text)}</dd>`,
  );
  return section(
    "parameters",
    "What to send",
    html`
      <p>Send the parameters in the query string or as a form body of <code>POST /cost</code>. All but <code>cost_amount</code> are required. Names are lowercase; other names are ignored.</p>
      <dl class="details">${rules}</dl>
      <p>A good cost ID is a UUID, or your company's name followed by your own click or impression ID. Amounts are exact: no rounding, and no currency is turned into another.</p>
      <p>A cost without an amount, on an engagement without one, is stored as unpriced and answered with <code>"amount": null</code>. Send it once more with the amount to complete it.</p>`,
  );
}

function matching(): Markup {
  return section(
    "matching",
    "Pending and matched",
    html`
      <ul>
        <li><strong>cpm</strong> needs an impression, <strong>cpc</strong> a click, <strong>cpi</strong> and <strong>cpe</strong> a click or else an impression, each with the same cost ID and on a link of yours. With cpm, send one cost for each impression.</li>
        <li>A cost that comes before its engagement is stored as <strong>pending</strong> and matches by itself when the engagement arrives. You need not send it again.</li>
        <li>An engagement takes a cost for <strong>seven days</strong>, to the millisecond. A pending cost waits as long, then it lapses.</li>
        <li><code>GET /cost/{cost_id}</code> tells how a live cost currentMatch: <code>matched</code>, <code>pending</code> or <code>lapsed</code>; and in <code>mismatch</code>, why a click or impression that came with its ID does not carry it.</li>
      </ul>
      <p><strong>A live cost that stays pending</strong> has met no click or impression that fits. See whether the URL carried the same cost ID, letter for letter; whether the link is one of yours; and ask the app's owner whether cost data was on for the link when it was opened. What a crawler opens is not kept.</p>`,
  );
}

function retries(): Markup {
  return section(
    "retries",
    "Retries",
    html`
      <p>Sending a cost again is always safe. The cost ID is the key: the same values again are answered <code>200</code> with <code>"duplicate": true</code>, and nothing is counted twice. Other values for the same ID are rejected, and the first ones stay.</p>
      <ul>
        <li><strong>No answer, or a connection that broke</strong>: the cost may be stored or not. Send it again.</li>
        <li><strong>408, 429, 500, 503</strong>: send it again as it is. Wait as many seconds as <code>Retry-After</code> says, if it is there; else one second, then two, then four, and so on.</li>
        <li><strong>400, 401, 403</strong>: sending the same again changes nothing. The answer names everything that is wrong with it, all at once.</li>
      </ul>
      <p>Keep the <code>X-Request-Id</code> of an answer that you do not understand: the operator finds the request by it.</p>`,
  );
}

function batches(origin: string): Markup {
  return section(
    "batches",
    "Batches",
    html`
      <p><code>POST /cost/batch</code> takes up to 1,000 costs and 1 MiB of JSON. It answers <code>200</code> whenever the batch itself could be read, with a result for each cost in order. A bad cost fails alone, so look at each result: one that was rejected has a <code>code</code>.</p>
      <pre>curl -H "Authorization: Token token=$COST_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"costs": [{"cost_type": "cpc", "cost_currency": "USD", "cost_amount": "0.25",
       "cost_id": "yourname-20260701-0002", "tag": "batch"}]}' ${origin}/cost/batch</pre>
      <p>In JSON the amount is text, as in <code>"0.25"</code>. A number is rejected: it may have been rounded on its way.</p>`,
  );
}

function roundsInBrief(origin: string): Markup {
  return section(
    "rounds",
    "Integration rounds",
    html`
      <p>Before you go live, a round shows for each cost type whether your side and ours agree. Everything sent with the test credential is kept in it, accepted or rejected, and none of it is spend.</p>
      <p><code>GET ${origin}/cost/round</code> with that credential is the report: each mismatch with what you sent, what was expected and what to do. Mismatches are engagements without a cost, costs without an engagement, the wrong kind of engagement, values that differ from those on the engagement's URL, late costs, malformed ones, and an ID sent twice with different values. Duplicates are told, and hold up nothing.</p>
      <p>A valid cost with the same ID resolves the mismatch. A cost type passes with at least one match and no open mismatch. When all have passed, the operator approves the round and gives you a live credential. From then on your costs count, for clicks and impressions that come after the app's owner has switched cost data on for the link.</p>`,
  );
}

function errorCodes(): Markup {
  const rows = Object.entries(REJECTIONS).map(([name, advice]) => {
    const code = name as ErrorCode;
    const { status, title } = ERRORS[code];
    return html`
      <dt>${status} <a href="/docs/errors#${code}"><code class="whole">${code}</code></a></dt>
      <dd>${title}. <strong>Again?</strong> ${ADVICE[advice]}</dd>`;
  });
  return section(
    "refusals",
    "What each refusal means",
    html`
      <p>Every rejection is a problem document. Its <code>code</code> is made for programs, its <code>detail</code> and <code>errors</code> for you. Here is what each means, and whether the same request may be sent again.</p>
      <dl class="details">${rows}</dl>`,
  );
}
