/** The costs of a partner, with filters. A row opens the cost, where it can be voided and its spend adjusted. */
import { html } from "hono/html";
import * as z from "zod/mini";
import { namesOfLinks } from "../../../db/alerts/subjects.ts";
import { runBatch } from "../../../db/statement.ts";
import { showInvisible } from "../../../domain/characters.ts";
import { COST_WINDOW } from "../../../domain/texts.ts";
import { COST_WINDOW_MS, toIso } from "../../../domain/time.ts";
import { readInput } from "../../../http/input/input.ts";
import {
  AMOUNT_OVER,
  costList,
  costListQuery,
  sentTo,
  toFilter,
  toRange,
} from "../../../pages/costs/list.ts";
import { nameText, notice, pageHead, pathText } from "../../../pages/elements.ts";
import { searchScript } from "../../../pages/lists/search.ts";
import { time } from "../../../pages/markup.ts";
import { findCosts } from "../../../usecases/costs/listed.ts";
import { costFilters, readCostFilter } from "../../api/costs.ts";
import { idOf, partnerTrail, type Show } from "../layout.ts";

const contract = { query: z.strictObject({ ...costFilters, ...costListQuery }) };

const FILTERS: Pick<Parameters<typeof costList>[0], "inBar" | "inMenu"> = {
  inBar: [["link_token", "Link token"], AMOUNT_OVER],
  inMenu: [["app_token", "App token"]],
};

export const costsPage: Show = async (context) => {
  const id = idOf(context);
  const path = `/operator/partners/${id}/costs`;
  const url = new URL(path, context.url);
  const sent = sentTo(context.url);
  url.search = sent.toString();
  const { query } = await readInput({ ...context, url }, contract);
  const { partner, filter } = await readCostFilter(context, id, query);
  const { found } = await findCosts(
    context,
    { partnerId: id, tokenHash: null },
    { ...filter, ...toFilter(query) },
    toRange(query),
  );
  const tokens = found.items.flatMap(({ engagement }) => engagement?.link_token ?? []);
  const { DB } = context.env;
  const [named] = await runBatch(DB, namesOfLinks(DB, { tokens: JSON.stringify([...new Set(tokens)]) }));
  const links = new Map(named.map((one) => [one.token, one]));
  const only = (filter: Record<string, string>) => `${path}?${new URLSearchParams(filter)}`;
  const ofLink = (token: string) => {
    const name = links.get(token)?.name.split("::") ?? [token];
    // Most partners have a network of their name, which the page says.
    const shown = name.length > 1 && name[0] === partner.displayName ? name.slice(1) : name;
    return html`<a class="path" href="${only({ link_token: token })}" title="${name.join(" › ")} (${token})">${pathText(shown)}</a>`;
  };
  const isPending = query.match === "pending";
  const hasApps = new Set(found.items.flatMap(({ app_token }) => app_token ?? [])).size > 1;
  return {
    title: `Costs of ${partner.displayName}`,
    section: "Partners",
    scripts: [searchScript.href],
    body: html`
      ${partnerTrail({ id, name: partner.displayName }, "Costs")}
      ${pageHead(html`Costs of ${nameText(partner.displayName)}`)}
      ${costList({
        ...{ path, sent, query, found, ...FILTERS },
        hrefOf: (cost_id) => `/operator/partners/${id}/voids?${new URLSearchParams({ cost_id })}`,
        columns: [
          isPending && {
            heading: "Lapses",
            cell: ({ received_at }) =>
              received_at ? time(toIso(Date.parse(received_at) + COST_WINDOW_MS)) : "",
          },
          isPending && { heading: "Tag", isMinor: true, cell: ({ tag }) => showInvisible(tag ?? "") },
          hasApps && {
            heading: "App",
            isMinor: true,
            cell: ({ app_token, engagement }) =>
              app_token === null
                ? ""
                : html`<a href="/operator/apps/${app_token}">${nameText(links.get(engagement?.link_token ?? "")?.app ?? app_token)}</a>`,
          },
          !isPending && {
            heading: "Link",
            cell: ({ engagement }) => (engagement?.link_token ? ofLink(engagement.link_token) : ""),
          },
        ],
        empty: notice("No costs."),
      })}
      <p class="hint"><a href="/operator/partners/${id}/rejections">Rejected costs</a> have a list of their own.${isPending ? html` A pending cost waits up to ${COST_WINDOW} for a click or impression with its cost ID. <a href="/docs/troubleshooting#a-cost-stays-pending">Why a cost stays pending</a>` : ""}</p>`,
  };
};
