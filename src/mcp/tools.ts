/**
 * The tools for agents, in the order of their list. Each is an operation that only reads, with the contract of that operation. No text here
 * or in a contract comes from a user or a partner.
 */
import { listApps } from "../campaign/list-apps.ts";
import { listChildren, listLinks } from "../campaign/list-links.ts";
import { readChanges } from "../campaign/read-changes.ts";
import { readPartner } from "../campaign/read-partner.ts";
import { readPerformance } from "../campaign/read-performance.ts";
import type { Context } from "../env.ts";
import { invalidRequest } from "../http/input/parse.ts";
import type { Routed } from "../http/operation.ts";
import { toInputSchema } from "../openapi.ts";
import { readPartnerCost } from "../operator/api/costs.ts";
import { listRejections } from "../operator/api/rejections.ts";

interface Tool {
  name: string;
  /** When to use it. */
  description: string;
  operation: Routed;
  /** The operation without an argument that is part of the path of `operation`, and the name of the argument. */
  without?: { argument: string; operation: Routed };
  forOperators?: true;
}

export const TOOLS: Tool[] = [
  {
    name: "list_apps",
    description: "Lists the apps that the user can read, with the `app_token` that the other tools need.",
    operation: listApps,
  },
  {
    name: "search_links",
    description:
      "Finds links of an app by the beginning of their name, with their partner, settings and URLs: those of level 1 (networks), or with `link_token` those directly below that link. To find campaigns by their figures, use `performance`.",
    operation: listChildren(2),
    without: { argument: "link_token", operation: listLinks(2) },
  },
  {
    name: "performance",
    description:
      "Spend, clicks, cost per click and coverage of an app in some days, and in as many days before them (`previous`). For example, the campaigns with the highest cost per click: `group_by` link, `level` 2, `sort` -cost_per_click. A figure rises if it is above that of `previous`. `final: false` means that it can still change.",
    operation: readPerformance,
  },
  {
    name: "what_changed",
    description:
      "Why the spend of an app or a link differs from that of the days before: the number of matched costs, their price, cost types that began or ended, the campaigns that changed most, and events. Use it after `performance` showed a change. Nothing in `events` is proof of a cause.",
    operation: readChanges,
  },
  {
    name: "partner_status",
    description:
      "Whether an ad partner sends costs, since when it does not, its figures for an app, and at which step and why clicks have no cost. `performance` with `group_by` partner has the IDs of partners.",
    operation: readPartner,
  },
  {
    name: "find_cost",
    description:
      "What is known about a cost ID of a partner: the cost and what it matched, or why there is none.",
    operation: readPartnerCost,
    forOperators: true,
  },
  {
    name: "recent_rejections",
    description: "The newest costs of a partner that were rejected, with the error and what was sent.",
    operation: listRejections,
    forOperators: true,
  },
];

/** The arguments of a tool as JSON Schema: the parameters of its operation. */
function argumentsOf({ operation, without }: Tool) {
  const schema = toInputSchema(operation);
  return { ...schema, required: schema.required.filter((name) => name !== without?.argument) };
}

/** What `tools/list` says of the tools. */
export const listTools = (isOperator: boolean) =>
  TOOLS.filter(({ forOperators }) => isOperator || !forOperators).map((tool) => ({
    name: tool.name,
    title: tool.operation.summary,
    description: tool.description,
    inputSchema: argumentsOf(tool),
    annotations: { readOnlyHint: true, openWorldHint: false },
  }));

/** The operation, and its request with these arguments in the path and the query. Throws invalid_request. */
export function toRequest(context: Context, tool: Tool, sent: object) {
  const known = Object.keys(argumentsOf(tool).properties);
  const given = Object.entries(sent).filter(([, value]) => value !== null);
  const errors = given.flatMap(([param, value]) => {
    if (!known.includes(param))
      return { param: param.slice(0, 100), message: `is not an argument of ${tool.name}` };
    return typeof value === "object" ? { param, message: "must be a string, a number, true or false" } : [];
  });
  if (errors.length > 0) throw invalidRequest(errors);
  const values = new Map(given.map(([name, value]) => [name, String(value)]));
  const { without } = tool;
  const { operation } = without && !values.has(without.argument) ? without : tool;
  const params: Record<string, string> = {};
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = values.get(name);
    values.delete(name);
    if (value !== undefined) params[name] = value;
    return encodeURIComponent((value ?? "").toWellFormed());
  });
  const url = new URL(path, context.url.origin);
  for (const [name, value] of values) url.searchParams.set(name, value);
  return { operation, inner: { ...context, request: new Request(url), url, params } };
}
