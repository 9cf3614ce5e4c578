/** Generated from src/site/pages/*.md by `npm run docs:render`. Do not edit. */
import { FACTS } from "./facts.ts";

export const PAGES = {
  agents: {
    title: "Tools for agents",
    lead: `An assistant can read your links and their figures, and answer questions such as "which campaign has the highest cost per click this week, is it rising, and why did spend fall?" It connects to <code>/mcp</code> with the Model Context Protocol, revision 2026-07-28. It only reads: no tool changes anything.`,
    sections: [
      { title: "Create a token", body: `<ol>
<li>Sign in, and open <strong>Access tokens</strong> (<code>/account/tokens</code>).
<li>Create a token with the scope Read (<code>ll_read_…</code>). To show the assistant only one app, choose that app.
<li>Put the token where your assistant keeps its secrets. It expires on the day that you chose, and you can end it earlier on the same page.
</ol>
<p>An API token (<code>ll_api_…</code>) or an access token with the scope Write works too, but it can do more than an assistant needs.` },
      { title: "Connect an assistant", body: `<p>The address is <code>https://links.example.com/mcp</code>, with your host. Send the token in the <code>Authorization</code> header, as <code>Bearer …</code>, which means the same as <code>Token token=…</code> on the other pages. Assistants that can only sign in with OAuth cannot connect.
<p><strong>Visual Studio Code</strong>, in <code>.vscode/mcp.json</code>. It asks for the token and keeps it:
<pre data-language="json">{
  "inputs": [{ "type": "promptString", "id": "token", "description": "Access token", "password": true }],
  "servers": {
    "linkledger": {
      "type": "http",
      "url": "https://links.example.com/mcp",
      "headers": { "Authorization": "Bearer \${input:token}" }
    }
  }
}</pre>
<p><strong>Cursor</strong>, in <code>~/.cursor/mcp.json</code>, with the token in the environment variable <code>LINKLEDGER_TOKEN</code>:
<pre data-language="json">{
  "mcpServers": {
    "linkledger": {
      "url": "https://links.example.com/mcp",
      "headers": { "Authorization": "Bearer \${env:LINKLEDGER_TOKEN}" }
    }
  }
}</pre>
<p><strong>Gemini CLI</strong>, in <code>~/.gemini/settings.json</code>, with the same variable:
<pre data-language="json">{
  "mcpServers": {
    "linkledger": {
      "httpUrl": "https://links.example.com/mcp",
      "headers": { "Authorization": "Bearer $LINKLEDGER_TOKEN" }
    }
  }
}</pre>
<p><strong>To check the address and the token</strong>, ask for the tools. The last name is the server's own:
<pre data-language="sh">BASE_URL=https://links.example.com
API_TOKEN=ll_read_…</pre>
<pre data-language="console"><kbd>curl -s -H "Authorization: Bearer $API_TOKEN" -H 'Content-Type: application/json' \\
    -H 'Accept: application/json, text/event-stream' \\
    -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}' "$BASE_URL/mcp" | grep -oE '"name":"[a-z_]+"'</kbd>
<samp>"name":"list_apps"
"name":"search_links"
"name":"performance"
"name":"what_changed"
"name":"partner_status"
"name":"linkledger"</samp></pre>` },
      { title: "What each tool answers", body: `<p>Each tool is an operation of the API, with its parameters, its fields, its limits and its errors.
<div class="table" tabindex="0" role="region" aria-label="What each tool answers"><table>
<thead>
<tr>
<th>Tool
<th>Answers
<th>Operation
<tbody>
<tr>
<td><code>list_apps</code>
<td>Which apps you can read
<td><a href="/docs/api/campaign/listOwnApps">listOwnApps</a>
<tr>
<td><code>search_links</code>
<td>Links by the beginning of their name, at level 1 or below a link
<td><a href="/docs/api/campaign/listLinksV2">listLinksV2</a>, <a href="/docs/api/campaign/listChildrenV2">listChildrenV2</a>
<tr>
<td><code>performance</code>
<td>Spend, clicks, cost per click and coverage by campaign, partner or day, compared with the days before
<td><a href="/docs/api/campaign/readPerformance">readPerformance</a>
<tr>
<td><code>what_changed</code>
<td>Why spend changed: the number of costs, their price, and what happened
<td><a href="/docs/api/campaign/readChanges">readChanges</a>
<tr>
<td><code>partner_status</code>
<td>Whether a partner sends costs, and why clicks have none
<td><a href="/docs/api/campaign/readPartnerStatus">readPartnerStatus</a>
<tr>
<td><code>find_cost</code>
<td>For operators: what is known about a cost ID
<td><a href="/docs/api/operator/readPartnerCost">readPartnerCost</a>
<tr>
<td><code>recent_rejections</code>
<td>For operators: the newest rejected costs of a partner
<td><a href="/docs/api/operator/listPartnerRejections">listPartnerRejections</a>
</table>
</div>
<p>A result that is too long has <code>paging.cursor</code>, with which the assistant asks for the rest. A rejected call returns a result with <code>isError</code> and the <a href="/docs/errors">problem document</a>.` },
      { title: "What an assistant can see", body: `<ul>
<li>It sees what you can see with the same token: the apps that you are a member of, or the one app of the token. A call for another app is rejected with <code>insufficient_scope</code>.
<li>It can use the tools for operators only with an operator's token for all apps.
<li>It sees no passwords, tokens or credentials: no tool returns them.
<li>What it reads goes to the company that runs the assistant. Find out who that is before you connect one.
</ul>
<p>People outside your team can write the names of links and other texts. These are in the fields of results, never in the descriptions of tools, but a model can still mistake a text for an instruction. An assistant that also has other tools should ask you before it uses them.
<p>Calls count like requests to the API: <a href="/docs/limits">the limits</a> of a token and of reports apply, and the log has a line for each, with the name of the tool.` },
      { title: "For developers of clients", body: `<ul>
<li>Every request is independent: there are no sessions, no streams and no <code>GET</code>. <code>MCP-Protocol-Version</code>, <code>Mcp-Method</code> and <code>Mcp-Name</code> must agree with the body.
<li>Clients that use revision 2025-11-25, 2025-06-18 or 2025-03-26 get a response to <code>initialize</code> and need no session.
<li><code>Origin</code> must have the host of <code>/mcp</code>, or be absent. The body can have at most 64 KiB.
</ul>` },
    ],
  },
  alerts: {
    title: "Alerts",
    lead: `Get an alert when no cost comes from a partner, when costs are rejected, or when spend is above a limit.`,
    sections: [
      { title: "How alerts work", body: `<p>A rule has fixed thresholds, and the hourly job checks them. If more apps have rules than one run can check, those that have waited longest come first. A rule has at most one open alert for each thing that it finds, for example a partner. The alert closes when the rule no longer finds it.
<p>Members set rules for their app on its <strong>Alerts</strong> page, and operators on the <strong>Alerts</strong> page of the console. Operators start with some rules, which they can change or delete. An app can have 20 rules, and operators can have 20 too. For its partner, a rule for one partner replaces the rule of the same kind for all partners. Closed alerts are listed for 90 days.
<p>The <strong>Overview</strong> pages show open alerts too. Alerts for operators can also be sent <a href="#email">by email</a>.` },
      { title: "What each rule looks at", body: `<div class="table" tabindex="0" role="region" aria-label="What each rule looks at"><table>
<thead>
<tr>
<th>Rule
<th>Who
<th>It opens an alert
<tbody>
<tr>
<td><code>partner_silent</code>
<td>members, operators
<td>if the partner has sent no cost for the set number of hours, and clicks or impressions with a cost ID have been waiting since then
<tr>
<td><code>costs_rejected</code>
<td>members, operators
<td>if more costs than the set number, and a larger share than the set percentage, were rejected in an hour
<tr>
<td><code>spend_above</code>
<td>members, operators
<td>if the spend of a UTC day or month is above the set amount. It is the spend of the app, of a partner, or of a link and at most 20,000 links below it. It is checked until a day after the period ends, because costs arrive late
<tr>
<td><code>discrepancy</code>
<td>members, operators
<td>if a partner's discrepancy for a cost type reaches the set percentage. With fewer than ${FACTS["least expected"]} expected clicks or impressions, none is opened. It is counted once a day: in the app of the rule, or for operators across all apps.
<tr>
<td><code>purge_late</code>
<td>operators
<td>if the hourly job has not purged a database for the set number of hours
<tr>
<td><code>database_large</code>
<td>operators
<td>if a database is larger than the set number of gigabytes. A database can hold 10 GB
<tr>
<td><code>url_prices_limited</code>
<td>operators
<td>while <a href="/docs/url-prices">prices on URLs</a> of a partner are held
<tr>
<td><code>sub_links_full</code>
<td>operators
<td>while clicks and impressions can create no more links in an app, or below a network
</table>
</div>
<p><code>partner_silent</code> covers a partner with a live cost type that is not stopped and has a link with cost data on. Every cost counts, whether it is matched, pending or rejected. A resent cost does not count, and a void in the same hour can hide one cost. A price on a URL counts as a cost. In an app, costs count when they match.
<p>The costs of an hour are those that were accepted or rejected since the previous run, without resent ones. For an app, only costs with the ID of one of its clicks or impressions count, so a cost that cannot be read is only in the alerts for operators.` },
      { title: "Email", body: `<p>Alerts for operators can be sent by email, one message for each alert. Cloudflare delivers only to addresses that are verified in your account, under <strong>Email Routing</strong>. Members use <a href="/docs/webhooks">webhooks</a> instead. Remove the <code>#</code> before <code>send_email</code> in <code>wrangler.toml</code>, set the sender and one to five recipients, and deploy:
<pre data-language="toml">[[send_email]]
name = "ALERTS"

[vars]
ALERTS_FROM = "alerts@example.com"
ALERTS_TO = "ops@example.com, second@example.com"</pre>
<p>A message that cannot be sent is tried again every few minutes for a day, and the log says why.` },
      { title: "If nothing runs", body: `<p>A second schedule checks <code>purge_late</code> every minute, so this rule works even if the hourly job stops. If no schedule runs at all, or the database is down, no rule is checked. Then only a check of <code>/readyz</code> from outside can warn you.` },
      { title: "In the API", body: `<p>Operators list alerts and manage rules. For those of an app, they add <code>app_token</code>:
<pre data-language="console"><kbd>operator() { curl -s -H "Authorization: Token token=$OPERATOR_TOKEN" \\
    -H 'Content-Type: application/json' "$BASE_URL/operator/v1/$1" "\${@:2}"; }</kbd>
<kbd>operator alert-rules -d '{"kind": "spend_above", "amount": "5000", "currency": "USD", "period": "day", "partner_id": 1}' | grep -o '"period":"[a-z]*"'</kbd>
<samp>"period":"day"</samp>
<kbd>operator alerts | grep -o '"collection_size":"[0-9]*"'</kbd>
<samp>"collection_size":"0"</samp></pre>` },
    ],
  },
  archive: {
    title: "Archived costs",
    lead: `The purge deletes a cost ${FACTS["retention time"]} after its click or impression and keeps the totals. With an archive, it writes every row to a bucket first, so each cost can be proved later: what was sent, which click it matched, and what counted.`,
    sections: [
      { title: "Bind a bucket", body: `<p>The archive is a bucket of R2, which must be enabled in your Cloudflare account. It is optional.
<ol>
<li><p>Create the bucket:
<pre data-language="sh">npx wrangler r2 bucket create linkledger-archive</pre>

<li><p>Uncomment the <code>[[r2_buckets]]</code> section of <code>wrangler.toml</code>.

<li><p>Run <code>npm run deploy</code>.

</ol>
<p>The archive begins with the next run of the hourly job. What was deleted before that is not in the archive. If you remove the binding, the purge deletes rows without writing them anywhere.
<p>A run of the hourly job goes through about a million rows, those of all databases together, so in a ledger with 70 million rows a row can stay for six days after it is due: run the job more often with <code>[triggers]</code> in <code>wrangler.toml</code>.
<p>The commands below use the variables of <a href="/docs/corrections">Corrections</a>, on a local server with this section. One run of the hourly job begins the archive:
<pre data-language="console"><kbd>cron() { curl -s -o /dev/null -w '%{http_code}\\n' "$BASE_URL/cdn-cgi/local/scheduled?time=$1"; }</kbd>
<kbd>cron $(date +%s000)</kbd>
<samp>200</samp></pre>` },
      { title: "Send and correct a cost", body: `<p>A click on a new link gets a wrong cost, 25 dollars instead of 25 cents. The partner voids it and sends the right values:
<pre data-language="console"><kbd>partner() { curl -s -H "Authorization: Token token=$COST_TOKEN" "$BASE_URL/cost$1" "\${@:2}"; echo; }</kbd>
<kbd>send() { partner '' -d "cost_id=acme-proof-20260701&amp;cost_type=cpc&amp;cost_currency=USD&amp;cost_amount=$1&amp;tag=docs"; }</kbd>
<kbd>LINK=$(curl -s -H "Authorization: Token token=$API_TOKEN" -H 'Content-Type: application/json' \\
    -d "{\\"name\\": \\"Winter\\", \\"parent_token\\": \\"$LINK_TOKEN\\"}" \\
    "$BASE_URL/public/v1/apps/$APP_TOKEN/trackers" | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')</kbd>
<kbd>curl -s -o /dev/null -w '%{http_code}\\n' "$BASE_URL/$LINK?cost_id=acme-proof-20260701"</kbd>
<samp>302</samp>
<kbd>send 25 | grep -oE '"(match|amount)":"[^"]*"'</kbd>
<samp>"match":"matched"
"amount":"25"</samp>
<kbd>partner /acme-proof-20260701/void -X POST | grep -oE '"match":"[^"]*"'</kbd>
<samp>"match":"voided"</samp>
<kbd>send 0.25 | grep -oE '"(match|amount)":"[^"]*"'</kbd>
<samp>"match":"matched"
"amount":"0.25"</samp></pre>` },
      { title: "Purge it", body: `<p>The local server runs the hourly job for any time that you give it. Sixteen days later, the cost is gone from the ledger, and the report still has its spend:
<pre data-language="console"><kbd>cron $(($(date +%s) + 16 * 24 * 3600))000</kbd>
<samp>200</samp>
<kbd>partner /acme-proof-20260701 | grep -oE '"code":"[^"]*"'</kbd>
<samp>"code":"not_found"</samp>
<kbd>curl -s -H "Authorization: Token token=$API_TOKEN" -H 'Accept: text/csv' \\
    "$BASE_URL/public/v1/apps/$APP_TOKEN/spend?group_by=partner&amp;link=$LINK"</kbd>
<samp>partner_id,partner_name,currency,spend,adjusted,matched,unpriced
1,Acme Ads,USD,0.25,0,1,0</samp></pre>` },
      { title: "Prove it", body: `<p>Operators find a cost by its partner, its ID and, if the archive is large, a day on which the call, the click or the impression happened. In the console, use the <strong>Archive</strong> page.
<pre data-language="console"><kbd>prove() { curl -s -H "Authorization: Token token=$OPERATOR_TOKEN" \\
    "$BASE_URL/operator/v1/archive?partner_id=1&amp;cost_id=acme-proof-20260701&amp;day=$(date -u +%F)"; }</kbd>
<kbd>prove | grep -oE '"(call|void_state|click|counts|replaced_at)":(\\[?\\{[^}]*\\}|null|"[^"]*"|\\[\\])'</kbd>
<samp>"call":{"cost_type":"cpc","currency":"USD","amount":"25","tag":"docs","received_at":"2026-11-22T13:30:47.578Z"}
"void_state":"voided"
"click":{"app_token":"demoapp00001","link_token":"4qv74bckyv","occurred_at":"2026-11-22T13:30:47.508Z","cost_data_enabled":true,"url_price":null,"country":"US","platform":"other"}
"counts":[]
"replaced_at":"2026-11-22T13:30:47.710Z"
"call":{"cost_type":"cpc","currency":"USD","amount":"0.25","tag":"docs","received_at":"2026-11-22T13:30:47.710Z"}
"void_state":"lifted"
"click":{"app_token":"demoapp00001","link_token":"4qv74bckyv","occurred_at":"2026-11-22T13:30:47.508Z","cost_data_enabled":true,"url_price":null,"country":"US","platform":"other"}
"counts":[{"source":"call","state":"matched","kind":"click","app_token":"demoapp00001","link_token":"4qv74bckyv","day":"2026-11-22","cost_type":"cpc","currency":"USD","amount":"0.25"}
"replaced_at":null</samp></pre>
<p>The first item is the voided cost, which was replaced and does not count. The second one counted 0.25 USD for the link on the day of its click, as the report says. <code>object</code> is the name of the object in the bucket that has the line, so anyone who can read the bucket can check it without this service:
<pre data-language="sh">npx wrangler r2 object get linkledger-archive/OBJECT --remote --file proof.ndjson.gz</pre>` },
      { title: "The objects", body: `<p>Each object has the rows of one slice of the ledger that were deleted together, as lines of JSON, compressed with gzip. It is written before they are deleted. Its name is <code>{database}/{table}/{walk}/{hash}</code>:
<div class="table" tabindex="0" role="region" aria-label="The objects"><table>
<thead>
<tr>
<th>Part
<th>Value
<tbody>
<tr>
<td><code>database</code>
<td><code>DB</code>, or the shard, such as <code>LEDGER_3</code>
<tr>
<td><code>table</code>
<td><code>ledger_entries</code>: rows that expired. <code>superseded</code>: rows that left the ledger earlier, because a call replaced them or their ID was used again
<tr>
<td><code>walk</code>
<td>The time of this pass through the table: rows that had expired by then were deleted. A pass begins once a day
<tr>
<td><code>hash</code>
<td>SHA-256 of the key that the slice starts after
</table>
</div>
<p>The table <code>archive_objects</code> of each database lists its objects.` },
      { title: "The lines of an object", body: `<p>A line has these values. Amounts are decimal text, without rounding, and times are in UTC:
<div class="table" tabindex="0" role="region" aria-label="The lines of an object"><table>
<thead>
<tr>
<th>Value
<th>Meaning
<tbody>
<tr>
<td><code>partner_id</code>, <code>cost_id</code>
<td>The key
<tr>
<td><code>call</code>
<td>The cost that was sent: <code>cost_type</code>, <code>currency</code>, <code>amount</code> (null if it had none), <code>tag</code>, <code>received_at</code>. After a void, the values that it removed; <code>received_at</code> is null if that was a price on a URL. null without a call
<tr>
<td><code>void_state</code>
<td><code>voided</code>: nothing counts. <code>lifted</code>: the cost was sent again after a void. Otherwise null
<tr>
<td><code>click</code>, <code>impression</code>
<td>The first of each kind: <code>app_token</code>, <code>link_token</code>, <code>occurred_at</code>, <code>cost_data_enabled</code>, <code>country</code>, <code>platform</code>, and the <code>url_price</code>, whose <code>counts</code> says whether it is a cost by itself. null if there was none
<tr>
<td><code>counts</code>
<td>What the totals include permanently: at most one entry for the call and one for a price on a URL, with <code>source</code>, <code>state</code> (<code>matched</code>, <code>pending</code> or <code>unpriced</code>), <code>kind</code>, <code>app_token</code>, <code>link_token</code>, <code>day</code>, <code>cost_type</code>, <code>currency</code>, <code>amount</code>. For ${FACTS["types per mille"]}, the amount is the price of 1,000 impressions
<tr>
<td><code>expired_at</code>
<td>When the ID was forgotten. For a replaced cost, when it would have been forgotten
<tr>
<td><code>replaced_at</code>
<td>When another call replaced this one. Otherwise null
</table>
</div>
<p>A crash, a repeated run or a failing bucket loses no row and writes none twice. Only two purges at exactly the same time, or a database that was restored to a time before a purge, can write a row to two objects. The two lines are equal, so read the archive with <code>DISTINCT</code>.` },
      { title: "Add them up", body: `<p>The matched costs of the archive and of the ledger add up to the spend of the reports without its adjustments. With DuckDB, from a copy of the bucket in the folder <code>archive</code>:
<pre data-language="sql">WITH lines AS (
  SELECT DISTINCT * FROM read_json('archive/*/*/*/*', format = 'newline_delimited', compression = 'gzip', columns = {
    partner_id: 'BIGINT', cost_id: 'VARCHAR', expired_at: 'VARCHAR', replaced_at: 'VARCHAR',
    counts: 'STRUCT(source VARCHAR, state VARCHAR, kind VARCHAR, app_token VARCHAR, link_token VARCHAR,
      day DATE, cost_type VARCHAR, currency VARCHAR, amount DECIMAL(18, 5))[]'
  })
), counted AS (
  SELECT partner_id, unnest(counts, recursive := true) FROM lines
)
SELECT app_token, link_token, day, partner_id, cost_type, currency, state, count(*) AS costs,
  sum(amount * (CASE cost_type WHEN 'cpm' THEN 0.001 ELSE 1 END)::DECIMAL(4, 3)) AS spend
FROM counted
GROUP BY ALL ORDER BY ALL;</pre>
<p>DuckDB also reads the bucket directly: replace the folder with <code>r2://linkledger-archive</code> after <code>CREATE SECRET (TYPE r2, KEY_ID '…', SECRET '…', ACCOUNT_ID '…')</code>.` },
      { title: "When the bucket fails", body: `<p>Clicks and costs are still recorded. Rows that could not be written stay in the ledger, so it grows, and the next run of the hourly job tries again. <code>/readyz</code> returns 503, and its check <code>archive</code> says since when the bucket has rejected objects. The log has a line with the <code>request_id</code> <code>cron</code>.` },
    ],
  },
  "coming-from-adjust": {
    title: "Coming from Adjust",
    lead: `Links, lists and costs follow Adjust's documentation of November 2026, so most scripts and habits of your partners carry over. This page says what is the same, what differs, and why. To begin with one link, <a href="#put-a-link-in-front-of-a-store-url">put it in front of a store URL</a>.`,
    sections: [
      { title: "Links and their parameters", body: `<div class="table" tabindex="0" role="region" aria-label="Links and their parameters"><table>
<thead>
<tr>
<th>At Adjust
<th>Here
<tbody>
<tr>
<td><code>deep_link</code>, <code>deeplink</code>
<td>the same: before all others, if <a href="/docs/rules#where-a-click-leads">the app allows</a> the scheme and the host
<tr>
<td><code>redirect</code>, <code>redirect_ios</code>, <code>redirect_android</code>, <code>redirect_macos</code>, <code>redirect_windows</code>
<td>the same: instead of the store
<tr>
<td><code>fallback</code>
<td>the same: only for devices without a store URL
<tr>
<td><code>campaign</code>, <code>adgroup</code>, <code>creative</code>
<td>the same: they name the sub-link, which is created if it is missing, where the partner's template has them
<tr>
<td><code>cost_id</code>, <code>cost_type</code>, <code>cost_amount</code>, <code>cost_currency</code>
<td>the same, with prices that count only <a href="/docs/rules#prices-on-urls">under conditions</a>, because anyone can open a public URL
<tr>
<td><code>s2s=1</code>
<td>the same, with a JSON response after the click is stored. <code>os_name</code> and <code>user_agent</code> give the platform, and <code>country</code> the country; an IP address is not read
<tr>
<td><code>label</code>
<td>ignored on a URL, and rejected in a request that creates a link. Pass it on with <code>{label}</code> in a <a href="/docs/rules#parameters-that-are-passed-on">target</a>
<tr>
<td>combined tokens, <code>abc123_def456</code>
<td>not found: one link serves all platforms, with a store URL for each
<tr>
<td>a target that is not allowed
<td>skipped, and counted on the link with its name
</table>
</div>` },
      { title: "API", body: `<ul>
<li>The cost API takes the documented parameters as a form, in the query string or as JSON, and <code>Authorization: Token token=…</code> or <code>Bearer …</code>.
<li>Both <code>/public/v1</code> and <code>/public/v2</code> list links and sub-links, each with its own paging. Only <code>/public/v1</code> lists partners, and creates and updates links. For these, the 404 or 405 of <code>/public/v2</code> names the right path.
<li>App tokens have 12 characters here, link tokens 10. Capital letters, and punctuation after a copied link, do not matter.
<li>Cost types are cpc, cpi, cpe and cpm. Send a cost per action as cpe.
<li>Amounts have at most five places, and zeros at the end do not count.
</ul>` },
      { title: "Costs", body: `<ul>
<li>Each ID of a partner has one cost, which matches one click or impression. You can read it back, void it, and see why it does not match. Adjust has no equivalent.
<li>The same ID with other values is rejected: <a href="/docs/corrections">void it and send it again</a>.
</ul>` },
      { title: "What is not here", body: `<p>linkledger does not measure installs, events, attribution or SKAdNetwork. Measure them elsewhere, and pass on the ID of the click in <a href="/docs/rules#parameters-that-are-passed-on">Google Play's <code>referrer</code></a> or in the link of the measurement company.` },
      { title: "Move links without printing them again", body: `<ol>
<li>If printed links are on a domain of yours, create each link here. This service chooses the tokens, so on your domain, redirect each printed path to the new URL.
<li>Links on the domain of another company cannot move. Create new ones, and leave the old ones where they are until nobody opens them.
<li><a href="/docs/members">Import a file</a> with the columns <code>network</code>, <code>campaign</code>, <code>ad_group</code>, <code>creative</code> and <code>target</code>, one row for each link.
<li>Give each partner its new click URL. An <a href="/docs/rounds">integration round</a> shows whether its macros are filled in before costs count.
</ol>` },
      { title: "Put a link in front of a store URL", body: `<ol>
<li>Operators choose <strong>Apps</strong> in the console, then the app. Members ask an operator to do step 2.
<li>Put <code>&amp;referrer=cost_id%3D{{cost_id}}%26campaign%3D{{campaign}}</code> at the end of its <strong>Google Play URL</strong>, and choose <strong>Save changes</strong>.
<li>Choose <strong>Links</strong> in the workspace, then a link. <strong>Where clicks lead</strong> shows what Android gets, with example values. Google Play gives your app the <code>referrer</code> with the values of the click.
</ol>` },
    ],
  },
  corrections: {
    title: "Correct a cost",
    lead: `A wrong cost never has to stay in a report. The partner voids it and sends the right values; the operator voids it for the partner, or adjusts the spend when it is too late for both. Each void is of one cost, also after a wrong file or batch: give each file a tag of its own, and <code>GET /cost</code> with <code>Accept: text/csv</code> lists the IDs to void with their tags.`,
    sections: [
      { title: "Choose how", body: `<div class="table" tabindex="0" role="region" aria-label="Choose how"><table>
<thead>
<tr>
<th>What is wrong
<th>Who
<th>How
<th>Until
<tbody>
<tr>
<td>The amount, currency or type of a cost
<td>partner
<td><a href="#void-it">void it</a>, then <a href="#correct-it">send the right values</a>
<td>${FACTS["cost window"]} after the click or impression
<tr>
<td>A cost that should not count
<td>partner
<td><a href="#void-it">void it</a>
<td>${FACTS["cost window"]} after the click or impression, or until a pending cost lapses
<tr>
<td>A cost that the partner does not correct
<td>operator
<td><a href="#void-it-as-the-operator">void it for the partner</a>
<td>${FACTS["retention time"]} after the click or impression
<tr>
<td>The spend of an earlier day
<td>operator
<td><a href="#adjust-the-spend">adjust it</a>
<td>at any time
</table>
</div>` },
      { title: "Find it", body: `<p>In the commands, <code>BASE_URL</code> is the address of this service, <code>API_TOKEN</code> and <code>OPERATOR_TOKEN</code> are the API tokens of a member and of an operator, <code>COST_TOKEN</code> is the credential of a partner, and <code>APP_TOKEN</code> and <code>LINK_TOKEN</code> are an app and one of its links. A click on a new link gets a wrong cost, 25 dollars instead of 25 cents:
<pre data-language="console"><kbd>partner() { curl -s -H "Authorization: Token token=$COST_TOKEN" "$BASE_URL/cost$1" "\${@:2}"; echo; }</kbd>
<kbd>send() { partner '' -d "cost_id=acme-wrong-20260701&amp;cost_type=cpc&amp;cost_currency=USD&amp;cost_amount=$1&amp;tag=docs"; }</kbd>
<kbd>LINK=$(curl -s -H "Authorization: Token token=$API_TOKEN" -H 'Content-Type: application/json' \\
    -d "{\\"name\\": \\"Autumn\\", \\"parent_token\\": \\"$LINK_TOKEN\\"}" \\
    "$BASE_URL/public/v1/apps/$APP_TOKEN/trackers" | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')</kbd>
<kbd>curl -s -o /dev/null -w '%{http_code}\\n' "$BASE_URL/$LINK?cost_id=acme-wrong-20260701"</kbd>
<samp>302</samp>
<kbd>send 25 | grep -oE '"(match|amount)":"[^"]*"'</kbd>
<samp>"match":"matched"
"amount":"25"</samp></pre>
<p>The spend report has too much, and reading the cost back shows which values count:
<pre data-language="console"><kbd>spend() { curl -s -H "Authorization: Token token=$API_TOKEN" -H 'Accept: text/csv' \\
    "$BASE_URL/public/v1/apps/$APP_TOKEN/spend?group_by=partner&amp;link=$LINK"; }</kbd>
<kbd>spend</kbd>
<samp>partner_id,partner_name,currency,spend,adjusted,matched,unpriced
1,Acme Ads,USD,25,0,1,0</samp>
<kbd>partner /acme-wrong-20260701 | grep -oE '"(cost_type|amount|match)":"[^"]*"'</kbd>
<samp>"cost_type":"cpc"
"amount":"25"
"match":"matched"</samp></pre>
<p>Sending other values for the same cost ID does not replace them. The response names what differs:
<pre data-language="console"><kbd>send 0.25 | grep -oE '"(code|message)":"[^"]*"'</kbd>
<samp>"code":"cost_id_conflict"
"message":"is 0.25, but an earlier call with this cost ID has 25"</samp></pre>` },
      { title: "Void it", body: `<p>A void removes the cost from the reports immediately. It also removes a price on the URL of the click or impression, for good.
<pre data-language="console"><kbd>partner /acme-wrong-20260701/void -X POST | grep -oE '"(match":"[^"]*"|duplicate":[a-z]*)'</kbd>
<samp>"match":"voided"
"duplicate":false</samp></pre>
<p>The same values do not bring it back, so a retry of the wrong cost changes nothing:
<pre data-language="console"><kbd>send 25 | grep -oE '"(match":"[^"]*"|duplicate":[a-z]*)'</kbd>
<samp>"match":"voided"
"duplicate":true</samp></pre>` },
      { title: "Correct it", body: `<p>Send the right values with the same cost ID. They count like the values of a first call, if the click or impression is at most ${FACTS["cost window"]} old:
<pre data-language="console"><kbd>send 0.25 | grep -oE '"(match|amount)":"[^"]*"'</kbd>
<samp>"match":"matched"
"amount":"0.25"</samp></pre>` },
      { title: "Check it", body: `<pre data-language="console"><kbd>spend</kbd>
<samp>partner_id,partner_name,currency,spend,adjusted,matched,unpriced
1,Acme Ads,USD,0.25,0,1,0</samp>
<kbd>partner /acme-wrong-20260701 | grep -oE '"(cost_type|amount|match)":"[^"]*"'</kbd>
<samp>"cost_type":"cpc"
"amount":"0.25"
"match":"matched"</samp></pre>` },
      { title: "Void it as the operator", body: `<p>Operators void a cost with a reason, in the console or with the API. On the partner's page, <strong>Find or void a cost</strong> shows the cost first, with its click or impression, link, app and day, and the rejected costs with its ID; in the API that is <code>GET /operator/v1/partners/{id}/costs/{cost_id}</code>. For a void by an operator, the audit log keeps the operator, the reason and the removed values; for a void by the partner, its credential and the removed values.
<pre data-language="console"><kbd>operator() { curl -s -H "Authorization: Token token=$OPERATOR_TOKEN" \\
    -H 'Content-Type: application/json' "$BASE_URL/operator/v1/$1" "\${@:2}"; echo; }</kbd>
<kbd>operator partners/1/costs/acme-wrong-20260701 | grep -oE '"(match|amount|app_token|code)":"[^"]*"'</kbd>
<samp>"amount":"0.25"
"match":"matched"
"app_token":"demoapp00001"
"match":"rejected"
"code":"cost_id_conflict"</samp>
<kbd>operator partners/1/voids -d '{"cost_id": "acme-wrong-20260701", "reason": "Invalid click"}' | \\
    grep -oE '"(match":"[^"]*"|duplicate":[a-z]*)'</kbd>
<samp>"match":"voided"
"duplicate":false</samp>
<kbd>operator audit | grep -oE '"action":"void cost"[^}]*"reason"[^}]*}'</kbd>
<samp>"action":"void cost","subject":"partner 1","detail":{"cost_id":"acme-wrong-20260701","cost_type":"cpc","currency":"USD","amount":"0.25","app_token":"demoapp00001","reason":"Invalid click"}</samp></pre>
<p>The partner can send other values after that, as after its own void.` },
      { title: "Adjust the spend", body: `<p>An adjustment changes the spend of a link, a day, a partner and a cost type by an amount of money, for example after a credit note. Reports show the sum as <code>adjusted</code> and include it in <code>spend</code>. The pages of members show the amount and the reason. It cannot be changed or deleted; to undo it, add its opposite. The <code>Idempotency-Key</code> makes sure that a request that is sent twice counts once.
<pre data-language="console"><kbd>adjust() { operator adjustments -H "Idempotency-Key: $1" -d "{\\"app_token\\": \\"$APP_TOKEN\\", \\
    \\"link_token\\": \\"$LINK\\", \\"day\\": \\"$(date -u +%F)\\", \\"partner_id\\": 1, \\"cost_type\\": \\"cpc\\", \\
    \\"currency\\": \\"USD\\", \\"amount\\": \\"-12.5\\", \\"reason\\": \\"Credit note 4711\\"}"; }</kbd>
<kbd>adjust note-4711 | grep -oE '"items":[^,]*'</kbd>
<samp>"items":[{"id":1</samp>
<kbd>adjust note-4711 | grep -oE '"items":[^,]*'</kbd>
<samp>"items":[{"id":1</samp>
<kbd>spend</kbd>
<samp>partner_id,partner_name,currency,spend,adjusted,matched,unpriced
1,Acme Ads,USD,-12.5,-12.5,0,0</samp></pre>` },
      { title: "See what is missing: coverage and discrepancy", body: `<p>Two rates of the last ${FACTS["days of rates"]} show whether a partner's costs are complete and right. They are on the partner's page and in the report of a <a href="/docs/rounds">round</a>.
<ul>
<li><strong>Coverage</strong> is the share of recorded clicks with a cost; for ${FACTS["types of impressions"]}, of recorded impressions.
<li><strong>Discrepancy</strong>, for ${FACTS["types with discrepancy"]}, is the share of clicks or impressions with cost data on that have no matching cost: none, one without an amount, or one that differs from the values on the URL. Below 5% is usual. With fewer than ${FACTS["least expected"]} expected clicks or impressions it says little: no page marks it, no alert opens, and <code>within_threshold</code> is null.
</ul>
<pre data-language="console"><kbd>operator partners/1/rates | grep -oE '"(threshold|complete|cost_type)":[^,]*'</kbd>
<samp>"threshold":0.05
"complete":true
"cost_type":"cpc"
"cost_type":"cpi"
"cost_type":"cpe"
"cost_type":"cpm"</samp></pre>` },
    ],
  },
  limits: {
    title: "Limits",
    lead: `Sizes, rate limits and deadlines of every interface, and what linkledger does not do.`,
    sections: [
      { title: "Sizes", body: `<div class="table" tabindex="0" role="region" aria-label="Sizes"><table>
<thead>
<tr>
<th>What
<th>Limit
<tbody>
<tr>
<td>Request body
<td>64 KiB, 20 levels of JSON
<tr>
<td>Cost batch
<td>1,000 costs, 1 MiB, 10 costs with the same ID; as CSV, 16 KiB for each row
<tr>
<td><code>cost_id</code>
<td>12 to 256 characters
<tr>
<td><code>tag</code>
<td>1 to 128 characters
<tr>
<td><code>cost_amount</code>
<td>0 to 1,000,000, at most 5 decimal places
<tr>
<td><code>cost_amount</code> on a URL that counts without a call
<td>100, unless an operator sets another limit for the partner
<tr>
<td>Sum of the prices on URLs of one partner and app on a day
<td>no limit, unless an operator sets one; <a href="/docs/url-prices#limit-the-sum-of-a-day">above it they are held</a>
<tr>
<td>Prices on URLs that one request can void, accept or drop
<td>1,000
<tr>
<td>Page of a list
<td>50 items by default, at most 1,000
<tr>
<td>Link name
<td>1 to 255 characters, without <code>::</code>, control characters and invisible characters
<tr>
<td>Links that users create in an app
<td>100,000, unless an operator changes it
<tr>
<td>Stored responses for the <code>Idempotency-Key</code>s of an app
<td>256 MiB
<tr>
<td>Link levels
<td>4: network, campaign, ad group, creative
<tr>
<td>Links in one request
<td>100 created; in the browser, 200 selected links changed, or 1,000 that match a search or are in a file
<tr>
<td>Unused sub-links archived in one request
<td>1,000
<tr>
<td>Saved views of Performance
<td>20 of a user in an app, and 20 that its members share
<tr>
<td>Access tokens of a user
<td>20 that have not expired, each for at most 366 days
<tr>
<td><code>Idempotency-Key</code>
<td>1 to 255 visible ASCII characters, kept for 24 hours
<tr>
<td>Report
<td>366 days; by country and platform 31 days, or 93 days of one link. 50,000 rows. 10 calls to a database, each of up to 200,000 rows of totals (fewer by link and by country) or of one day. There is a row of totals for each day, link, partner, cost type (or kind) and currency
<tr>
<td>Redirect hosts, redirect schemes
<td>100 each for an app, compared exactly
<tr>
<td>Parameter template of a partner
<td>4 KiB
<tr>
<td>Integration round
<td>1,000 submissions
<tr>
<td>Report of a round
<td>${FACTS["retention time"]}, 20,000 clicks and impressions, 2,000 of them without a cost, 1.5 MB of findings
</table>
</div>
<p>A report of a round beyond these limits has <code>"complete": false</code>. The operator must dismiss that before the round can pass.` },
      { title: "What anonymous requests write", body: `<p>Anybody can open the URL of a link. This is all that such requests, and others without credentials, can store:
<div class="table" tabindex="0" role="region" aria-label="What anonymous requests write"><table>
<thead>
<tr>
<th>What
<th>At most
<th>Kept
<tbody>
<tr>
<td>Links that clicks and impressions create below one network, without archived ones
<td>${FACTS["links below network"]}; on one day ${FACTS["new links"]}, unless an operator changes it
<td>permanently
<tr>
<td>The same in an app on a day
<td>${FACTS["new links of app"]}, or 5 times what the operator sets for a network
<td>permanently
<tr>
<td>Counts of the clicks and impressions of a link on a day
<td>1 row for each partner and kind
<td>permanently
<tr>
<td>Counts by country and platform of an app on a day
<td>${FACTS["audience rows"]} rows in each database, and 1 with an unknown country and platform for each link, partner and kind
<td>${FACTS["audience time"]}
<tr>
<td>The number of those rows
<td>1 row for each app, day and database
<td>${FACTS["retention time"]}
<tr>
<td>Dropped URL parameters of a link on a day
<td>${FACTS["dropped names"]} names, each 1 row for each of ${FACTS["drop reasons"]} reasons. Other names are ignored
<td>${FACTS["count time"]}
<tr>
<td>Bots on a link on a day, and messages that the queue delivers too late
<td>1 row each. They are among the ${FACTS["drop reasons"]} reasons
<td>${FACTS["count time"]}
<tr>
<td>Cost IDs
<td>1 row for each partner and ID, of at most ${FACTS["longest id"]} characters, however often it is sent, and 1 for each click or impression without an ID whose price on the URL counts. Their number has no limit
<td>${FACTS["retention time"]}; in an archive as long as you keep it
<tr>
<td>Spend of prices on URLs of a link on a day
<td>1 row for each partner, cost type and currency; by country and platform, 1 for each of those rows, cost type and currency
<td>as the counts
<tr>
<td>Sums of prices on URLs of a partner and an app on a day, those that are held too
<td>${FACTS["known currencies"]} rows in each database, 1 for each currency. If the partner has a limit, 3 currencies count, and others are held
<td>${FACTS["count time"]}
<tr>
<td>Failed sign-ins of a user
<td>1 row of counts, and in the audit log ${FACTS["failed entries"]} entries an hour for passwords and as many for codes. Unknown email addresses: none
<td>permanently
<tr>
<td>Attempts of single sign-on for a user
<td>${FACTS["kept attempts"]} with a verified email address, and ${FACTS["kept attempts"]} others
<td>${FACTS["attempt time"]}
<tr>
<td>Sign-ins that the provider of single sign-on confirmed
<td>1 row each
<td>until an hour after the sign-in expired
<tr>
<td>Workers KV
<td>1 value for each link, and 1 for each app; 1 for the provider of single sign-on
<td>links permanently, the others for an hour
<tr>
<td>Unknown links, rejected credentials and invalid requests
<td>nothing
<td>
</table>
</div>
<p>Links and the counts of clicks and impressions are kept permanently. Below one network, clicks create links until it has ${FACTS["links below network"]} that are not archived. Archiving a link frees its place, and its place for the day. So a network whose new links are archived once a day grows by at most ${FACTS["links of year"]} links a year, and one where nothing is archived by at most ${FACTS["links below network"]}.` },
      { title: "Rate limits", body: `<div class="table" tabindex="0" role="region" aria-label="Rate limits"><table>
<thead>
<tr>
<th>What
<th>Limit a minute
<tbody>
<tr>
<td>Requests with one API token, access token or credential
<td>30,000
<tr>
<td>Rejected credentials from one address
<td>3,000
<tr>
<td>Clicks and impressions with <code>s2s=1</code> from one address
<td>60,000
<tr>
<td>Clicks and impressions from one address whose URL names a new campaign, ad group or creative; with <code>s2s=1</code> for each partner
<td>100; 1,000. Above it they are recorded on the deepest link that exists
<tr>
<td>Reports, exports, overviews and other pages with totals for one user, in all sessions and with all tokens; round reports for one credential
<td>120
<tr>
<td>Passwords for one account from one address
<td>10
<tr>
<td>Passwords from one address
<td>100
<tr>
<td>Steps of single sign-on from one address; a sign-in takes two
<td>100
<tr>
<td>Passwords for one account from all addresses
<td>100
<tr>
<td>Passwords from a browser that has signed in to the account before, or from one session
<td>10
</table>
</div>
<p>Above a limit, the response is <code>429</code> with <code>Retry-After</code>. Cloudflare counts in each location separately, so the limits are approximate. They are set in <code>wrangler.toml</code>. Other clicks and impressions have no rate limit: add one in Cloudflare if you need it.
<p>An address above its limit of rejected credentials gets <code>429</code> for a minute, before the database is asked. A credential that worked in the last five minutes still works from that address. An unknown link is remembered for a minute, and <code>/readyz</code> returns the results of checks that are at most five seconds old.
<p>One copy of the Worker reads one report at a time, for its users in turn. Another report waits up to 10 seconds, so two tabs of a browser both get theirs, and then gets <code>429</code>. A report whose days have more than 200,000 rows of totals is read in ranges of days, in at most 10 calls, between which costs and clicks are stored. If that is not enough, pages show the newest days that fit and say so, and the API answers <code>400</code> <code>report_too_large</code> with the number of days that fit. A click or a cost that arrives between two calls can be in one day and not in another.
<p>A browser that has signed in to an account before is counted by itself, so attempts by others never lock its owner out. It counts as a new browser again after a new password, when two-factor authentication is turned on or off, and after "Sign out everywhere". One copy of the Worker checks at most two passwords a second; the others wait a few seconds and then get <code>429</code>.
<p>In a clock hour, 20 wrong two-factor codes can be entered for an account: by each browser that has signed in to it before, and by all others together. Then they get <code>429</code> until the hour ends.
<p>A crawler or link checker that is signed in opens many pages with totals, and so reaches the limit of 120 reports. Let it wait as <code>Retry-After</code> says, or open fewer than two such pages a second.` },
      { title: "Deadlines", body: `<div class="table" tabindex="0" role="region" aria-label="Deadlines"><table>
<thead>
<tr>
<th>linkledger waits for
<th>Seconds
<tbody>
<tr>
<td>Request body
<td>30, then <code>408</code>
<tr>
<td>Database
<td>8, then <code>503</code>
<tr>
<td>Queue
<td>5, then it records the click directly
<tr>
<td>Workers KV, rate limiter
<td>1, then it continues without
<tr>
<td>Provider of single sign-on
<td>5, then <code>503</code>; passwords and tokens keep working
</table>
</div>
<p>A change to an app's destinations reaches all clicks within about a minute, and within an hour at the latest. A session ends after 12 hours, or after 2 hours without a request.` },
      { title: "What linkledger does not do", body: `<ul>
<li>It keeps single clicks and impressions only if they have a cost ID and a link with a partner, and counts the others. It does not count installs.
<li>It records a click after the redirect. If the machine stops in between, or the database is down and there is no queue, the click is lost. A partner that must be sure sends <code>s2s=1</code>.
<li>After the purge only totals are left, unless the operator binds an <a href="/docs/archive">archive</a>, from which every cost can be proved. It begins when it is bound.
<li>One cost ID has one cost. Use a different ID for each click and impression.
<li>Currencies are never converted.
<li>It sends no scheduled reports. <a href="/docs/alerts">Alerts</a> have fixed thresholds, and members get no email. Programs can read the API.
<li>Pages of other sites cannot call the APIs from a browser: no response has CORS headers, because a token in a page is known to everybody who opens it. Call them from a server.
<li>Days and times are in UTC. There is no setting for another time zone.
</ul>` },
    ],
  },
  members: {
    title: "Member guide",
    lead: `Create links for your app, and see what their clicks cost: first in the browser, then with the API.`,
    sections: [
      { title: "Sign in", body: `<p>An operator creates your account, adds you to an app and gives you a temporary password. <a href="/login">Sign in</a> and choose your own password of at least 12 characters. With single sign-on, choose the link below the form instead. If you forgot your password, ask an operator for a new one.
<p>The <strong>Overview</strong> of your app shows spend, clicks and impressions, what changed most, and what needs attention, such as a partner that does not send costs. <strong>Hide for 30 days</strong> hides an item for all members of the app; the line below the list shows it again. Every page starts with the week that ended yesterday, in UTC. For other days, open the menu with the period, such as <strong>Today so far</strong>.` },
      { title: "Create a link", body: `<p>A link of level 1 is a network. Below it are campaigns (level 2), ad groups (level 3) and creatives (level 4).
<ol>
<li>On <strong>Links</strong>, choose <strong>Create link</strong>.
<li>Enter the names of the path from the network to the new link. Links that exist are reused and never changed, and missing ones are created. <strong>Preview</strong>, beside the form, says which of them exist, and shows the URLs, before anything is created.
<li>Choose the partner. Turn <strong>Cost data</strong> on if the partner sends costs: costs count only for clicks that are recorded while it is on. Links below inherit both.
<li>Give the partner the click URL and the impression URL of the link, unchanged. They have macros such as <code>{click_id}</code>, which the partner replaces.
</ol>
<p>For many links, choose <strong>Paste or import many</strong>, and paste spreadsheet cells or paths such as <code>Acme &gt; Spring &gt; Video</code>, one per line, up to 1,000. The check says how many links are new, exist or are rejected before anything is created. The partner, cost data and target of the form apply to all rows that do not have their own.` },
      { title: "See its clicks", body: `<p>A link's page shows the clicks, impressions and spend of the link and everything below it, by day, cost type, country and platform. <strong>Test link</strong> shows what a click would record, where it leads on each device, whether a cost could match it, and which parameters of its URL are ignored and why. It records nothing. The page also shows parameters that were dropped from the URLs of the link and why (if a URL names a sub-link, on the page of the sub-link), its QR code, and who changed it.
<p><strong>Where clicks lead</strong> shows the target for iPhone, Android and computers. To send the clicks of a link and of those below it elsewhere, choose <strong>Change target</strong>; <code>{campaign}</code> in a target <a href="/docs/rules#parameters-that-are-passed-on">passes the parameter on</a>.
<p><strong>Links</strong> shows all four levels as a tree. Search for words anywhere in a path, for a path such as <code>Acme &gt; Runners</code>, where <code>&gt;</code> or <code>›</code> means below, for words in this order in quotes, or for the token or a URL of a link. You can also filter, and order by clicks or spend. <strong>Partners</strong> shows what each partner can send, and how complete its costs are. A partner's page shows since when it can send costs, when its last cost came, and how many clicks and impressions have a cost ID, a cost and an amount, and why the others do not. It also has the links of the partner, and the rejected costs for clicks and impressions of the app, with the ends of their IDs. A cost that was invalid, or came before its click, belongs to no app: ask the partner, who sees all of its rejected costs.` },
      { title: "See what a click costs", body: `<p><strong>Performance</strong> compares networks, campaigns, ad groups, creatives, partners, cost types, days, weeks, countries or platforms with as many days before, in one currency at a time:
<ul>
<li>Choose a heading to sort by it. <strong>Cost per click</strong> puts the highest first. With a keyboard, the arrow keys move from one heading to the next. On a phone, <strong>Sort</strong> has them.
<li><strong>Columns</strong> adds impressions, and the costs per install, per event and per 1,000 impressions.
<li>Choose a figure to sort the rows by it and to see it in the chart, with the first five rows and the days before as a dashed line. If the other rows have more than half of the figure, the chart shows the total, and without the rows if it is more than five times the largest of them. Of prices and of coverage, rows with nearly the same value as another line are left out. A partner or a link keeps its color in other days. The small line beside a name is the same figure by day. The arrow of a row opens the level below it.
<li>If all costs of a row are in another currency, the row has a link to that currency, for example <strong>in EUR</strong>, instead of its spend. Such rows come last. Beside the figures are those paid in other currencies.
<li>A row that says <strong>direct</strong> has what was recorded on the link itself.
<li><strong>Not final</strong> beside the figures says until when costs for these days can arrive, and <strong>Final</strong> that no more can. Charts of spend and of prices have hatching behind the days that are not final. Only changes of prices of 1% or more are colored, except those of few clicks.
<li><strong>Search rows</strong> finds words in the names of rows and shows their total before that of all, and <strong>+ Filter</strong> shows only a link with everything below it, a partner, a cost type, a country or a platform. Countries and platforms cover at most 31 days of an app, or 93 days of a link.
<li><strong>Signal</strong> says what needs attention: a link with <strong>Cost data off</strong> or <strong>No partner</strong>, a partner with <strong>No cost data yet</strong>, a cost per click that rose (<strong>Price up 25%</strong>). Low coverage is marked in its column; without that column, it is a signal too (<strong>30% no cost</strong>).
<li><strong>Download CSV</strong> has the same rows.
</ul>
<p>Above the chart, one sentence says why spend changed, and a list shows what changed most and what happened: a partner that was stopped or resumed, a cost type that went live, changed parameters, cost data that was turned on or off, rejected and voided costs, adjustments, and coverage that fell by 10 points. Marks on the axis of the chart show the days of these events, except those of partners that are paid only in other currencies. The pages of links and partners have marks and a list too. The parts of the sentence add up to the change: partners that were stopped, sent no cost for two days or are new, cost types that only one of the periods has, more or fewer costs at the price of the days before, another price, and adjustments. <strong>Overview</strong> has the same, in the currency that is chosen there.
<p><strong>Cost per click</strong> is the spend of cost type cpc divided by the number of its costs, and <strong>Coverage</strong> is the share of recorded clicks (those with a cost ID) that have a cost. A cost counts on the day of its click or impression, in UTC, after it has matched (<a href="/docs/rules">matching rules</a>). If an operator adjusted the spend, a line below the table says by how much. Open it to see each adjustment with its reason.
<p>Anyone can open a link with any cost ID. The first click or impression with an ID gets its cost, even in another app. If a cost is missing or on the wrong link, ask the partner to void it and to use IDs that nobody can guess.` },
      { title: "Save a view", body: `<p>On Performance, <strong>Views</strong> and then <strong>Save view</strong> keeps your choices under a name. You can have 20 views of your own, and the members of an app can share 20. The address of a page also contains its choices, so you can send it to somebody, and <strong>Copy link</strong> copies the address of a view. To update a view, save it again under its name with <strong>Replace the view with this name</strong>.` },
      { title: "Change links", body: `<p>Open a link and choose <strong>Settings</strong> to rename or archive it, to attach a partner, or to turn cost data on or off. "Inherit from parent" makes a sub-link inherit cost data again. You see the new URLs before you save.
<p>To change several links, select up to 200 of them on <strong>Links</strong>, on as many pages as you need: the box above the table selects all on the page, and Shift selects a range. After a search or with a filter, <strong>Select all that match</strong> selects up to 1,000 links on all pages. You review each change before it is saved, with the number of links below that inherit it; if other links match by then, you review them again. The filter "Cost data: Set on a sub-link" finds the sub-links that do not inherit it.
<p>Anyone can open a link with any campaign name, so clicks can create sub-links that you do not want. <strong>Archive unused</strong> on the page of a network, or <strong>More</strong>, <strong>Archive unused sub-links</strong> on <strong>Links</strong> for the whole app, archives those that clicks and impressions created and that have no cost in the last ${FACTS["audience time"]}, 1,000 at a time, until none is left. They still record clicks, and their <a href="/docs/limits#sizes">places</a> are free again. <strong>Undo</strong> restores those of the last step, and the filter "Only archived" finds all of them.` },
      { title: "Import and export CSV files", body: `<p><strong>Export CSV</strong>, under <strong>More</strong> on the Links page, downloads every link that matches the filters of the page. <code>partner</code>, <code>partner_id</code>, <code>cost_data</code> and <code>target</code> are the link's own settings, and are empty if it inherits them. Text that a spreadsheet would run as a formula starts with an apostrophe, which an import removes again.
<p><strong>Paste or import many</strong> first shows what would happen with each row, and creates and changes nothing until you confirm. Columns can be in any order, and the check shows what each of them was taken for, so that you can choose something else. Without headings, pasted columns are the names from the network down. If no partner has a name, the check offers the most similar one. Of these columns, only <code>network</code> or <code>link_token</code> is required:
<div class="table" tabindex="0" role="region" aria-label="Import and export CSV files"><table>
<thead>
<tr>
<th>Column
<th>Value
<tbody>
<tr>
<td><code>network</code>, <code>campaign</code>, <code>ad_group</code>, <code>creative</code>
<td>the path of the link; leave the levels below it empty
<tr>
<td><code>link_token</code>
<td>names an existing link, which the row changes
<tr>
<td><code>partner_id</code>
<td>the partner of the link, by its ID, or <code>none</code>
<tr>
<td><code>cost_data</code>
<td><code>on</code>, <code>off</code> or <code>inherit</code>
<tr>
<td><code>archived</code>
<td><code>yes</code> or <code>no</code>; not <code>yes</code> for a new link
<tr>
<td><code>target</code>
<td>the URL to which clicks lead, <code>none</code> for the URLs of the app, or <code>inherit</code>
<tr>
<td><code>partner</code>
<td>the partner of the link by its name, instead of <code>partner_id</code>
<tr>
<td><code>click_url</code>, <code>impression_url</code>, <code>created_at</code>
<td>ignored
</table>
</div>
<p>A row with a <code>link_token</code> changes the link's partner, cost data setting and target, and whether it is archived. An empty cell changes nothing, and neither do the names in the row. A file changes up to 1,000 links, all of them or none.
<p>Other rows create links, as <a href="#create-a-link">Create link</a> does. The check counts all of them, and marks new networks and names that differ from another one only in capital letters. You can upload a file twice: what exists is not created again. Rows below a rejected new link are rejected too.
<p>A file can be what Excel saves as "CSV UTF-8", with commas, semicolons, tabs or bars, and with or without a first line such as <code>sep=;</code>. Headings can be written like <code>Campaign name</code>, and <code>Ad set name</code> and <code>Ad name</code> are the ad group and the creative. Remove title lines above them. Empty rows and empty columns without a name do not count. A file can be up to 10 MB, or without JavaScript up to 1,000 rows and 1 MB. In a file of more than 1,000 rows, a row with <code>cost_data</code> <code>on</code> needs its own partner, or one that is already attached above it.` },
      { title: "Undo a change", body: `<p>For 24 hours, <strong>Undo</strong> takes back an import, a change of several links, and each change of the settings of a link. It is in the notice after the change, in the history of each link, and under <strong>More</strong>, <strong>Undo changes</strong> on <strong>Links</strong>. It restores the earlier values, except those that somebody has changed since then, even back to the same value, and archives the links that an import created. It changes settings from now on: clicks, impressions and costs stay where they were recorded.` },
      { title: "Keep your account safe", body: `<p>The <a href="/account">account page</a> lists your sessions, and can end each of them. A session ends after 12 hours, or after 2 hours without a request. To end one, or all with <strong>Sign out everywhere</strong>, enter your password. On the account page, you can also change your password and set up two-factor authentication.
<p>If somebody else may have used your account, change the password or sign out everywhere. Both end your access tokens too, unless you clear the box. Your API token keeps working, because your integrations use it: select <strong>End the API token too</strong> if others may have it, then create a new one.` },
      { title: "Get or reset your API token", body: `<p>Choose <strong>Show token</strong> on the account page. Send the token in the <code>Authorization</code> header of every request:
<pre data-language="sh">BASE_URL=https://links.example.com
API_TOKEN=ll_api_…
APP_TOKEN=…</pre>
<p><code>APP_TOKEN</code> is the 12 characters after <code>/apps/</code> in the address of the app's pages. A token works until you reset it with <strong>Reset token</strong>, which asks for your password. After a reset, the old token is rejected everywhere immediately. Send it only over https: plain http gets <code>https_required</code>.` },
      { title: "Give each program its own token", body: `<p><strong>Access tokens</strong> on the account page creates tokens in addition to your API token, at most 20 at the same time. Each has a name, a scope, an expiration date, and one app or all of yours. It is shown once. Use it instead of the API token.
<div class="table" tabindex="0" role="region" aria-label="Give each program its own token"><table>
<thead>
<tr>
<th>Scope
<th>Prefix
<th>What it does
<tbody>
<tr>
<td>Read
<td><code>ll_read_</code>
<td><code>GET</code> requests, and <a href="/docs/agents">tools for agents</a>
<tr>
<td>Write
<td><code>ll_write_</code>
<td>everything that you can do
</table>
</div>
<p>A token never has more access than you have now, or had when you created it. It expires after 90 days, or after as many days as you choose, up to 366. A request beyond its scope, or for an app that is not the token's, gets 403 <code>insufficient_scope</code>. An ended or expired token gets 401. The list shows when each was last used. End those that you no longer need.
<p>A reset of your API token ends the access tokens too if you check the box. All of them end when an operator resets your password, changes how you sign in, or disables you.` },
      { title: "Create a link with the API", body: `<pre data-language="console"><kbd>create() { curl -s -H "Authorization: Token token=$API_TOKEN" -H 'Content-Type: application/json' \\
    "$BASE_URL/public/v1/apps/$APP_TOKEN/trackers" -d "$1" | sed 's/.*"token":"\\([^"]*\\)".*/\\1/'; }</kbd>
<kbd>NETWORK=$(create '{"name": "Acme"}')</kbd>
<kbd>CAMPAIGN=$(create '{"name": "Summer", "parent_token": "'$NETWORK'"}'); echo "$BASE_URL/$CAMPAIGN"</kbd>
<samp>https://links.example.com/9pz8ctj6qs</samp></pre>
<p><a href="/docs/api/campaign/createLinks">Create up to 100 links</a> in one request if you have many. A request with an <code>Idempotency-Key</code> is safe to retry: the same key and body return the first response again.` },
      { title: "Attach a partner with the API", body: `<pre data-language="console"><kbd>curl -s -H "Authorization: Token token=$API_TOKEN" "$BASE_URL/public/v1/partners" | \\
    grep -oE '"id":[0-9]+,"display_name":"[^"]*","supports_cost_data":[a-z]+'</kbd>
<samp>"id":1,"display_name":"Acme Ads","supports_cost_data":true
"id":2,"display_name":"Beacon Network","supports_cost_data":false
"id":3,"display_name":"Corsair Media","supports_cost_data":false
"id":4,"display_name":"Delta Reach","supports_cost_data":true
"id":5,"display_name":"Echo Media","supports_cost_data":true</samp>
<kbd>curl -s -X PATCH -H "Authorization: Token token=$API_TOKEN" -H 'Content-Type: application/json' \\
    "$BASE_URL/public/v1/apps/$APP_TOKEN/trackers/$NETWORK" \\
    -d '{"partner_id": 1, "cost_data_enabled": true}' | grep -oE '"own":[^}]*}'</kbd>
<samp>"own":{"partner_id":1,"cost_data_enabled":true,"target":null}</samp></pre>
<p><code>own</code> has the settings of the link itself, with null for what it inherits. To make a sub-link inherit again, send <code>null</code> for <code>partner_id</code>, <code>cost_data_enabled</code> or both. A sub-link that loses its own partner inherits cost data too; for a link of level 1, cost data is then off. The response also has the <code>click_url</code> and <code>impression_url</code> for the partner.` },
      { title: "List links with the API", body: `<p>A page of a list has 50 items by default and at most 1,000 with <code>limit</code>. Follow <code>paging.next</code> until it is null:
<pre data-language="console"><kbd>curl -s -H "Authorization: Token token=$API_TOKEN" \\
    "$BASE_URL/public/v1/apps/$APP_TOKEN/trackers?limit=1" | grep -oE '"(total|next)":("[^"]*"|null)'</kbd>
<samp>"total":"7"
"next":"https://links.example.com/public/v1/apps/demoapp00001/trackers?limit=1&amp;after=MXwvYXBwcy9kZW1vYXBwMDAwMDEvdHJhY2tlcnN8MQ"</samp>
<kbd>curl -s -H "Authorization: Token token=$API_TOKEN" \\
    "$BASE_URL/public/v1/apps/$APP_TOKEN/trackers/$NETWORK/children" | grep -oE '"name":"[^"]*"'</kbd>
<samp>"name":"Acme::Summer"</samp></pre>
<p>Use version 1 of the API. Version 2 has only the two lists of links.` },
      { title: "Read reports with the API", body: `<p>The performance report has clicks, spend, cost per click and coverage of some days, and <code>previous</code> with the same for as many days before. It is in one currency, which you can choose, and sorted by any of its fields, here with the highest cost per click first. By default it covers the week that ended yesterday. <code>final</code> is false while costs for these days can still arrive:
<pre data-language="console"><kbd>curl -s -H "Authorization: Token token=$API_TOKEN" -H 'Accept: text/csv' \\
    "$BASE_URL/public/v1/apps/$APP_TOKEN/performance?from=2026-07-01&amp;to=2026-07-31&amp;group_by=link&amp;sort=-cost_per_click"</kbd>
<samp>link_token,link_label,link_name,currency,spend,clicks,impressions,matched,cost_per_click,effective_cost_per_click,coverage,impression_coverage,other_currencies,previous_spend,previous_clicks,previous_impressions,previous_matched,previous_cost_per_click,previous_effective_cost_per_click,previous_coverage,previous_impression_coverage,previous_other_currencies</samp></pre>
<p><code>GET …/performance/changes</code> says why spend changed. It has the parameters of the report, except groups, order and pages. <code>change</code> is exactly <code>volume</code> + <code>price</code> + <code>rest</code>, where <code>volume</code> is about the number of matched costs, not of clicks. <code>links</code> are the three campaigns that changed most, and <code>events</code> say what happened. If <code>too_few_clicks</code> is true, both periods have fewer than 20 clicks, and the parts say little.
<p><code>cost_per_click</code> and <code>coverage</code> are those of the <a href="#see-what-a-click-costs">Performance page</a>, and <code>effective_cost_per_click</code> is all spend divided by all clicks. The spend report has a row for each day, link, partner or cost type and each currency, as JSON or CSV; <code>/engagements</code> counts clicks and impressions in the same way:
<pre data-language="console"><kbd>curl -s -H "Authorization: Token token=$API_TOKEN" -H 'Accept: text/csv' \\
    "$BASE_URL/public/v1/apps/$APP_TOKEN/spend?from=2026-07-01&amp;to=2026-07-31&amp;group_by=partner"</kbd>
<samp>partner_id,partner_name,currency,spend,adjusted,matched,unpriced</samp></pre>
<p>For any of these reports by campaign, send <code>group_by=link&amp;level=2</code>: the row of a campaign has everything below it, and what was recorded on a network itself has a row of its own. <code>level=1</code> is by network.
<p>The state of a partner has the same figures as its page, for the week that ended yesterday or for <code>from</code> and <code>to</code>. The losses of each step of <code>funnel</code> add up to the difference to the step before:
<pre data-language="console"><kbd>curl -s -H "Authorization: Token token=$API_TOKEN" \\
    "$BASE_URL/public/v1/apps/$APP_TOKEN/partners/1" | grep -oE '"step":"[a-z_]*"'</kbd>
<samp>"step":"recorded"
"step":"with_cost_id"
"step":"matched"
"step":"priced"</samp></pre>
<p>With <code>group_by=country,platform</code>, <code>country=DE</code> or <code>platform=ios</code>, reports are by country (ISO 3166-1 alpha-2, <code>XX</code> if it is not known) and platform. They cover up to 31 days then, and 93 days with <code>link</code>. What has neither, such as adjustments, is in a row where both are empty, so that the sums are the same. <a href="/docs/privacy#countries-and-platforms">Privacy</a> says where they come from.` },
    ],
  },
  networks: {
    title: "Which networks work, and how",
    lead: `A link here works with every network that opens the URL that you enter, on any domain. This page says what is known about some networks. Where a cell says "ask the network", nobody has checked it. The page was written in November 2026 from the networks' documentation, which may have changed since.`,
    sections: [
      { title: "What a network needs", body: `<div class="table" tabindex="0" role="region" aria-label="What a network needs"><table>
<thead>
<tr>
<th>What
<th>Why
<tbody>
<tr>
<td>A field for a third-party tracking URL, with any domain
<td>The link is on your own domain. A network that accepts only the domains of measurement companies that it knows cannot open it
<tr>
<td>A macro for a different ID for each click
<td>It is the <code>cost_id</code>, by which a cost finds its click. Without one, clicks are counted and no cost can match
<tr>
<td>A macro for its price, or a server that sends costs
<td>The price on the URL counts by itself (<a href="/docs/rules#prices-on-urls">prices on URLs</a>). Otherwise the network, or you for it, sends costs with <code>POST /cost</code> or <a href="/docs/partners">in a file</a>
</table>
</div>` },
      { title: "Networks", body: `<div class="table" tabindex="0" role="region" aria-label="Networks"><table>
<thead>
<tr>
<th>Network
<th>Opens the link
<th>Form of its macros
<th>Cost ID
<th>Impressions
<th>Price
<tbody>
<tr>
<td>Affiliate platforms, such as Affise and Swaarm
<td>yes, as a tracking URL
<td>their templates are stored unchanged
<td>the macro of the click ID: ask the network for its name
<td>ask the network
<td>by postback: <code>POST /cost</code>
<tr>
<td>Networks and DSPs with a free third-party tracking URL, such as Kayzen
<td>ask the network
<td>ask the network
<td>the macro of the click ID
<td>ask the network
<td>ask the network
<tr>
<td>OpenRTB bidders
<td>yes, for their own campaigns
<td><code>\${…}</code>
<td>the ID of the bid or of the click
<td>yes, by server with <code>s2s=1</code>
<td>round clearing prices to five places
<tr>
<td>RTB House
<td>ask the network
<td><code>{…}</code>, joined with hyphens
<td>ask the network
<td>ask the network
<td>ask the network
<tr>
<td>Yandex Direct
<td>ask the network
<td>stored unchanged
<td>ask the network
<td>ask the network
<td>ask the network
<tr>
<td>Toss
<td>ask the network
<td>stored unchanged
<td>ask the network
<td>ask the network
<td>ask the network
<tr>
<td>Meta
<td>ask the network
<td><code>{{campaign.name}}</code>
<td>ask the network
<td>ask the network
<td>ask the network
<tr>
<td>TikTok
<td>names the measurement partners that it supports, so ask
<td><code>__NAME__</code>, for example <code>__CALLBACK_PARAM__</code>
<td>ask the network
<td>ask the network
<td>ask the network
<tr>
<td>Moloco
<td>no: it checks the host of the link
<td>
<td>
<td>
<td>
<tr>
<td>Mintegral
<td>no: it has a fixed list of tracking methods
<td><code>{@…@}</code>
<td>
<td>
<td>
<tr>
<td>Cross-promotion in your own games and apps
<td>yes; what Unity opens counts
<td>none: your code writes the values
<td>an ID that your code creates
<td>yes
<td>on the URL
<tr>
<td>Print, email, influencers
<td>yes, also as a <a href="/docs/members">QR code</a>
<td>none
<td>none, so clicks are counted without costs
<td>no
<td>none
</table>
</div>
<p>An unfilled macro of these forms is dropped and counted with the reason <code>unfilled_macro</code>; it is never taken for an ID. <a href="/docs/members">Marked parts</a> of a link's URLs show what the network replaces.` },
      { title: "If a network accepts only known hosts", body: `<p>Enter the URL of your measurement company there, and send the network's costs for clicks that you report yourself: with <code>s2s=1</code>, a server opens the link for a person and gets JSON (<a href="/docs/partners">partner guide</a>).` },
    ],
  },
  operators: {
    title: "Operator guide",
    lead: `Set up apps, users and partners, respond to incidents, and change the settings. <a href="/docs/watch">Watch the service</a> says what to poll and where the log is, and the <a href="/docs/runbook">runbook</a> says what to do.`,
    sections: [
      { title: "Begin in the console", body: `<p>Sign in at <code>/operator</code>. Its <strong>Overview</strong> shows what is waiting for you, most urgent first, what was spent in the week that ended yesterday, and the next step for each partner. Discrepancies are counted once a day. Everything below works in the console, and in the API at <code>/operator/v1</code> with the API token from your account page:
<pre data-language="sh">BASE_URL=https://links.example.com
OPERATOR_TOKEN=ll_api_…</pre>
<pre data-language="console"><kbd>operator() { curl -s -H "Authorization: Token token=$OPERATOR_TOKEN" \\
    -H 'Content-Type: application/json' "$BASE_URL/operator/v1/$1" "\${@:2}"; }</kbd></pre>` },
      { title: "Add an app and its members", body: `<pre data-language="console"><kbd>APP=$(operator apps -d '{"name": "Shoes", "default_url": "https://shop.example.com/"}' | \\
    sed 's/.*"token":"\\([^"]*\\)".*/\\1/')</kbd>
<kbd>operator users -d '{"email": "ana@example.com"}' | grep -oE '"(id|temporary_password)":[^,}]*'</kbd>
<samp>"id":3
"temporary_password":"eve7mdt5ys8mngfnz45q"</samp>
<kbd>operator "apps/$APP/members" -d '{"user_id": 3}' | grep -oE '"items":[^]]*]'</kbd>
<samp>"items":[{"app_token":"pi2ouiw0xnei","user_id":3}]</samp></pre>
<p>Use the <code>id</code> from the response as <code>user_id</code>. Ana signs in with the password within ${FACTS["password days"]} and chooses her own. For single sign-on, create the user with <code>"sign_in": "sso"</code> and issue an API token: <code>POST /operator/v1/users/{id}/token</code>. A user with a password creates the token on the account page, and operators cannot issue it.
<p>Users create <a href="/docs/members#give-each-program-its-own-token">access tokens</a> for their programs. For operator paths, an access token must be for all apps. A token keeps the role that its user had when it was issued. After you make somebody an operator, their old token still has the access of a member. They reset it to get one with the access of an operator.
<p><code>ios_url</code> and <code>android_url</code> of an app are the store pages. <code>redirect_hosts</code> and <code>redirect_schemes</code> list where a click may go with <a href="/docs/rules#where-a-click-leads">the parameters that name a target</a>, such as <code>redirect=</code> and <code>deep_link=</code>. A scheme other than <code>https</code>, <code>http</code> and <code>intent</code> can open whatever the app behind it opens, and there is no list of those that open other pages. So check that it opens only the app itself, and confirm that once, before the first app has it: tick the box, or send <code>"confirms_schemes": true</code>. Schemes of browsers, and those that run code or control a device, are never allowed. A target with the scheme <code>intent</code> needs the <code>package</code> of <code>android_url</code>. Its <code>scheme</code>, if it has one, must be in <code>redirect_schemes</code>, and its <code>S.browser_fallback_url</code> must be on an allowed host. The action <code>VIEW</code>, the categories <code>BROWSABLE</code> and <code>DEFAULT</code>, and <code>launchFlags</code> are left out, because Android does the same without them. A target with any other field is not followed.
<p>An app that is no longer needed can be archived: <code>PATCH</code> it with <code>{"archived": true}</code>, or use its page. It leaves the lists of its members. Its links keep redirecting and recording, and its reports stay.
<p>If the email address of a user changes, <code>PATCH /operator/v1/users/{id}</code> with <code>{"email": …}</code>, or use the user's page. Sessions, the password and the API token stay. A single sign-on user is signed out and unlinked; the next sign-in with the new address links the user again.
<p>Users can create 100,000 links in an app. To allow more, change <code>max_links</code> of the app. Links that clicks and impressions create have <a href="/docs/limits#sizes">limits of their own</a>, because anyone can open a link with any name. <code>max_new_sub_links</code> of the app is how many they create below one network on one day, 1,000 by default and five times as many in the app. Archiving a link frees its place.` },
      { title: "Confirm with your password", body: `<p>An API token that leaked, or a browser that was left open, must not be enough to act as another operator. So every change to an operator, to yourself, or to how somebody signs in requires your own password:
<div class="table" tabindex="0" role="region" aria-label="Confirm with your password"><table>
<thead>
<tr>
<th>Action
<th>In the console
<th>In the API
<tbody>
<tr>
<td>Create an operator. Make somebody an operator or a member. Change the email address or the sign-in method of an operator, reset the password, turn off two-factor authentication, issue the API token, disable, enable or erase
<td>your password
<td><code>your_password</code> in the body
<tr>
<td>Change the email address, the role or the sign-in method of a member, reset the password, turn off two-factor authentication, issue the API token, or erase
<td>your password
<td><code>your_password</code> in the body
<tr>
<td>Create a member
<td>your password
<td>not required
<tr>
<td>Issue a credential, open a round
<td>your password
<td>not required
<tr>
<td>Everything else, such as adding a member to an app
<td>not required
<td>not required
</table>
</div>
<p>The console asks for the password if you did not enter it in the last 10 minutes. A request without it, or with a wrong one, changes nothing and gets <code>403</code>.
<p>An operator with single sign-on has no password, and gets <code>password_required</code> in the API. In the console, they can make these changes in the first 10 minutes after they <a href="/docs/single-sign-on#confirm-with-a-new-sign-in">sign in again</a> to confirm. An operator with a temporary password also gets <code>password_required</code>, until they have chosen their own.
<p>A user who gets another role is signed out everywhere. A new operator is also unlinked from single sign-on: link them again after their next sign-in. One enabled operator with a password always remains; a change that would leave none gets <code>last_operator</code>. If nobody can sign in, run <code>npm run operator:create</code>.` },
      { title: "Add a partner", body: `<pre data-language="console"><kbd>operator partners -d '{"display_name": "Foxtrot Ads", "cost_parameters": "cost_id={click_id}&amp;cost_type=cpc"}' | \\
    grep -oE '"(id|display_name|supports_cost_data)":[^,]*'</kbd>
<samp>"id":6
"display_name":"Foxtrot Ads"
"supports_cost_data":false</samp></pre>
<p>The parameters are templates. The URLs of the partner's links contain them byte for byte, with the partner's macros. The partner supports cost data after its first <a href="/docs/rounds">integration round</a>. In the console, the setup page of a partner has all steps up to there.` },
      { title: "Issue and revoke credentials", body: `<pre data-language="console"><kbd>operator credentials -d '{"partner_id": 1, "mode": "live", "cost_types": ["cpc"]}' | \\
    grep -oE '"(id|credential)":[^,}]*'</kbd>
<samp>"id":5
"credential":"ll_live_AQ9smrGSXqcaveBEtsEk5bIDWcnCaDoaXWfU30iX7865ed5b2"</samp>
<kbd>operator credentials/5/revoke -X POST | grep -oE '"(id|mode|cost_types)":("[a-z]*"|[^]]*])'</kbd>
<samp>"id":5,"partner_id":1,"mode":"live","cost_types":["cpc"]</samp></pre>
<p>The response that creates a credential contains it once, as <code>credential</code>. A revoked credential is rejected by every request that starts after the response.` },
      { title: "Stop a partner", body: `<pre data-language="console"><kbd>operator partners/1 -X PATCH -d '{"stopped": true}' | grep -oE '"stopped_at":(null|"[0-9]{4})'</kbd>
<samp>"stopped_at":"2026</samp>
<kbd>operator partners/1 -X PATCH -d '{"stopped": false}' | grep -oE '"stopped_at":(null|"[0-9]{4})'</kbd>
<samp>"stopped_at":null</samp></pre>
<p>Costs of a stopped partner are rejected with <code>partner_stopped</code>. Its clicks and impressions are recorded with cost data off, which stays off for them after the partner is resumed. What was counted stays.` },
      { title: "Limit prices on URLs", body: `<p>Anyone can open a public URL, so a price on it counts only within limits. <a href="/docs/url-prices">Set them for each partner</a>: one for a price, and one for what the prices of a day add up to. Prices above the second limit are held until you accept or drop them.` },
      { title: "Respond to incidents", body: `<div class="table" tabindex="0" role="region" aria-label="Respond to incidents"><table>
<thead>
<tr>
<th>Incident
<th>What to do
<tbody>
<tr>
<td>A credential leaked
<td>Revoke it and issue a new one.
<tr>
<td>An API token leaked
<td>Its owner resets it on the account page. For a single sign-on user, you issue a new one.
<tr>
<td>A user lost the password
<td><code>POST /operator/v1/users/{id}/password</code> returns a temporary one, ends the sessions, and turns two-factor authentication off, so first check who is asking. It expires after ${FACTS["password days"]}.
<tr>
<td>A user lost the phone and the recovery codes
<td>Check who is asking, then use <strong>Turn off two-factor</strong> on the user's page, or <code>POST /operator/v1/users/{id}/two-factor/off</code>. The password stays, and the sessions end.
<tr>
<td>Somebody else used an account
<td>Reset the password with <code>{"revoke_api_token": true}</code>: password, sessions and API token stop working in one step.
<tr>
<td>A user leaves
<td><code>PATCH /operator/v1/users/{id}</code> with <code>{"disabled": true}</code>, also for a single sign-on user. To delete the email address too, <a href="/docs/privacy#erase-a-user">erase the user</a>.
<tr>
<td>Somebody reports a wrong cost of a day or a link
<td><strong>Costs</strong> of the partner in the console and <code>GET /operator/v1/partners/{id}/costs</code> list them with filters by day, app, link, type, state and amount. In the console, the newest or the highest come first, with sums, if the partner has up to 10,000 IDs, or so many that start with the same letters. More are in the order of their IDs, as in the API: a request looks at up to 20,000 and says how far it got.
<tr>
<td>Strangers add prices on URLs
<td><a href="/docs/url-prices#void-the-prices-of-a-day">Void those of a day</a>.
<tr>
<td><strong>Overview</strong> says that prices on URLs are near their limit, or far above the days before
<td>If they are right, raise <code>max_url_spend</code> of the partner. If they are not, void those of the day as above.
<tr>
<td><strong>Overview</strong> says that two apps have the same cost IDs
<td>The first click or impression with an ID gets its cost, and that of the other app gets none. Ask the partner to use IDs that nobody can guess, each only once. If a stranger used its IDs first, <a href="/docs/corrections">void</a> those costs, and let the partner send them again with other IDs.
<tr>
<td>A partner sends costs that should not count
<td>Stop the partner, and <a href="/docs/corrections">correct what was counted</a>.
<tr>
<td><strong>No cost after</strong> a day
<td><code>GET /operator/v1/partners/{id}</code> has <code>last_cost_at</code> and <code>last_click_at</code>, to the hour, and <code>open_mismatches</code> of its open rounds, as the hourly job found them. A price on a URL counts as a cost, and a void can hide one cost of the same hour.
<tr>
<td>Costs are rejected
<td>The page of the partner shows how many were rejected each day and why, and how complete its costs are. <code>GET /operator/v1/partners/{id}/rejections?group_by=day,code</code> counts them by day and code, for all apps or for one. The counts are kept for ${FACTS["count time"]}. For ${FACTS["rejection time"]}, <strong>Rejected costs</strong> of the partner and <code>GET /operator/v1/partners/{id}/rejections/recent</code> also list the newest ones with their IDs, and the page of an ID says what a cost for it would get now. The log has the tag of each cost.
<tr>
<td>Costs do not match
<td><strong>Spend</strong> in the console lists pending costs by partner, and one by one. They have no app before they match, so reports of apps do not show them. See <a href="/docs/troubleshooting#a-cost-stays-pending">Troubleshooting</a>.
<tr>
<td>Clicks are in the dead-letter queue
<td>The Cloudflare dashboard shows its backlog under <strong>Queues</strong>, <code>linkledger-engagements-dead-letter</code>. Bind it as a second consumer and deploy. The clicks are recorded with their own time.
<tr>
<td>Somebody asks who changed something
<td>Look in the <a href="#read-the-audit-log">audit log</a>.
</table>
</div>` },
      { title: "Read the audit log", body: `<p><strong>Audit log</strong> in the console has every change and every sign-in, newest first. Filter by user, object, action and day, and download the entries as CSV. <code>GET /operator/v1/audit</code> has the same filters: <code>user</code>, <code>subject</code>, <code>action</code>, <code>from</code> and <code>to</code>. Nobody can change or delete an entry.
<ul>
<li>A change has the old and the new values, except email addresses: entries name users by ID, and pages show the current address.
<li>The entries of one request have the same <code>request_id</code>, and are one line on the page.
<li>The filter for a partner also finds its rounds, credentials and adjustments. Its own sign-ins, sign-outs and voids name the credential.
<li>For each user, it has the first 10 wrong passwords and the first 10 wrong codes of sign-ins in an hour, and the first 10 wrong passwords that somebody who was signed in entered.
<li>With several databases, a void is <code>requested</code> before it is carried out, and another entry says <code>not carried out</code> if the cost had changed.
</ul>` },
      { title: "Require two-factor authentication", body: `<p>Everyone can set up two-factor authentication on the account page, with any authenticator app and recovery codes. Operators must use it: those who have not set it up are asked to do so before anything else. To leave the choice to them, write <code>OPERATOR_MFA = "optional"</code> into the <code>[vars]</code> of <code>wrangler.toml</code>. API tokens work without a code.` },
      { title: "Let people sign in with their company account", body: `<p><a href="/docs/single-sign-on">Single sign-on</a> takes four settings and a secret. These users use the provider's second factor.` },
      { title: "Add a contact for questions", body: `<p>Set <code>OPERATOR_CONTACT</code> in the <code>[vars]</code> of <code>wrangler.toml</code> to an email address, an <code>https</code> URL, or a text of at most 200 characters. Pages show it where they tell people to ask their operator, and so does the text that you send to a new partner.` },
      { title: "Let people report vulnerabilities", body: `<p>Set <code>SECURITY_CONTACT</code> in the <code>[vars]</code> of <code>wrangler.toml</code> to a <code>mailto:</code>, <code>https:</code> or <code>tel:</code> URI, so that people who find a vulnerability know whom to write to. <code>/.well-known/security.txt</code> shows it. Without the setting, the file does not exist.` },
      { title: "Change the cost window", body: `<p>The cost window of ${FACTS["cost window"]} is <code>COST_WINDOW_MS</code> in <code>src/domain/time.ts</code>, for all apps and partners. The database uses it too, so a change needs a migration and a deployment. On a ledger that is in use, the new window applies from a date on. <code>migrations/README.md</code> of the source has the steps under "Change the cost window".` },
      { title: "Use only your own domain", body: `<p>Without <code>routes</code> in <code>wrangler.toml</code>, every deployment turns on the address of the Worker under <code>workers.dev</code>. If you connected your own domain in the Cloudflare dashboard instead, set <code>workers_dev = false</code>, so that nobody gets around the firewall rules and logs of your domain. <code>npm run deploy</code> then has no URL to check, so open <code>/readyz</code> on your domain. With <code>routes</code>, the address under <code>workers.dev</code> is off, unless you set <code>workers_dev = true</code>.
<p>Keep <code>preview_urls = false</code>. With preview URLs, each version that you ever deployed has an address, where an error that you have fixed since then still happens, on the same data.` },
      { title: "Keep what the purge deletes", body: `<p>The purge keeps only totals of costs that are older than ${FACTS["retention time"]}. If partners may dispute single costs later, <a href="/docs/archive">bind an archive</a> beforehand: create a bucket, uncomment its section in <code>wrangler.toml</code>, and deploy.` },
      { title: "Restore the database", body: `<p>D1 keeps every state of the last 30 days on a paid plan:
<pre data-language="sh">npx wrangler d1 time-travel restore DB --timestamp=2026-07-01T12:00:00Z
npx wrangler d1 time-travel restore LEDGER_0 --timestamp=2026-07-01T12:00:00Z # with shards: each of them</pre>
<p>Restore all databases of the ledger to the same time. Then repeat every revocation, reset and removal since that time, because the restore undid them. For a copy outside Cloudflare, run <code>npx wrangler d1 export DB --remote --output backup.sql</code>. Before you import it, <a href="/docs/runbook#move-to-another-account">put it in order</a>.` },
    ],
  },
  partners: {
    title: "Partner guide",
    lead: `Send what each click or impression cost. linkledger matches the cost to the click or impression with the same cost ID.`,
    sections: [
      { title: "Send your first cost", body: `<p>The operator opens an <a href="/docs/rounds">integration round</a> for you and gives you a test credential and the token of a link that is attached to you. Costs that you send with a test credential never count as spend.
<pre data-language="sh">BASE_URL=https://links.example.com
COST_TOKEN=ll_test_…
LINK_TOKEN=…</pre>
<p><strong>1. Record a click.</strong> Open the link with a cost ID. With <code>s2s=1</code> your server gets JSON after the click is stored, not a redirect:
<pre data-language="console"><kbd>curl -s "$BASE_URL/$LINK_TOKEN?cost_id=yourname-20260701-0001&amp;s2s=1"</kbd>
<samp>{"status":"ok","kind":"click","cost_id":"yourname-20260701-0001","recorded":true,"duplicate":false,"dropped":[],"cost_data":false,"request_id":"c7a822e1-39af-4f0e-8685-10053cd885dc"}</samp></pre>
<p><code>cost_data</code> is <code>false</code> until you are live, and your round checks costs for this click anyway. If it is <code>false</code> after that, ask the owner of the app to turn cost data on for the link. If <code>recorded</code> is <code>false</code>, look at <code>dropped</code>: it names each cost parameter that was not valid. If <code>dropped</code> is empty, the URL has no <code>cost_id</code> or the link has no partner. For an impression, open <code>/impression/$LINK_TOKEN</code>. Your server's address says nothing about the person, so add <code>country=DE</code> (ISO 3166-1 alpha-2) and <code>platform=ios</code> (<code>android</code>, <code>windows</code>, <code>macos</code>, <code>linux</code> or <code>other</code>) if you know them. <code>os_name</code> is another name for <code>platform</code>, and with <code>user_agent</code> the platform is read from the user agent of the person, which is not stored.
<p><strong>2. Send its cost</strong> with the same cost ID:
<pre data-language="console"><kbd>curl -s -H "Authorization: Token token=$COST_TOKEN" \\
    -d 'cost_type=cpc' -d 'cost_currency=USD' -d 'cost_amount=0.25' \\
    -d 'cost_id=yourname-20260701-0001' -d 'tag=first' "$BASE_URL/cost"</kbd>
<samp>{"status":"ok","cost_id":"yourname-20260701-0001","match":"matched","duplicate":false,"amount":"0.25","round":1,"mismatch":null,"request_id":"e0ed8682-3c13-44bf-917f-5d2dbcd195f1"}</samp></pre>
<p><code>200</code> means that the cost is stored. <code>"match":"matched"</code> means that it has found its click, and <code>"mismatch":null</code> that the round has nothing to report about it.
<p><strong>3. Make a mistake</strong>, such as a cost that the link has no click for:
<pre data-language="console"><kbd>curl -s -H "Authorization: Token token=$COST_TOKEN" \\
    -d 'cost_type=cpc' -d 'cost_currency=USD' -d 'cost_amount=0.25' \\
    -d 'cost_id=yourname-20260701-0009' -d 'tag=first' "$BASE_URL/cost" | grep -o '"mismatch":"[a-z_]*"'</kbd>
<samp>"mismatch":"cost_without_engagement"</samp></pre>
<p><strong>4. Read the report</strong> of the round. It lists each mismatch with what was expected and what to do:
<pre data-language="console"><kbd>curl -s -H "Authorization: Token token=$COST_TOKEN" "$BASE_URL/cost/round" | tr '{' '\\n' | \\
    grep -A1 'yourname-20260701-0009' | grep -oE '"(expected|remedy)":"[^"]*"'</kbd>
<samp>"expected":"A click with this cost ID, recorded on a link of the partner."
"remedy":"Put exactly the same cost_id on the click or impression URL, then open that URL. The cost matches automatically when the click or impression arrives."</samp></pre>
<p>The report is also a page: sign in at <code>/partner</code> with your test credential. The page begins with these steps, with your link and a new cost ID in the commands.
<p>Send the credential in the <code>Authorization</code> header, as <code>Token token=…</code> or <code>Bearer …</code>. A credential in a URL is ignored.` },
      { title: "Your pages", body: `<p>Sign in at <code>/partner</code> with your credential. The session lasts two hours and ends when the credential is revoked.
<div class="table" tabindex="0" role="region" aria-label="Your pages"><table>
<thead>
<tr>
<th>Page
<th>Content
<tbody>
<tr>
<td><code>/partner</code>
<td>the next step, the costs that count, of today and of the last ${FACTS["days of rates"]}, coverage and discrepancy; with a test credential, three steps to the first match
<tr>
<td><code>/partner/missing</code>
<td>the clicks and impressions of the last ${FACTS["days of rates"]} without a matching cost, and why, also as CSV
<tr>
<td><code>/partner/totals</code>
<td>the costs that count by day, with totals by type and currency, also as CSV
<tr>
<td><code>/partner/costs</code>
<td>your costs by ID, state, type, amount and day, the newest or the highest first, with sums, also as CSV; a cost has its own page, where you can void it
<tr>
<td><code>/partner/upload</code>
<td>sends a CSV file: first a check that changes nothing, then the import, then a file with the results
<tr>
<td><code>/partner/setup</code>
<td>the parameters of your links with their macros, and the first request
<tr>
<td><code>/partner/round</code>
<td>with a test credential, which has no upload and no void: the report of the round
</table>
</div>` },
      { title: "Parameters", body: `<p>Send the parameters of <code>POST /cost</code> in the query string, in a form body, or in both with the same values, or as one JSON object. The body can have <code>Content-Encoding: gzip</code>. All but <code>cost_amount</code> are required. Names are lowercase; other names are ignored.
<div class="table" tabindex="0" role="region" aria-label="Parameters"><table>
<thead>
<tr>
<th>Parameter
<th>Value
<tbody>
<tr>
<td><code>cost_id</code>
<td>12 to 256 characters, a different one for each click or impression, and equal to the <code>cost_id</code> on its URL
<tr>
<td><code>cost_type</code>
<td>${FACTS["cost types"]}
<tr>
<td><code>cost_currency</code>
<td>an ISO 4217 code, for example <code>USD</code>
<tr>
<td><code>cost_amount</code>
<td>a decimal with at most 5 places, for example <code>0.25</code>; for ${FACTS["types per mille"]}, the price of 1,000 impressions
<tr>
<td><code>tag</code>
<td>1 to 128 characters, for your logs and ours
</table>
</div>
<p>A good cost ID is a UUID, or your company's name followed by your click or impression ID. An advertising ID with the app ID is not enough: without permission, every phone sends an advertising ID of zeros. Add your click ID to it. A macro that was not replaced, and a value that means nothing, such as <code>null</code>, are rejected.
<p>Amounts are exact: linkledger does not round or convert them. Round prices with more places, such as those of auctions, to five; zeros at the end do not count. If you charge per action (CPA), send <code>cpe</code>.
<p>A price on the URL of a click or impression can count without a call. Its <code>cost_id</code> must then be valid or absent, its currency the one that the operator has set for you, and its amount at most your limit, which is 100 unless the operator has set another. The <a href="/docs/rules#prices-on-urls">matching rules</a> have the details.
<p>If you leave out <code>cost_amount</code>, or its value is empty because a macro has none, the amount on the URL of the click or impression counts. If there is none, the cost is <strong>unpriced</strong> and the response has <code>"amount": null</code>. Send the cost again with the amount to complete it.` },
      { title: "Pending and matched", body: `<ul>
<li>Match the cost type: ${FACTS["what fits"]}. With ${FACTS["types with discrepancy"]}, send one cost for each click or impression.
<li>If the cost arrives before its click or impression, it is <strong>pending</strong>. It matches when they arrive. You do not need to send it again.
<li>A click or impression accepts a cost for <strong>${FACTS["cost window"]}</strong>. A pending cost waits for ${FACTS["cost window"]}, then it lapses.
<li>Anyone can open a link with any <code>cost_id</code>, and the first click or impression with it gets its cost, even in another app: use IDs that nobody can guess, each only once, and <a href="#correct-a-cost">void the cost</a> if a stranger was first.
<li><code>GET /cost/{cost_id}</code> returns the state of a cost: <code>matched</code>, <code>pending</code>, <code>lapsed</code> or <code>voided</code>. With a test credential, it is a cost of your round. If a click or impression has the ID but cannot take the cost, <code>mismatch</code> says why.
</ul>
<p>The <a href="/docs/rules">matching rules</a> have the details. If a cost stays pending, see <a href="/docs/troubleshooting#a-cost-stays-pending">Troubleshooting</a>.` },
      { title: "List your costs", body: `<p><code>GET /cost</code> lists your costs by ID, and <code>/partner/costs</code> shows them in a browser. With <code>match=matched</code>, <code>pending</code>, <code>lapsed</code> or <code>voided</code> it has only those, and with <code>match=rejected</code> only the newest costs that got 400 or 403, each with its error code and, for <code>invalid_request</code>, the parameters that were wrong; with <code>Accept: text/csv</code> it is a CSV file. For <code>cost_id_conflict</code>, the response to the request says which values differ, and <code>GET /cost/{cost_id}</code> returns the cost that is stored. Follow <code>paging.next</code> (in CSV, the <code>Link</code> header) until it is null: a page can have fewer items than <code>limit</code>, or none.` },
      { title: "Retries", body: `<p>It is always safe to send a cost again. The same values return <code>200</code> with <code>"duplicate": true</code> and count once. Other values for the same cost ID are rejected: <a href="#correct-a-cost">void the cost</a> first.
<ul>
<li><strong>No response:</strong> send the request again.
<li><strong>408, 429, 500, 503:</strong> send the same request again after <code>Retry-After</code> seconds. If there is no such header, wait 1 second, then 2, then 4, and so on.
<li><strong>400, 401, 403:</strong> fix the request first. The response lists everything that is wrong with it.
</ul>
<p>Clicks and impressions with <code>s2s=1</code> have a limit of <a href="/docs/limits#rate-limits">60,000 a minute from one address</a>. If your servers send more, ask the operator to raise <code>SERVER_ENGAGEMENTS</code> in <code>wrangler.toml</code>.
<p>Keep the <code>X-Request-Id</code> of a response that you do not understand. The operator can find the request by it.` },
      { title: "Batches and CSV files", body: `<p><code>POST /cost/batch</code> accepts up to 1,000 costs and 1 MiB of JSON or CSV. It returns <code>200</code> with one result for each cost, in the same order. One bad cost does not affect the others, so check each result: a rejected cost has a <code>code</code>.
<pre data-language="console"><kbd>curl -s -H "Authorization: Token token=$COST_TOKEN" -H 'Content-Type: application/json' \\
    -d '{"costs": [{"cost_type": "cpc", "cost_currency": "USD", "cost_amount": "0.25", "cost_id": "yourname-20260701-0002", "tag": "batch"}]}' \\
    "$BASE_URL/cost/batch"</kbd>
<samp>{"results":[{"status":"ok","cost_id":"yourname-20260701-0002","match":"pending","duplicate":false,"amount":"0.25","round":1,"mismatch":"cost_without_engagement"}],"request_id":"fa838562-87b5-42a9-a947-5293afc76162"}</samp></pre>
<p>In JSON the amount can be text, for example <code>"0.25"</code>, or a number without an exponent. Send text if your program computes with binary fractions: it can write 0.30000000000000004 for 0.3, which is rejected.
<p>A batch can also be a CSV file with a header row of parameter names, for example from a spreadsheet:
<pre data-language="console"><kbd>printf '%s\\n' cost_type,cost_currency,cost_id,cost_amount,tag cpc,USD,yourname-20260701-0003,2.5,july | \\
    curl -s -H "Authorization: Token token=$COST_TOKEN" -H 'Content-Type: text/csv' -H 'Accept: text/csv' \\
    --data-binary @- "$BASE_URL/cost/batch"</kbd>
<samp>row,cost_id,status,code,message,match,duplicate,amount,mismatch
2,yourname-20260701-0003,ok,,,pending,false,2.5,cost_without_engagement</samp></pre>
<p>A batch and a file that you <a href="#your-pages">upload</a> are read in the same way:
<ul>
<li>UTF-8, with or without a byte order mark, with commas, semicolons, tabs or bars, or with the separator that a first line such as <code>sep=;</code> names. The decimal sign is a point.
<li>The first row has the names of the columns, also as <code>Cost ID</code> or <code>cost-type</code>; <code>amount</code> is <code>cost_amount</code>. Remove title lines above it. An unknown, missing or repeated column rejects the file, and the error names the columns that it can be renamed to. Only the column <code>cost_amount</code> can be absent, and its cells can be empty.
<li>At most 1,000 rows below it. Empty rows, rows of separators, empty columns without a name, and white space around values do not count.
<li><code>row</code> in the results is the line of the file on which a row begins.
<li>You can send back a file of costs, of results, or of clicks and impressions without a cost: its other columns are not read.
</ul>
<p>In files of your pages, a value that a spreadsheet would run as a formula starts with an apostrophe, and a batch or an upload removes it. Responses of the API have values as you sent them. A cell <code>="000123456789"</code>, by which programs keep an ID as text, is the ID <code>000123456789</code>. So send an ID that itself has this form, or that begins with an apostrophe before <code>=</code>, <code>+</code>, <code>-</code> or <code>@</code>, as JSON or as a form.
<p>Without <code>Accept: text/csv</code> the results are JSON. If an ID appears more than 10 times in one batch, only the first 10 are accepted.
<p>Without a program, upload the file at <code>/partner/upload</code>: up to 10 MB, with each ID once. Uploading the same file again changes nothing, and an upload cannot be undone as a whole: <a href="/docs/corrections">void each wrong cost</a>.` },
      { title: "Correct a cost", body: `<p><code>POST /cost/{cost_id}/void</code>, or the page of the cost at <code>/partner/costs</code>, voids one cost, so a wrong file takes a void for each of its costs: it no longer counts, and the same values do not bring it back. Then send the right values with the same ID. <a href="/docs/corrections">Correct a cost</a> shows it step by step.
<p>You can void a cost until ${FACTS["cost window"]} after its click or impression, and a pending cost until it lapses. The void of a price on a URL is final: only a call can then set the cost of this ID. After ${FACTS["cost window"]}, ask the operator.` },
      { title: "Error codes", body: `<p>Every error is a problem document (RFC 9457): <code>code</code> is for programs, <code>detail</code> and <code>errors</code> are for people.
<div class="table" tabindex="0" role="region" aria-label="Error codes"><table>
<thead>
<tr>
<th>Status
<th>Code
<th>Send the same request again?
<tbody>
<tr>
<td>400
<td><a href="/docs/errors#invalid_request"><code>invalid_request</code></a>
<td>No. Fix the parameters that <code>errors</code> lists.
<tr>
<td>400
<td><a href="/docs/errors#cost_id_conflict"><code>cost_id_conflict</code></a>
<td>No. To correct the cost, <a href="#correct-a-cost">void it</a> and send it again. For another click or impression, use another cost ID.
<tr>
<td>400
<td><a href="/docs/errors#window_closed"><code>window_closed</code></a>
<td>No. Send costs within ${FACTS["cost window"]}.
<tr>
<td>401
<td><a href="/docs/errors#unauthorized"><code>unauthorized</code></a>
<td>No. Check the credential.
<tr>
<td>403
<td><a href="/docs/errors#credential_revoked"><code>credential_revoked</code></a>
<td>No. Ask the operator for a new credential.
<tr>
<td>403
<td><a href="/docs/errors#test_credential"><code>test_credential</code></a>
<td>No. Use your live credential, or ask for a round.
<tr>
<td>403
<td><a href="/docs/errors#cost_type_not_integrated"><code>cost_type_not_integrated</code></a>
<td>No. Ask the operator for a round with this cost type.
<tr>
<td>403
<td><a href="/docs/errors#partner_stopped"><code>partner_stopped</code></a>
<td>No. Ask the operator why.
<tr>
<td>403
<td><a href="/docs/errors#cost_data_disabled"><code>cost_data_disabled</code></a>
<td>No. Ask the app's owner to turn cost data on for the link.
<tr>
<td>403
<td><a href="/docs/errors#round_full"><code>round_full</code></a>
<td>No. Ask the operator for a new round.
<tr>
<td>404
<td><a href="/docs/errors#not_found"><code>not_found</code></a>
<td>No. There is no such cost, path or round.
<tr>
<td>408
<td><a href="/docs/errors#request_timeout"><code>request_timeout</code></a>
<td>Yes
<tr>
<td>413
<td><a href="/docs/errors#payload_too_large"><code>payload_too_large</code></a>
<td>No. Send smaller batches.
<tr>
<td>415
<td><a href="/docs/errors#unsupported_media_type"><code>unsupported_media_type</code></a>
<td>No. Send a cost as a form or JSON, and a batch as JSON or CSV.
<tr>
<td>429
<td><a href="/docs/errors#rate_limited"><code>rate_limited</code></a>
<td>Yes, after <code>Retry-After</code> seconds
<tr>
<td>500
<td><a href="/docs/errors#internal_error"><code>internal_error</code></a>
<td>Yes
<tr>
<td>503
<td><a href="/docs/errors#unavailable"><code>unavailable</code></a>
<td>Yes, after <code>Retry-After</code> seconds
</table>
</div>` },
    ],
  },
  privacy: {
    title: "Privacy",
    lead: `What linkledger stores about people, for how long, and how to delete it.`,
    sections: [
      { title: "What is never stored", body: `<p>linkledger stores no IP address, user agent or city of visitors or users. Somebody who opens a link gets no cookie. Cloudflare's rate limiters count requests by address for a minute, and Cloudflare derives a country from the address. The user agent decides the store of a redirect and the platform, and distinguishes people from crawlers. Neither the address nor the user agent is written to a database or a log. Passwords and tokens are stored only as hashes. Only the API token also has a sealed copy, which only the user's password opens.` },
      { title: "Users", body: `<div class="table" tabindex="0" role="region" aria-label="Users"><table>
<thead>
<tr>
<th>What
<th>How long
<tbody>
<tr>
<td>Email address, role, apps
<td>until the user is erased
<tr>
<td>Hash of the password, sealed second factor, hashes of recovery codes
<td>until they are replaced, or the user is erased
<tr>
<td>API token: its hash, its last four characters, the day of its last use
<td>until it is replaced, or the user is disabled or erased
<tr>
<td>Access tokens: name, scope, app, times, hash, the last four characters, the day of the last use
<td>until the user ends them, gets another password from an operator or another sign-in method, or is disabled or erased; an expired one, for 30 days
<tr>
<td>Single sign-on: the issuer and the subject of the user at the provider, and when they were linked
<td>until an operator unlinks the user, or the user gets another email address or a password, becomes an operator, or is erased
<tr>
<td>Sign-ins at the provider that linked nobody: issuer, subject, email address, whether it is verified, time, a code
<td>a week, the newest 5 with a verified address and the newest 5 others for each user, or until the user is linked, gets another email address or a password, or is erased
<tr>
<td>The hash of the state of each sign-in at the provider
<td>an hour and 10 minutes, then the hourly purge deletes it
<tr>
<td>Sessions: times, the browser in words such as <code>Firefox on Windows</code>, and whether single sign-on took only a password
<td>12 hours
<tr>
<td>Known browsers: the hash of a random ID in a cookie
<td>180 days after the last sign-in with it, or until the user gets another password, second factor or role, signs out everywhere, or is erased
<tr>
<td>How many wrong passwords and codes were entered, in the last hour that had any
<td>until there are others, or the user is erased
<tr>
<td>Saved views of Performance: the name and the choices
<td>until they are deleted; a user's own views at the latest when the user is erased
<tr>
<td>Audit log: who changed what; sign-ins and wrong passwords with the browser in words
<td>permanently, under the ID of the user
</table>
</div>
<p>Entries of the audit log name users by ID only. Pages show them with the current email address. Texts that operators enter, such as reasons and names, are stored as entered, so do not write personal data there.
<p>With single sign-on, the provider learns when a user signs in here. No token of the provider is stored, and a cookie keeps a sign-in for 10 minutes, encrypted.` },
      { title: "Clicks, impressions and costs", body: `<p>A partner chooses the IDs of its clicks and costs. An ID can be the advertising ID of a device, which many laws treat as personal data.
<div class="table" tabindex="0" role="region" aria-label="Clicks, impressions and costs"><table>
<thead>
<tr>
<th>What
<th>How long
<tbody>
<tr>
<td>Clicks and impressions with a cost ID, each with its country and platform, and costs
<td>${FACTS["retention time"]}, then the hourly purge deletes them. See <a href="/docs/rules#what-is-remembered">what is remembered</a>
<tr>
<td>The queue before the ledger, if there is one
<td>until the ledger has them; what failed stays in the dead-letter queue, by default for 4 days
<tr>
<td>Everything that a partner sends in an <a href="/docs/rounds">integration round</a>, with its IDs
<td>permanently
<tr>
<td>Audit log: sign-ins of partners, with the browser in words and the credential
<td>permanently
<tr>
<td>The ID of a cost that is voided, in the audit log
<td>permanently
<tr>
<td>Daily counts and totals for each link and partner
<td>permanently, without IDs
<tr>
<td>Daily counts and totals for each link and partner by country and platform, in the same database as those without
<td>${FACTS["audience time"]}, then the purge deletes them within a day
<tr>
<td>What an import, a change of several links or the settings of a link changed, so that it can be undone
<td>24 hours, then the purge deletes it
<tr>
<td>Daily counts of dropped URL parameters for each link, without their values
<td>${FACTS["count time"]}, then the purge deletes them within a day
<tr>
<td>Daily counts of rejected costs for each partner and app, without their IDs
<td>${FACTS["count time"]}, then the hourly purge deletes them
<tr>
<td>Daily sums of prices on URLs for each partner, app and currency, without their IDs
<td>${FACTS["count time"]}, then the hourly purge deletes them
<tr>
<td>Rejected costs: the ID and the tag as they were sent, the time and the reason; at most 200 for each partner and reason in a database
<td>${FACTS["rejection time"]}, then the hourly purge deletes them
<tr>
<td><a href="/docs/alerts">Alerts</a>: the name of a partner and counts, without IDs
<td>until they close, and 90 days after that
<tr>
<td><a href="/docs/webhooks">Webhooks</a>: the URL and the sealed secret
<td>until they are deleted
<tr>
<td>Events and their deliveries: the name of a partner and counts, without IDs
<td>30 days, then the hourly purge deletes them
<tr>
<td>The log: the tag of a cost
<td>as long as you keep the log
<tr>
<td>The <a href="/docs/archive">archive</a>, if there is one
<td>until you delete its objects
</table>
</div>
<p>The archive has every cost with its ID, so give its bucket a rule that deletes objects after the time for which partners can dispute a cost. <code>BUCKET</code> is the name of the bucket and <code>RULE</code> any name; 730 days are two years:
<pre data-language="sh">npx wrangler r2 bucket lifecycle add BUCKET RULE --expire-days 730</pre>` },
      { title: "Countries and platforms", body: `<p>linkledger counts clicks, impressions and costs by country and by platform: <code>ios</code>, <code>android</code>, <code>windows</code>, <code>macos</code>, <code>linux</code> or <code>other</code>. It keeps nothing else about where people are or what they use, and no count identifies a person. Cloudflare estimates the country of a request from its address, and <code>XX</code> means that it is not known. An iPad that requests desktop pages counts as a Mac.
<p>A click that a partner's server reports with <code>s2s=1</code> comes from the address of that server, which says nothing about the person. So its country and platform are not known, unless the URL has them: <code>country=DE&amp;platform=ios</code>. With <code>user_agent</code>, the platform is read from it, and it is not stored.
<p>Anyone can write a country on a URL, so an app gets at most ${FACTS["audience rows"]} rows of these counts a day. Beyond that, a click that needs another row counts with an unknown country and platform. Adjustments have neither: in reports they are one row without a country, and on pages "Adjustments".` },
      { title: "The log", body: `<p>A line of the <a href="/docs/watch#where-the-log-is">log</a> has the ID of the user, or of the partner and its credential, the pattern of the path and the outcome, and never an address, an email address, a cost ID or a URL. Cloudflare keeps the lines as long as your plan says.` },
      { title: "Erase a user", body: `<p>Use <strong>Erase user</strong> on the user's page in the console, or the API. Both ask for your own password:
<pre data-language="console"><kbd>operator() { curl -s -H "Authorization: Token token=$OPERATOR_TOKEN" \\
    -H 'Content-Type: application/json' "$BASE_URL/operator/v1/$1" "\${@:2}"; }</kbd>
<kbd>ID=$(operator users -d '{"email": "bob@example.com"}' | sed 's/.*"id":\\([0-9]*\\).*/\\1/')</kbd>
<kbd>operator "users/$ID/erase" -d '{"your_password": "operator-password"}' | grep -oE '"(email|erased)":[^,]*'</kbd>
<samp>"email":"erased user 3"
"erased":true</samp></pre>
<p>The email address becomes <code>erased user</code> and the ID, permanently. The password, the second factor, the sessions, the known browsers, the API token, the access tokens, the link to single sign-on, the saved views of the user and the memberships in apps are deleted. What stays: the ID, the time at which the user was created, and what the audit log has under the ID. An erased user can no longer be changed. The last operator who can sign in cannot be erased.
<p>D1 can restore every state of the last 30 days (Time Travel), so an erased address is gone permanently 30 days later. If you <a href="/docs/operators#restore-the-database">restore the database</a>, erase the user again. Copies that you exported are yours to delete.` },
    ],
  },
  rounds: {
    title: "Integration rounds",
    lead: `An integration round tests a partner's costs before they count. It shows for each cost type what matches and what does not.`,
    sections: [
      { title: "How a round works", body: `<p>A round tests one partner and one or more cost types with a test credential. Everything that the partner sends with it is kept, accepted or rejected, and none of it counts as spend. Clicks and impressions are recorded whether cost data is on for the link or not.
<p>A cost type <strong>passes</strong> with at least one match and no open mismatch. An operator approves the cost types that have passed, all or some, which makes them live and ends the round. The others need another round. Open mismatches without a cost type, such as a submission without a valid type, block every approval.` },
      { title: "Run a round as an operator", body: `<ol>
<li>In the console, select <strong>Partners</strong>, then <strong>New partner</strong>. The setup page has four steps: the name, the URL templates, a round with a test link, and what you send to the partner. Copy the test credential, or the text that has it: it is shown once.
<li>For more cost types or another link, use the partner's page and the page of the round. With the API: <code>POST /operator/v1/rounds/{id}/links</code> with <code>app_token</code> and <code>name</code>.
<li>Give the partner the link, the test credential, and the <a href="/docs/partners">partner guide</a>. The text of step 4 of the setup page has all of it.
<li>Read the report together: you in the console, the partner at <code>/partner</code>.
<li>Dismiss mismatches that you both understand and that cannot be fixed, one by one or all of a kind. You can give a reason, which the partner sees, and undo a dismissal while the round is open. Then approve the cost types that pass. With the API: <code>POST …/dismissals</code> and <code>POST …/approve</code> of the <a href="/docs/api/operator/approveRound">round</a>.
<li>Issue a live credential, on the setup page or the partner's page. Check that the partner's cost parameters contain <code>cost_id=</code>.
<li>Ask a member of the app to attach the partner to its links and to turn cost data on, for one link on its <strong>Settings</strong> page, for many on <strong>Links</strong>, or with the <a href="/docs/api/campaign/updateLink">API</a>: <code>{"partner_id": 6, "cost_data_enabled": true}</code>. Clicks after that accept costs.
</ol>
<p>A partner that is already live tests another cost type on a link with cost data off. What comes through its other links is live traffic and not part of the round.` },
      { title: "Pass a round as a partner", body: `<p>Sign in at <code>/partner</code> with your test credential. The page has the commands: open your link with a <code>cost_id</code>, then send the cost with the same ID. It also has the report, which <code>GET /cost/round</code> returns as JSON. <code>GET /cost</code> and <code>GET /cost/{cost_id}</code> return what you sent in the state that it would have as a live cost, with <code>"test": true</code>. Each mismatch has what you sent, what was expected, and what to do. A correct cost with the same cost ID resolves the earlier mismatch.` },
      { title: "Mismatches", body: `<div class="table" tabindex="0" role="region" aria-label="Mismatches"><table>
<thead>
<tr>
<th>Mismatch
<th>Meaning
<tbody>
<tr>
<td><code>engagement_without_cost</code>
<td>A click or impression has no cost.
<tr>
<td><code>cost_without_engagement</code>
<td>No click or impression has the cost ID.
<tr>
<td><code>wrong_engagement</code>
<td>The click or impression does not fit the cost type.
<tr>
<td><code>differs_from_url</code>
<td>The cost differs from the values on the URL.
<tr>
<td><code>late</code>
<td>The cost came more than ${FACTS["cost window"]} after the click or impression.
<tr>
<td><code>malformed</code>
<td>Parameters are missing or not valid.
<tr>
<td><code>unfilled_macro</code>
<td>The cost ID is a macro that nobody replaced, or a placeholder such as <code>null</code>.
<tr>
<td><code>conflict</code>
<td>The cost ID was sent before with other values. The report names those that differ.
<tr>
<td><code>not_in_round</code>
<td>The round does not test this cost type.
<tr>
<td><code>incomplete</code>
<td>The round is too long or too large to be reported completely.
<tr>
<td><code>duplicate</code>
<td>The cost was sent again. This does not block approval.
</table>
</div>` },
    ],
  },
  rules: {
    title: "Matching rules",
    lead: `These rules decide whether a cost is accepted, what it matches, and how long it is remembered. The result does not depend on the order in which clicks, impressions and costs arrive, except where a call is rejected: a rejection stays.`,
    sections: [
      { title: "Matching", body: `<div class="table" tabindex="0" role="region" aria-label="Matching"><table>
<thead>
<tr>
<th>Question
<th>Answer
<tbody>
<tr>
<td>Which click or impression?
<td>By the cost type: ${FACTS["what fits"]}. Partner and cost ID must be the same.
<tr>
<td>When is it usable?
<td>If cost data was on when it was recorded, and the cost and it are within the <a href="#cost-window">cost window</a>.
<tr>
<td>${FACTS["types with two kinds"]} with both?
<td>The click, if it happened before the impression or at most ${FACTS["cost window"]} after it. Otherwise the impression.
<tr>
<td>Nothing fits yet?
<td>The cost is <code>pending</code> and matches by itself within ${FACTS["cost window"]}, or it lapses. If only a click or impression of the wrong kind has the ID, the response says so: <code>"mismatch": "wrong_engagement"</code>.
<tr>
<td>Something fits, but nothing is usable?
<td><code>403 cost_data_disabled</code> if cost data was off for one within ${FACTS["cost window"]}, otherwise <code>400 window_closed</code>. With ${FACTS["types with two kinds"]}, if that one is an impression and there is no click within ${FACTS["cost window"]}, the cost is <code>pending</code> with <code>"mismatch": "cost_data_disabled"</code>: its click may still arrive.
<tr>
<td>Which day counts?
<td>The day of the click or impression, in UTC.
</table>
</div>
<p>An amount of ${FACTS["types per mille"]} is the price of 1,000 impressions: each impression counts a thousandth of it, exactly. Currencies are never converted or added together.` },
      { title: "Cost window", body: `<p>A cost and its click or impression can be at most ${FACTS["cost window"]} apart, whichever comes first. Exactly ${FACTS["cost window"]} is inside. The window is the same for every app, partner and cost type. It is a constant of the code, which <a href="/docs/operators#change-the-cost-window">a developer can change</a>.` },
      { title: "Duplicates: the same ID again", body: `<div class="table" tabindex="0" role="region" aria-label="Duplicates: the same ID again"><table>
<thead>
<tr>
<th>Second call
<th>Response
<tbody>
<tr>
<td>Same type and currency, same or no amount
<td><code>200</code> with <code>"duplicate": true</code>. Nothing is written. The <code>tag</code> does not matter.
<tr>
<td>Adds the amount that the first call did not have
<td>Accepted once, while the matched click or impression is at most ${FACTS["cost window"]} old. The arrival of the first call still counts.
<tr>
<td>Other values
<td><code>400 cost_id_conflict</code>; <code>errors</code> names each parameter that differs. To correct the cost, void it and send it again. A cost that lapsed or was voided is replaced.
</table>
</div>` },
      { title: "Prices on URLs", body: `<p>A click or impression whose URL has <code>cost_type</code>, <code>cost_currency</code> and <code>cost_amount</code> is a cost by itself. Anyone can open a public URL, so the price counts only if all of this is true when the click or impression is recorded:
<ul>
<li>Cost data is on for the link.
<li>The type fits, and the partner has integrated it.
<li>The partner's cost parameters name <code>cost_amount</code>.
<li>The amount is at most the partner's highest price on a URL, which is 100 unless an operator sets another.
<li>The currency is the one in the partner's cost parameters, unless they have a macro or nothing there.
<li>The prices of the day are within the <a href="/docs/url-prices#limit-the-sum-of-a-day">partner's limit</a>, if an operator has set one. Above it, the price is held.
</ul>
<p>A price that does not count because of its type, its currency or its amount is dropped as <code>not_integrated</code>, <code>not_agreed</code> or <code>too_high</code>. Without a <code>cost_id</code> on the URL, it gets an ID that starts with <code>url-</code>.
<p>A <code>cost_id</code> that is on the URL and cannot be used, because it is empty, not valid, given twice or an unfilled macro, drops the price too: each parameter of the price is counted as <code>cost_id_dropped</code>.
<p>The price counts until a call with its ID matches. With two prices on one ID, the click's counts if it happened before the impression or at most ${FACTS["cost window"]} after it, otherwise the impression's. A call without an amount takes the price of the matched click or impression, or else of the other one, if type and currency agree. Without such a price, the cost is unpriced.` },
      { title: "Why a parameter is dropped", body: `<p>Parameters that cannot be used never make a click fail. They are dropped, and counted by day and reason on the link that records the click: the sub-link that the URL names or creates, else the link that was opened. The page of that link shows them, and the API lists them. With <code>s2s=1</code> the response names them in <code>dropped</code>.
${FACTS["table of drop reasons"]}` },
      { title: "Where a click leads", body: `<p>A click leads to the first of these targets that exists for its device:
${FACTS["table of targets"]}
<p>A link can have a target of its own, which the links below it inherit: set it on the link's settings page, with <code>target</code> in the API, or in a file. An empty text in the API, and <code>none</code> in a file, lead to the URLs of the app even if a link above has a target. A click follows the target of the link that it opened, not that of a sub-link that its URL names. Clicks everywhere usually follow a changed target within a minute. At most 1,000 links of an app have a target of their own, with up to 1,000 characters each.
<p>A target whose scheme or host the app does not allow is skipped, and the link counts it with the reason <code>not_allowed</code>: an operator adds the host to <code>redirect_hosts</code>, or the scheme to <code>redirect_schemes</code>, if it should lead there. <code>fallback</code> comes after the store, so it serves devices without one. An app on an iPad is recognized as an iPad, but Safari on an iPad that requests desktop pages looks like a Mac.` },
      { title: "Parameters that are passed on", body: `<p>The URLs of an app, and the targets of links, can have placeholders, which each click fills in, for example to measure installs elsewhere:
<pre data-language="text">https://play.google.com/store/apps/details?id=com.example.shop&amp;referrer=cost_id%3D{{cost_id}}%26campaign%3D{{campaign}}
https://shop.example.com/start?campaign={campaign}&amp;gclid={gclid}</pre>
<div class="table" tabindex="0" role="region" aria-label="Parameters that are passed on"><table>
<thead>
<tr>
<th>Placeholder
<th>Value
<tbody>
<tr>
<td><code>{campaign}</code>, <code>{cost_id}</code>, <code>{gclid}</code>, or the name of any other parameter
<td>The parameter of the click's URL, without white space at its ends
<tr>
<td><code>{link_token}</code>
<td>The token of the link that was opened
<tr>
<td><code>{platform}</code>, <code>{country}</code>
<td>As the click is counted: <code>ios</code>, <code>android</code>, <code>windows</code>, <code>macos</code>, <code>linux</code> or <code>other</code>, and the code of the country if it is known
<tr>
<td><code>{{campaign}}</code>
<td>The value for a value inside a value: encoded twice. Write <code>referrer=</code> of Google Play with it
</table>
</div>
<p>Values are percent-encoded, so they can change neither the host nor another parameter. A value is empty if the parameter is missing, given twice with different values, not UTF-8, an unfilled macro, longer than 512 characters, or a <code>.</code> or <code>..</code>. All are empty if the URL would have more than 8,192 characters. A placeholder cannot be in the scheme, host or port. A target that the URL of the click names is followed unchanged.` },
      { title: "Voids", body: `<p>A void removes the cost of an ID, or the price on its URL, from the totals. The same values never bring it back; a call with other values counts in its place. After a void, only a call can count for the ID.` },
      { title: "What is remembered", body: `<p>Everything with the same ID is forgotten together, when more than ${FACTS["retention time"]} have passed since its newest click or impression, and since the arrival of a cost that matches none. From then on the ID is new. The hourly purge deletes the rows some time later; that changes nothing that you can see. A click or impression that a queue delivers more than ${FACTS["retention time"]} after it happened is not recorded; its link counts it as dropped, with the reason <code>too_old</code>. The daily totals stay, and <a href="/docs/archive">an archive</a> can keep the rows.` },
    ],
  },
  runbook: {
    title: "Runbook",
    lead: `Common questions and incidents, each with its page or its command.`,
    sections: [
      { title: "Questions of the first month", body: `<div class="table" tabindex="0" role="region" aria-label="Questions of the first month"><table>
<thead>
<tr>
<th>Question
<th>Where the answer is
<tbody>
<tr>
<td>Why was this cost rejected?
<td><strong>Rejected costs</strong> on the page of the partner. For one ID, <strong>Costs</strong> of the partner, or the <a href="#find-out-about-one-cost">command below</a>
<tr>
<td>From which partner comes no cost?
<td><strong>Overview</strong> and the page of the partner have the hour of its last cost and click; in the API, <code>last_cost_at</code> and <code>last_click_at</code> of <code>GET /operator/v1/partners/{id}</code>
<tr>
<td>Does the purge run?
<td>The check <code>cron</code> of <a href="/docs/watch#what-to-poll"><code>/readyz</code></a>, and <strong>Health</strong> on <strong>Overview</strong>
<tr>
<td>How full is the database?
<td><a href="/docs/watch#how-full-a-database-is">Watch the service</a>
<tr>
<td>What does it cost this month?
<td><a href="/docs/watch#what-a-month-costs">Watch the service</a>
<tr>
<td>Can you bring a link back?
<td>Links are archived, never deleted: the settings of the link have <strong>Restore link</strong>, and its <strong>History</strong> has the old values
<tr>
<td>Somebody leaves. What access do they still have?
<td><a href="/docs/operators#respond-to-incidents">Disable or erase the user</a>, which ends sessions and all tokens
<tr>
<td>A partner's credential leaked
<td><a href="/docs/operators#issue-and-revoke-credentials">Revoke it</a> and issue a new one. The log has every request with it by <code>credential_id</code>. Void what is wrong
<tr>
<td>A template was wrong for a week
<td>The <a href="/docs/operators#read-the-audit-log">audit log</a> of the partner has the old template and when it changed. <strong>Spend</strong> in the console, with the partner and these days, has the sum in question by app. <a href="/docs/corrections">Correct what it counted</a> with voids and adjustments
<tr>
<td>How do we move to another account?
<td><a href="#move-to-another-account">Below</a>
<tr>
<td>Somebody asks for their data
<td><a href="/docs/privacy">Privacy</a>: no person can be found in what is stored, except users and what partners put into cost IDs
<tr>
<td>Where is the log, and how long is it kept?
<td><a href="/docs/watch#where-the-log-is">Watch the service</a>
<tr>
<td>A campaign with ten times the clicks begins on Monday
<td><a href="#before-a-peak">Before a peak</a>
<tr>
<td>How do we upgrade, and go back?
<td><a href="#upgrade-and-roll-back">Below</a>
<tr>
<td>The database is overloaded
<td><a href="#the-database-is-overloaded">Below</a>
</table>
</div>` },
      { title: "Find out about one cost", body: `<p>With the API token of an operator:
<pre data-language="sh">BASE_URL=https://links.example.com
OPERATOR_TOKEN=ll_api_…</pre>
<pre data-language="console"><kbd>operator() { curl -s -H "Authorization: Token token=$OPERATOR_TOKEN" "$BASE_URL/operator/v1/$1"; }</kbd>
<kbd>operator partners/1/costs/demo-click-expired-001 | grep -oE '"(code|match|kind|mismatch|reason)":"[^"]*"'</kbd>
<samp>"code":"not_found"</samp></pre>
<p>A cost that was never accepted gets a <code>404</code> that says what was rejected and which parameters were wrong, which click or impression has the ID, and what a cost for it would get now. The partner's <code>X-Request-Id</code> finds the request in the log.` },
      { title: "Upgrade and roll back", body: `<p>Get the new source, read what an upgrade must do in its <code>.github/CHANGELOG.md</code>, and run:
<pre data-language="sh">npm ci
npm run deploy</pre>
<p>The migrations run before the new code, and the old code works with them. To go back to the previous version:
<pre data-language="sh">npx wrangler rollback</pre>
<p>This restores the code, variables and bindings of that version, but no data. A setting that you have changed since then has its old value again until the next deployment. To restore data too, <a href="/docs/operators#restore-the-database">restore the database</a>.` },
      { title: "The database is overloaded", body: `<p><strong>What you see:</strong> <code>503</code> <code>unavailable</code> with <code>Retry-After: 5</code>, errors with "overloaded" in the log, and pages that do not respond. Clicks redirect as usual, but are not recorded, and <code>lost_engagements</code> in the log says how many. Nothing that was answered with <code>200</code> is lost.
<ol>
<li><p>Find out who sends the most: count the log by <code>partner_id</code> and <code>route</code>.

<li><p>Ask that partner to send <a href="/docs/partners#batches-and-csv-files">batches</a> of up to 1,000 costs instead of single ones, which take much more of the database. If it must stop immediately, <a href="/docs/operators#stop-a-partner">stop the partner</a>; its costs are rejected and can be sent again later.

<li><p>Do not read reports of many days until it is over.

<li><p>If clicks are lost, put a queue before them, which keeps them until the database responds:
<pre data-language="sh">npx wrangler queues create linkledger-engagements
npx wrangler queues create linkledger-engagements-dead-letter</pre>
<p>Uncomment the two queue sections of <code>wrangler.toml</code>, and run <code>npm run deploy</code>.

</ol>
<p>Afterwards, partners resend what got <code>503</code>: the same cost with the same ID is stored once.` },
      { title: "Before a peak", body: `<p>One database takes about 500 clicks a second from the whole world, and more if they come from few places. Above that, put a queue before the clicks, as under <a href="#the-database-is-overloaded">The database is overloaded</a>.
<p>To try it, deploy a copy with databases of its own, so that the test does not change real figures:
<pre data-language="sh">npm run deploy -- --env peak
npm run operator:create -- --remote --env peak you@example.com</pre>
<p>Create an app, a link and a partner there, and send what you expect, at least twice. A test from one address reaches the limits of an address first: 60,000 clicks with <code>s2s=1</code> and 30,000 requests of a credential a minute. For the test, raise <code>SERVER_ENGAGEMENTS</code> and <code>CREDENTIAL_REQUESTS</code> in <code>wrangler.toml</code>, and lower them again afterwards. Look at <code>/readyz</code>, the errors and the 95th percentile in the log, and <code>npx wrangler d1 info DB --env peak</code>. At the end, delete everything:
<pre data-language="sh">npx wrangler delete --env peak --force
npx wrangler d1 delete DB --env peak --skip-confirmation</pre>
<p>The two KV namespaces whose names begin with <code>linkledger-peak</code> are left; delete them in the dashboard.` },
      { title: "Move to another account", body: `<p>The databases have everything. Workers KV is only a cache, which fills itself again. What arrives at the old service after the export is not in the new one, so begin in a quiet hour, and remove the domain from the old service first. Until you finish, links do not work, and partners resend what got no response.
<ol>
<li><p>Export the database (with shards, each of them), and put the statements in an order in which they can be imported:
<pre data-language="sh">npx wrangler d1 export DB --remote --output linkledger.sql
npm run export:order -- linkledger.sql</pre>

<li><p>Sign in to the new account, create the databases in the same place (<code>--jurisdiction eu</code>, if they were there), and import each file:
<pre data-language="sh">npx wrangler d1 create linkledger-db
npx wrangler d1 execute DB --remote --yes --file linkledger.sql</pre>

<li><p>Set the secret of single sign-on, if you use it, create the queues and the bucket, and copy the objects of the bucket. Run <code>npm run deploy</code> with the same flags as before.

<li><p>Open <code>/readyz</code>, sign in, and compare the spend of yesterday in both. Then move the domain.

</ol>
<p>API tokens, credentials, links and passwords are the same. D1 takes minutes to export or import a large database, and limits the size of a file; try it with a copy first.` },
      { title: "Move partners to a ledger with shards", body: `<p>The number of databases of a ledger is chosen once. If a ledger outgrows its database, deploy a second ledger beside it, from a second copy of the source in which <code>wrangler.toml</code> has another <code>name</code>:
<pre data-language="sh">npm run deploy -- --shards 32</pre>
<p>Create the app, the partner and its links there, and let it send its costs and clicks to the new address. Costs of clicks that the first ledger recorded go to the first one, for ${FACTS["cost window"]}. Reports of the days before stay there.` },
    ],
  },
  "single-sign-on": {
    title: "Single sign-on",
    lead: `Let people sign in with their company account: one provider, by OpenID Connect.`,
    sections: [
      { title: "Set it up", body: `<ol>
<li><p>Register linkledger as a web application at the provider, as below, with the redirect URI <code>https://links.example.com/login/sso/callback</code>. Use your own origin.

<li><p>Set these in the <code>[vars]</code> of <code>wrangler.toml</code>:
<div class="table" tabindex="0" role="region" aria-label="Set it up"><table>
<thead>
<tr>
<th>Setting
<th>Value
<tbody>
<tr>
<td><code>ORIGIN</code>
<td>the origin of the pages, such as <code>https://links.example.com</code>
<tr>
<td><code>OIDC_ISSUER</code>
<td>the issuer of the provider
<tr>
<td><code>OIDC_CLIENT_ID</code>
<td>the client ID from the provider
<tr>
<td><code>OIDC_NAME</code>
<td>the text of the link on the sign-in page, such as <code>Acme login</code>; optional
</table>
</div>

<li><p>Run <code>npm run deploy</code>, then <code>npx wrangler secret put OIDC_CLIENT_SECRET</code>, and enter the client secret. Until then, <code>/readyz</code> says that it is missing, and everything else works.

<li><p>Open <code>/readyz</code>: <code>single_sign_on</code> names every setting that is missing or wrong.

<li><p>Create the users with the sign-in method single sign-on (<code>"sign_in": "sso"</code>), with the email addresses that they have at the provider. They choose the link on the sign-in page. A link to linkledger on a page of the provider leads to the sign-in page too, because no other site can sign a browser in.

</ol>
<p>Without these settings, neither the link nor its pages exist. Only this provider is used, and pages of linkledger never ask for its password.` },
      { title: "Who is linked to whom", body: `<p>A user is linked to a person at the provider by the issuer and the subject, which never change. A subject has 1 to 255 visible ASCII characters. The first sign-in links a member if the provider says that the email address is verified (<code>email_verified</code> is <code>true</code>), the user has this address and single sign-on, and the user is not linked yet. The address is compared as the provider sends it: only the letters A to Z can differ in case, and an address that is not ASCII never matches. From then on, the addresses in linkledger and at the provider can differ.
<p>Nobody else is signed in. If a single sign-on user has the address, such attempts are listed on the user's page in the console for a week, and you link the right one there. Each has a code of six characters, which the person sees too: ask for it by phone or in person, and link only the row with this code. The last five with a verified address and the last five for which the provider does not say are kept. People whose address is not verified (<code>email_verified</code> is <code>false</code>) are not listed. You link in this way:
<ul>
<li>operators, always
<li>users of providers that do not send <code>email_verified</code>, such as Microsoft Entra by default
<li>a person who was deleted and created again at the provider: unlink the user first
</ul>
<p>The link ends when the user gets another email address, becomes an operator, or gets a password. It also ends the sessions.
<p>A user with a password is never linked. If you reset the password of a single sign-on user, they sign in with that password from then on, and the link is deleted.` },
      { title: "Confirm with a new sign-in", body: `<p>Where others enter their password, these users sign in at the provider again, and can continue for 10 minutes. The provider must say when they did that, in the claim <code>auth_time</code>: in the last 5 minutes, and after linkledger asked for it. It must be the same person. If the provider does not send <code>auth_time</code>, they cannot confirm; the page says so. Then somebody with a password must do it: an operator issues API tokens, for example.
<p><code>OPERATOR_MFA</code> does not apply to them: require a second factor at the provider. If the provider says how they signed in (<code>amr</code>) and it was only a password, the console returns <code>403</code>, unless <code>OPERATOR_MFA</code> is <code>optional</code>. They sign in again with a second factor.` },
      { title: "When people leave", body: `<p>A session here lasts up to 12 hours, even if the account at the provider was disabled in the meantime. So disable the user here too: sessions, the API token and the access tokens end immediately. Signing out here does not sign out at the provider; the page says so.
<p>While the provider does not respond, its users cannot sign in, and the sign-in page says so with status 503. Sessions and tokens keep working, and so do passwords: keep an operator who has one.` },
      { title: "Providers", body: `<p>These steps come from the providers' documentation and were not tried here. Names of pages can change.
<h3 id="google-workspace">Google Workspace</h3>
<ol>
<li>In the Google Cloud console, create a project of your organization, and open <strong>Google Auth Platform</strong>.
<li>Set the audience to <strong>Internal</strong>, so that only accounts of your organization can sign in.
<li>Under <strong>Clients</strong>, create a client of the type <strong>Web application</strong>.
<li>Add the redirect URI, and copy the client ID and the client secret.
<li>Set <code>OIDC_ISSUER = "https://accounts.google.com"</code>. Google sends <code>email_verified</code>, but no <code>auth_time</code> unless that is turned on for the client, so test a confirmation.
</ol>
<h3 id="microsoft-entra">Microsoft Entra</h3>
<ol>
<li>In the Entra admin center, open <strong>App registrations</strong> and choose <strong>New registration</strong>, for accounts in this organizational directory only.
<li>Add the redirect URI for the platform <strong>Web</strong>.
<li>Under <strong>Certificates &amp; secrets</strong>, create a client secret, and note when it expires.
<li>Under <strong>Token configuration</strong>, add the optional claims <code>email</code> and <code>auth_time</code> to the ID token. Entra sends no <code>email_verified</code>, so you link each user in the console.
<li>Set <code>OIDC_ISSUER = "https://login.microsoftonline.com/TENANT/v2.0"</code> with the ID of your tenant, and <code>OIDC_CLIENT_ID</code> to the application ID. The issuers <code>common</code> and <code>organizations</code> do not work.
</ol>
<h3 id="okta">Okta</h3>
<ol>
<li>In the admin console, open <strong>Applications</strong> and choose <strong>Create App Integration</strong>.
<li>Choose <strong>OIDC - OpenID Connect</strong> and <strong>Web Application</strong>, with the grant type <strong>Authorization Code</strong>.
<li>Add the redirect URI as the sign-in redirect URI.
<li>Assign the people or groups who may sign in, and copy the client ID and the client secret.
<li>Set <code>OIDC_ISSUER = "https://COMPANY.okta.com"</code>, or the issuer of your authorization server. The ID token must have the claims <code>email</code> and <code>email_verified</code>.
</ol>
<h3 id="keycloak">Keycloak</h3>
<ol>
<li>In the admin console, choose your realm, then <strong>Clients</strong> and <strong>Create client</strong>, with the type OpenID Connect.
<li>Turn on <strong>Client authentication</strong> and <strong>Standard flow</strong>, and turn off the other flows.
<li>Add the redirect URI under <strong>Valid redirect URIs</strong>, without a wildcard.
<li>Copy the secret from the tab <strong>Credentials</strong>. For more security, set PKCE to <code>S256</code> under <strong>Advanced</strong>.
<li>Set <code>OIDC_ISSUER = "https://KEYCLOAK/realms/REALM"</code>. <code>email_verified</code> is the switch <strong>Email verified</strong> of each user.
</ol>` },
    ],
  },
  troubleshooting: {
    title: "Troubleshooting",
    lead: `Find the symptom, then the cause and what to do. Every error code is on the <a href="/docs/errors">Errors</a> page.`,
    sections: [
      { title: "A cost stays pending", body: `<p><code>GET /cost/{cost_id}</code> returns <code>mismatch</code>. If it is not null, a click or impression has the ID but cannot take the cost:
<div class="table" tabindex="0" role="region" aria-label="A cost stays pending"><table>
<thead>
<tr>
<th><code>mismatch</code>
<th>Cause
<tbody>
<tr>
<td><code>wrong_engagement</code>
<td>Only a click or impression arrived that does not fit the cost type: ${FACTS["what fits"]}.
<tr>
<td><code>cost_data_disabled</code>
<td>Cost data was off for the link at that time. With ${FACTS["types with two kinds"]}, a click that arrives later, with cost data on, still matches.
<tr>
<td><code>window_closed</code>
<td>Cost and click are more than ${FACTS["cost window"]} apart.
</table>
</div>
<p>If it is null, no click or impression arrived with this ID. Check that:
<ul>
<li>the URL had the same <code>cost_id</code>, with the same uppercase and lowercase letters, and no unfilled macro
<li>the link is attached to this partner
<li>a person, an app or a server opened it: crawlers and link previews are not recorded. The page of the link counts them under "Dropped URL parameters", as <code>engagement</code> with the reason "A bot opened the link"
</ul>
<p>In a round, the report at <code>/partner</code> says why.` },
      { title: "A cost or cost ID is rejected", body: `<p>To see what was rejected, open <strong>Costs</strong> at <code>/partner</code> and choose the state "Rejected", or send <code>GET /cost?match=rejected</code>: the newest ones with ID, reason, tag and time, for ${FACTS["rejection time"]}. For one ID, <code>GET /cost/{cost_id}</code> returns <code>404</code> with its rejections, the click or impression that has it, and what a cost for it would get now. Operators find the same on the page of the partner, and members those for clicks and impressions of their app.
<div class="table" tabindex="0" role="region" aria-label="A cost or cost ID is rejected"><table>
<thead>
<tr>
<th>Symptom
<th>What to do
<tbody>
<tr>
<td>403 <code>cost_data_disabled</code>
<td>Turn cost data on for the link (<code>PATCH</code> with <code>"cost_data_enabled": true</code>). It applies to later clicks.
<tr>
<td>403 <code>cost_type_not_integrated</code>
<td>The partner has not integrated the type, or its credential does not include it. Run an <a href="/docs/rounds">integration round</a>.
<tr>
<td>403 <code>test_credential</code>
<td>The round is closed, or the call was a void: a test cost never counts, so there is nothing to void.
<tr>
<td>400 <code>cost_id_conflict</code>
<td>The ID was sent before with other values, which <code>errors</code> names. To correct them, <a href="/docs/corrections">void the cost</a> and send it again. For another click or impression, use another ID.
<tr>
<td><code>lapsed</code>
<td>The cost waited ${FACTS["cost window"]}. Send it again to wait another ${FACTS["cost window"]}.
</table>
</div>` },
      { title: "A token or sign-in does not work", body: `<div class="table" tabindex="0" role="region" aria-label="A token or sign-in does not work"><table>
<thead>
<tr>
<th>Symptom
<th>What to do
<tbody>
<tr>
<td>401 with a token that worked before
<td>It was reset. The new token is on the account page.
<tr>
<td>404 for an app that exists
<td>You are not a member of it. Ask an operator to add you.
<tr>
<td>403 <code>operator_required</code> for an operator's token
<td>It was issued when its user was a member. Reset it.
<tr>
<td>403 <code>https_required</code>
<td>Use https. The token was sent unencrypted: reset it.
<tr>
<td>403 <code>insufficient_scope</code>
<td>The access token is only for reading, or for another app. <a href="/docs/members#give-each-program-its-own-token">Create another one</a>.
<tr>
<td>429 when you sign in
<td>Wait a minute.
<tr>
<td>You forgot your password
<td>Ask an operator for a temporary password, which also turns two-factor authentication off.
<tr>
<td>You lost your second factor
<td>Ask an operator to turn off two-factor authentication on your page in the console. Your password stays.
<tr>
<td>Single sign-on signs nobody in
<td>The page says why. The operator finds the <code>reason</code> in the <a href="/docs/watch#where-the-log-is">log</a>, and people to link on the <a href="/docs/single-sign-on#who-is-linked-to-whom">user's page</a>.
</table>
</div>` },
      { title: "A link does not behave as expected", body: `<div class="table" tabindex="0" role="region" aria-label="A link does not behave as expected"><table>
<thead>
<tr>
<th>Symptom
<th>What to do
<tbody>
<tr>
<td><code>partner_id</code> is rejected in a create request
<td>Create the link, then attach the partner with <code>PATCH</code>.
<tr>
<td>A click opens the default page
<td>Add the host and the scheme of the target to the app.
<tr>
<td>The cost data setting of a sub-link is not that of the link above it
<td>It has a setting of its own, which <code>own</code> shows. Send <code>"cost_data_enabled": null</code> to make it inherit again.
<tr>
<td><code>click_url</code> fails in curl
<td>It has macros such as <code>{click_id}</code>. Use <code>url</code> and add your own parameters.
</table>
</div>` },
      { title: "A report or a page is not as expected", body: `<div class="table" tabindex="0" role="region" aria-label="A report or a page is not as expected"><table>
<thead>
<tr>
<th>Symptom
<th>What to do
<tbody>
<tr>
<td>A click of today is missing
<td>Pages and the performance report end with yesterday. Choose <strong>Today so far</strong>, or set <code>from</code> and <code>to</code>. Days are in UTC.
<tr>
<td>Spend is missing
<td>A cost counts on the day of its click or impression, after it has matched. Look for <a href="#a-cost-stays-pending">pending costs</a>, and at <strong>Needs attention</strong> of the app.
<tr>
<td>400 <code>report_too_large</code>
<td>Ask for fewer days. The response says how many fit.
<tr>
<td>400 for a report by country
<td>It covers at most 31 days, or 93 days of one link.
</table>
</div>` },
      { title: "The Worker does not start or is not ready", body: `<div class="table" tabindex="0" role="region" aria-label="The Worker does not start or is not ready"><table>
<thead>
<tr>
<th>Symptom
<th>What to do
<tbody>
<tr>
<td>503 <code>not_migrated</code>
<td>Run <code>npx wrangler d1 migrations apply DB --local</code>, or <code>--remote</code>. <code>npm start</code> and <code>npm run deploy</code> do this for you.
<tr>
<td>503 <code>not_configured</code>
<td><code>/readyz</code> names the binding that is missing or wrong. Correct <code>wrangler.toml</code>, and deploy again.
<tr>
<td><code>EBADENGINE</code> on install
<td>Ignore it. The scripts run on the Node 24 that comes with the install.
<tr>
<td>Port 8787 is in use
<td><code>npm start -- --port 9000</code>
<tr>
<td>npm did not pass on <code>--port</code>
<td>Write <code>--</code> before the flags: <code>npm start -- --port 9000</code>.
<tr>
<td><code>linkledger is already running</code>
<td>Another <code>npm start</code> uses the same data. Stop it, or start with other data: <code>npm start -- --port 9000 --persist-to DIR</code>.
<tr>
<td><code>You are not signed in to Cloudflare</code>
<td>Run <code>npx wrangler login</code>, or set <code>CLOUDFLARE_API_TOKEN</code>.
<tr>
<td>Requests hang in development
<td>The source has a syntax error. wrangler waits until the build works again.
<tr>
<td><code>/readyz</code> returns 503
<td>Its <code>checks</code> say which part is not ready and why, and <a href="/docs/watch#what-to-poll">Watch the service</a> what to do.
</table>
</div>` },
    ],
  },
  typescript: {
    title: "TypeScript client",
    lead: `Generate the types of every request and response from the OpenAPI document, and call the API with them.`,
    sections: [
      { title: "Set up", body: `<pre data-language="sh">npx openapi-typescript@7 https://links.example.com/openapi.json -o linkledger.d.ts
npm install openapi-fetch</pre>
<p>The first line writes the types. <code>npx</code> downloads openapi-typescript with the version of TypeScript that it needs, so your project can have another version. Run the line again after an update of linkledger. The second line installs a client of 6 KB that uses <code>fetch</code>.` },
      { title: "Call the API", body: `<p>This program creates a link with a partner and a sub-link below it, records a click, and sends its cost:
<pre data-language="ts">import createClient from "openapi-fetch";
import type { components, paths } from "./linkledger.d.ts";

const { BASE_URL = "", APP_TOKEN = "", API_TOKEN = "", COST_TOKEN = "" } = process.env;
const clientFor = (token: string) =&gt;
  createClient&lt;paths&gt;({ baseUrl: BASE_URL, headers: { Authorization: \`Token token=\${token}\` } });
const member = clientFor(API_TOKEN);
const partner = clientFor(COST_TOKEN);

/** Returns the data, or throws the problem document as an error. */
function dataOf&lt;T&gt;({ data, error }: { data?: T; error?: components["schemas"]["Problem"] }): T {
  if (data === undefined) throw new Error(\`\${error?.code}: \${error?.detail}\`);
  return data;
}

const partners = dataOf(await member.GET("/public/v1/partners"));
const acme = partners.data.items.find((item) =&gt; item.supports_cost_data);
if (!acme) throw new Error("No partner supports cost data.");

const createLink = async (body: { name: string; parent_token?: string }) =&gt; {
  const created = dataOf(
    await member.POST("/public/v1/apps/{app_token}/trackers", {
      params: { path: { app_token: APP_TOKEN }, header: { "Idempotency-Key": crypto.randomUUID() } },
      body,
    }),
  );
  return created.data.items[0]?.token ?? "";
};

const path = { app_token: APP_TOKEN, link_token: await createLink({ name: "Acme" }) };
dataOf(
  await member.PATCH("/public/v1/apps/{app_token}/trackers/{link_token}", {
    params: { path },
    body: { partner_id: acme.id, cost_data_enabled: true },
  }),
);

await createLink({ name: "Summer", parent_token: path.link_token });
const children = dataOf(
  await member.GET("/public/v1/apps/{app_token}/trackers/{link_token}/children", { params: { path } }),
);
const [link] = children.data.items;
if (!link) throw new Error("The sub-link was not created.");

const costId = \`acme-\${crypto.randomUUID()}\`;
dataOf(
  await member.GET("/{link_token}", {
    params: { path: { link_token: link.token }, query: { cost_id: costId, s2s: "1" } },
  }),
);

const cost = dataOf(
  await partner.POST("/cost", {
    params: {
      query: { cost_id: costId, cost_type: "cpc", cost_currency: "USD", cost_amount: "0.25", tag: "summer" },
    },
  }),
);
console.log(link.name, cost.match, cost.amount);</pre>
<p>It prints <code>Acme::Summer matched 0.25</code>. The paths, parameters and bodies are checked when the program is compiled, and <code>data</code> has the type of the response.` },
      { title: "Handle errors", body: `<p><code>error</code> is a <a href="/docs/errors">problem document</a>: compare its <code>code</code>, and show its <code>detail</code> and <code>errors</code> to people. Retry 408, 429, 500 and 503 with the same request.` },
    ],
  },
  "url-prices": {
    title: "Limit prices on URLs",
    lead: `Keep prices that strangers write on public URLs out of a partner's spend.`,
    sections: [
      { title: "Limit one price", body: `<p>Anyone can open a public URL, so a price on a URL counts only if the partner's cost parameters name <code>cost_amount</code> and the price is at most <code>max_url_amount</code>, which is 100 for a new partner:
<pre data-language="console"><kbd>operator() { curl -s -H "Authorization: Token token=$OPERATOR_TOKEN" \\
    -H 'Content-Type: application/json' "$BASE_URL/operator/v1/$1" "\${@:2}"; }</kbd>
<kbd>operator partners/1 -X PATCH -d '{"max_url_amount": "25"}' | grep -o '"max_url_amount":"[0-9]*"'</kbd>
<samp>"max_url_amount":"25"</samp></pre>
<p>Write the currency into the cost parameters too, for example <code>cost_currency=USD</code>: then prices in other currencies do not count, and the link counts them as dropped. With a macro in its place, any currency counts. A code that is not ISO 4217 is rejected.
<p>Partners that were created when the limit was 10,000 keep theirs. <strong>Partners</strong> in the console lists those with more than 100: choose the state "Prices on URLs above 100".` },
      { title: "Limit the sum of a day", body: `<p><code>max_url_spend</code> limits the sum of a partner's prices on URLs in one app, currency and UTC day; null means no limit. Set it for every partner whose cost parameters name <code>cost_amount</code>: <strong>Partners</strong> in the console lists those without one as "Prices on URLs without a daily limit". If the cost parameters set no currency, the first three currencies of a day can count. With shards, each shard has its part of the limit, which is at least <code>max_url_amount</code>. If the cost parameters name <code>cost_amount</code>, the forms of the console ask for the limit: enter one, or choose no limit.
<p>A price above the limit is held: it is stored, but it does not count and gives no amount to a call. So no price is lost if a stranger uses up the limit.` },
      { title: "Decide held prices", body: `<p><strong>Overview</strong> in the console says which partners have held prices, and <strong>Prices on URLs</strong> on the partner's page decides them, by app and day. Compare the held sum with what the partner invoices or reports for that day. If it agrees, accept the prices and raise the limit; if it does not, drop them. After 1,000 prices, the page shows how many are left and lets you continue.
<p>In the API, <code>GET /operator/v1/partners/{id}/url-prices</code> lists what counted and what is held, and <code>POST</code> accepts or drops the held prices of a day, 1,000 for each request.` },
      { title: "Void the prices of a day", body: `<p>To void the prices that strangers added on a day, use <strong>Void the prices on URLs of a day</strong> under <strong>Prices on URLs</strong> on the partner's page. Begin with those without a <code>cost_id</code>, which strangers add most easily. In the API, send <code>day</code> and <code>app_token</code> instead of <code>cost_id</code> to <code>POST /operator/v1/partners/{id}/voids</code>, and repeat it with <code>next</code> until that is null; then do the same with <code>"generated": false</code> for prices on URLs with a <code>cost_id</code>.` },
    ],
  },
  watch: {
    title: "Watch the service",
    lead: `What to poll, where the log is and what to look for in it, how full the databases are, and what a month costs.`,
    sections: [
      { title: "What to poll", body: `<p>Use a monitoring service that requests <code>/readyz</code> once a minute and notifies somebody after three failures in a row: one slow read of Workers KV can fail a check. <a href="/docs/alerts">Alerts</a> report partners, costs and databases, but not a Worker that is down, so the monitoring must run elsewhere.
<pre data-language="sh">BASE_URL=https://links.example.com</pre>
<pre data-language="console"><kbd>curl -s "$BASE_URL/readyz" | grep -oE '"status":"[a-z ]*"'</kbd>
<samp>"status":"ready"</samp>
<kbd>curl -s "$BASE_URL/readyz" | grep -oE '"(database|cron|limiters)":\\{"ok":[a-z]*'</kbd>
<samp>"database":{"ok":true
"cron":{"ok":true
"limiters":{"ok":true</samp></pre>
<p><code>200</code> is ready, and <code>503</code> is not. Each check that failed has a <code>reason</code>:
<div class="table" tabindex="0" role="region" aria-label="What to poll"><table>
<thead>
<tr>
<th>Check
<th>If it fails
<tbody>
<tr>
<td><code>database</code>
<td>A database does not respond. See <a href="/docs/runbook#the-database-is-overloaded">The database is overloaded</a>. Clicks still redirect
<tr>
<td><code>migrations</code>
<td>Not all migrations ran. Run <code>npm run deploy</code>, or the command in the <code>reason</code>. Until then, requests that need them get <code>503</code> <code>not_migrated</code>
<tr>
<td><code>shards</code>
<td>The <code>LEDGER_</code> bindings do not match what the databases store. Correct <code>wrangler.toml</code> and deploy again. Nothing was written to the wrong database
<tr>
<td><code>cron</code>
<td>The hourly purge has not run for more than three hours. Look for lines with the <code>request_id</code> <code>cron</code> in the log, and at the trigger of the Worker in the Cloudflare dashboard; <code>npm run deploy</code> sets it again. Nothing is lost: what has expired stays, and the databases grow
<tr>
<td><code>archive</code>
<td><a href="/docs/archive#when-the-bucket-fails">The bucket rejects objects</a>. What has expired stays
<tr>
<td><code>tokens</code>, <code>links</code>
<td>Workers KV does not respond. Requests still work, and ask the database instead
<tr>
<td><code>limiters</code>
<td>A rate limiter does not respond. Requests still work, and nothing limits them
<tr>
<td><code>single_sign_on</code>
<td>A setting of <a href="/docs/single-sign-on">single sign-on</a> is wrong. Passwords work
</table>
</div>
<p><code>/healthz</code> returns <code>200</code> while the Worker runs, and checks nothing else. Both are public, so neither shows the version. Every page of the console shows it, and the ID of the deployment as in the Cloudflare dashboard.` },
      { title: "Where the log is", body: `<p>Every request writes one line of JSON to Workers Logs: in the Cloudflare dashboard, choose <strong>Workers &amp; Pages</strong>, the Worker, and <strong>Logs</strong>. Cloudflare keeps the lines as long as your plan says. To see them as they arrive, only the failures, or one request:
<pre data-language="sh">npx wrangler tail
npx wrangler tail --search '"level":"error"'
npx wrangler tail --search REQUEST_ID</pre>
<div class="table" tabindex="0" role="region" aria-label="Where the log is"><table>
<thead>
<tr>
<th>Field
<th>Value
<tbody>
<tr>
<td><code>request_id</code>
<td>the <code>X-Request-Id</code> of the response; <code>cron</code> for the scheduled jobs, and <code>queue</code> with the name of a queue for its batches
<tr>
<td><code>surface</code>, <code>route</code>, <code>method</code>
<td>the interface and the pattern of the path, such as <code>/cost/:cost_id</code>
<tr>
<td><code>status</code>, <code>outcome</code>
<td>the HTTP status, and <code>ok</code> or the error code; for a sign-in also <code>wrong_password</code>, <code>wrong_code</code>, <code>code_required</code>, <code>password_expired</code>, or a value that begins with <code>sso_</code>
<tr>
<td><code>level</code>
<td><code>info</code>, or <code>error</code> from status 500
<tr>
<td><code>milliseconds</code>
<td>from the request to the response
<tr>
<td><code>user_id</code>, <code>partner_id</code>
<td>who sent it, if known
<tr>
<td><code>credential_id</code>
<td>the credential that a partner sent, or is signed in with
<tr>
<td><code>tag</code>
<td>the tag of a cost
<tr>
<td><code>tool</code>
<td>the tool that an <a href="/docs/agents">agent</a> called
<tr>
<td><code>reason</code>
<td>why a single sign-on failed
</table>
</div>
<p>An unexpected error has a second line with <code>error</code>, <code>message</code> and <code>at</code>. The log never contains tokens, passwords, cost IDs or URLs. <code>LOG_SAMPLE</code> sets the share of requests that are logged; responses with status 500 and above are always logged.
<p>Requests share calls to the database, and a line with <code>group</code> says how many. If a call fails, all requests that share it fail, up to 40.` },
      { title: "What to ask the log", body: `<p>In <strong>Observability</strong> of the dashboard, these filters answer the usual questions. Save them, because you will need them in a hurry:
<div class="table" tabindex="0" role="region" aria-label="What to ask the log"><table>
<thead>
<tr>
<th>Question
<th>Filter
<th>Show
<tbody>
<tr>
<td>What fails?
<td><code>level</code> is <code>error</code>
<td>count by <code>outcome</code>
<tr>
<td>How many clicks were lost?
<td><code>lost_engagements</code> exists
<td>sum of <code>lost_engagements</code>
<tr>
<td>What happened to this request?
<td><code>request_id</code> is the <code>X-Request-Id</code>
<td>the lines
<tr>
<td>Whose costs are rejected?
<td><code>surface</code> is <code>cost</code>, <code>status</code> is 400 or more
<td>count by <code>partner_id</code> and <code>outcome</code>
<tr>
<td>What happened to this cost?
<td><code>tag</code> is its tag
<td>the lines
<tr>
<td>What is slow?
<td><code>surface</code> exists
<td>95th percentile of <code>milliseconds</code> by <code>route</code>
<tr>
<td>Do the scheduled jobs fail?
<td><code>request_id</code> is <code>cron</code>
<td>the lines; if there are none, they work
</table>
</div>
<p><code>lost_engagements</code> counts clicks and impressions that were not recorded: in a line of its own because 1,000 statements waited, or because a request was ended; in the line of an error because its call failed; and in that of a queue because messages came too late. If a call was committed but its response was lost, the field counts its clicks too, although they were recorded.` },
      { title: "How full a database is", body: `<p>A database can hold 10 GB. <code>/readyz</code> shows the size of each, and so does <strong>Health</strong> on the operators' <strong>Overview</strong>:
<pre data-language="console"><kbd>curl -s "$BASE_URL/readyz" | grep -oE '"databases":\\[\\{"name":"[A-Z0-9_]*","size_bytes":'</kbd>
<samp>"databases":[{"name":"DB","size_bytes":</samp></pre>
<p>From 7 GB on, <strong>Overview</strong> lists it under <strong>Waiting for you</strong>. A database grows with the costs, and the clicks and impressions with a cost ID, of the last ${FACTS["retention time"]}, ${FACTS["bytes of row"]} bytes each. So once the size has stopped growing, it stays the same. If it still grows:
<ol>
<li>See which partners send the most: <strong>Spend</strong> in the console, or the log by <code>partner_id</code>. Clicks with an ID for which no cost ever comes take the same space: a partner without cost data needs no <code>cost_id</code> in its URLs.
<li>A ledger cannot be spread over more databases later. <a href="/docs/runbook#move-partners-to-a-ledger-with-shards">Deploy a second one</a> with shards, and move partners to it. The first one shrinks within ${FACTS["retention time"]}.
</ol>` },
      { title: "What a month costs", body: `<p>Nearly all of the bill is for rows written, at $1 a million, beyond what the plan includes. This prints the size of a database, and the rows that were read and written in the last 24 hours:
<pre data-language="sh">npx wrangler d1 info DB</pre>
<p>Multiply the written rows by 30: 400,000 a day are 12 million a month, about $12. With shards, add up the databases (<code>npx wrangler d1 info LEDGER_0</code>, and so on). <code>migrations/README.md</code> of the source has the rows and the price of each kind of request, under "How much one database carries".
<p><strong>Spend</strong> in the console has the matched costs of all apps in any period. No page adds up the clicks of all apps: those of one app are on its <strong>Overview</strong>, and the bill follows the written rows, which have all of them.` },
    ],
  },
  webhooks: {
    title: "Webhooks",
    lead: `Send alerts and other events to a program or a chat.`,
    sections: [
      { title: "Set up", body: `<p>An operator sets the secret <code>WEBHOOK_KEY</code>, which seals the secrets of webhooks in the database. It has 32 to 256 visible ASCII characters:
<pre data-language="sh">npx wrangler secret put WEBHOOK_KEY</pre>
<p>Keep it: with another key, each webhook needs a new secret. The second schedule in <code>wrangler.toml</code>, <code>* * * * *</code>, sends events every minute.
<p>To try it locally, start <code>npx wrangler dev</code> with the flags <code>--var ORIGIN:http://127.0.0.1:8787</code>, <code>--var LOCAL_INSECURE:1</code>, and <code>--var WEBHOOK_KEY:</code> with 32 characters of your own. A webhook may then have a URL such as <code>http://127.0.0.1:9000/</code>, and a request to <code>/cdn-cgi/local/scheduled?cron=*+*+*+*+*</code> does what a deployment does every minute.` },
      { title: "Create a webhook", body: `<p>Members create webhooks for their app on its <strong>Alerts</strong> page, and operators on the <strong>Alerts</strong> page of the console: up to 5 for an app, and 5 for operators. The page shows the secret of a webhook once. In the API, <a href="/docs/api/operator/createWebhook"><code>POST /operator/v1/webhooks</code></a> creates one.
<p>The URL must begin with <code>https://</code>, use port 443 and name a host on the public internet. IP addresses, user names, passwords and the hosts of linkledger itself are rejected.` },
      { title: "Events", body: `<div class="table" tabindex="0" role="region" aria-label="Events"><table>
<thead>
<tr>
<th>Event
<th>Who gets it
<th>When
<tbody>
<tr>
<td><code>alert.opened</code>, <code>alert.closed</code>
<td>the app of the rule, or operators
<td>a rule found something, or no longer finds it
<tr>
<td><code>round.approved</code>
<td>operators, and the apps whose links have the partner
<td>an operator approved an integration round
<tr>
<td><code>partner.stopped</code>
<td>operators, and the apps whose links have the partner
<td>an operator stopped a partner
<tr>
<td><code>webhook.test</code>
<td>one webhook
<td>somebody chose <strong>Send test event</strong>
</table>
</div>
<p>No event is sent for a click or a cost. An event is a <code>POST</code> with this JSON. <code>text</code> is one sentence, which many chats can show. Alerts also have <code>alert_id</code>, <code>rule_id</code>, <code>kind</code> and <code>subject</code>, and what was found:
<pre data-language="json">{
  "type": "partner.stopped",
  "timestamp": "2026-07-01T09:30:00.000Z",
  "text": "Acme Ads was stopped. Its costs are rejected from now on.",
  "data": { "partner_id": 1, "partner": "Acme Ads" }
}</pre>` },
      { title: "Delivery", body: `<p>An event is stored in the transaction of its cause, and sent at least once. The header <code>webhook-id</code> is the same in every attempt: use it to ignore an event that you already have. Events can arrive out of order.
<p>Only a status from 200 to 299 within 10 seconds is a success. Redirects are not followed. Otherwise the event is sent again after 1, 5 and 30 minutes, and then after 2, 5, 10, 14, 20 and 24 hours, each in the first run after that. The page of a webhook lists its newest 100 deliveries, and can send each again.
<p>A run sends at most 50 events, 10 of them to one webhook, and those of alerts first. A webhook that took longer than 5 seconds gets one event in a run.
<p>A webhook is turned off if its receiver returns 410, or after 5 days of failures, which also opens an alert. Turn it on again on its page. Events and deliveries are kept for 30 days.` },
      { title: "Verify an event", body: `<p>Events are signed as the specification Standard Webhooks describes, and there are packages for many languages. Verify an event before you read it. In TypeScript, with the package <code>standardwebhooks</code>:
<pre data-language="ts">import { Webhook } from "standardwebhooks";

/** Throws if the event is not from linkledger, was changed, or is older than five minutes. */
export function verify(secret: string, body: string, headers: Record&lt;string, string&gt;) {
  return new Webhook(secret).verify(body, headers) as { type: string; text: string };
}</pre>
<p>In Node, without a package, with a receiver that prints each event:
<pre data-language="js">import { createHmac, timingSafeEqual } from "node:crypto";

/** Throws if the event is not from linkledger, was changed, or is older than five minutes. */
export function verify(secret, body, headers) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures } = headers;
  if (!(Math.abs(Date.now() / 1000 - time) &lt;= 300)) throw new Error("too old");
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const mac = createHmac("sha256", key).update(\`\${id}.\${time}.\${body}\`).digest("base64");
  const expected = Buffer.from(\`v1,\${mac}\`);
  const isExpected = (one) =&gt; one.length === expected.length &amp;&amp; timingSafeEqual(one, expected);
  if (!signatures.split(" ").some((one) =&gt; isExpected(Buffer.from(one)))) throw new Error("wrong signature");
}</pre>
<pre data-language="js">import { createServer } from "node:http";
import { text } from "node:stream/consumers";

createServer(async (request, response) =&gt; {
  try {
    const body = await text(request);
    verify(process.env.WEBHOOK_SECRET, body, request.headers);
    console.log(JSON.parse(body).text);
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end();
  }
}).listen(9000);</pre>
<p>In Python, without a package:
<pre data-language="python">import base64, hashlib, hmac, time

def verify(secret, body, headers):
    """Raises ValueError if the event is not from linkledger, was changed, or is older than five minutes."""
    if abs(time.time() - int(headers["webhook-timestamp"])) &gt; 300:
        raise ValueError("too old")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f'{headers["webhook-id"]}.{headers["webhook-timestamp"]}.{body}'.encode()
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(expected, one) for one in headers["webhook-signature"].split(" ")):
        raise ValueError("wrong signature")</pre>` },
      { title: "Change the secret", body: `<p><strong>Create a new secret</strong> on the page of a webhook shows another secret. For 24 hours, events are signed with both, so change the receiver in that time.` },
    ],
  },
};
