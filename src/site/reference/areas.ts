/** The areas of the reference: one for each surface that has operations. */
import { type ApiDocument, type Described, operationsOf } from "./document.ts";

interface Area {
  /** The surface, which is the tag of its operations in the OpenAPI document. */
  surface: string;
  /** The last segment of the path of its page. */
  slug: string;
  title: string;
  lead: string;
  /** Who gets the credential where. Text between backticks is code. */
  access: string;
  /** The variable that holds the credential in the samples. */
  variable?: string;
  /** A page under /docs that explains how to use the area. */
  guide?: { path: string; title: string };
}

export const AREAS: Area[] = [
  {
    surface: "campaign",
    slug: "campaign",
    title: "Campaign API",
    lead: "List, create and update the links of an app, attach partners, and report what the links cost.",
    access:
      "For members and operators. Send the API token from the account page (`ll_api_…`), or an access token from `/account/tokens` (`ll_read_…` or `ll_write_…`), in the `Authorization` header, as `Token token=…`.",
    variable: "API_TOKEN",
    guide: { path: "/docs/members", title: "Member guide" },
  },
  {
    surface: "cost",
    slug: "cost",
    title: "Cost API",
    lead: "Send the cost of a click or impression, and read whether it matched.",
    access:
      "For partners. Send the credential from the operator (`ll_live_…` or `ll_test_…`) in the `Authorization` header, as `Token token=…`. A credential in a URL is ignored.",
    variable: "COST_TOKEN",
    guide: { path: "/docs/partners", title: "Partner guide" },
  },
  {
    surface: "engagement",
    slug: "engagement",
    title: "Clicks and impressions",
    lead: "The URLs in ads. Opening one records a click or an impression.",
    access: "For everyone, without credentials.",
    guide: { path: "/docs/rules", title: "Matching rules" },
  },
  {
    surface: "operator",
    slug: "operator",
    title: "Operator API",
    lead: "Manage apps, users, partners, credentials and integration rounds.",
    access:
      "For operators. Send the API token from the account page (`ll_api_…`), or an access token for all apps from `/account/tokens` (`ll_read_…` or `ll_write_…`), in the `Authorization` header, as `Token token=…`. The token of a member gets 403.",
    variable: "OPERATOR_TOKEN",
    guide: { path: "/docs/operators", title: "Operator guide" },
  },
  {
    surface: "mcp",
    slug: "mcp",
    title: "MCP endpoint",
    lead: "What assistants call to read links and figures, with the Model Context Protocol.",
    access:
      "For members and operators. Send an access token from `/account/tokens` (`ll_read_…` is enough) in the `Authorization` header, as `Bearer …`.",
    variable: "API_TOKEN",
    guide: { path: "/docs/agents", title: "Connect an assistant" },
  },
  {
    surface: "site",
    slug: "health",
    title: "Health checks",
    lead: "Check that the Worker runs, and that its databases and namespaces are ready.",
    access: "For everyone, without credentials.",
    guide: { path: "/docs/watch", title: "Watch the service" },
  },
];

/** An area with its operations. */
export interface FullArea extends Area {
  path: string;
  operations: Described[];
}

/** The reference: every area that has operations. */
export type Reference = { document: ApiDocument; areas: FullArea[] };

export function toReference(document: ApiDocument): Reference {
  const byTag = Map.groupBy(operationsOf(document), ({ tags }) => tags[0]);
  return {
    document,
    areas: AREAS.map((area) => ({
      ...area,
      path: areaPath(area),
      operations: byTag.get(area.surface) ?? [],
    })),
  };
}

export const areaPath = ({ slug }: Area): string => `/docs/api/${slug}`;

export function operationPath(area: FullArea, { operationId }: Described): string {
  return `${area.path}/${operationId}`;
}

/** The operations of an area by what they are about, which is the segment of the path after the version. */
export function groupsOf({ operations }: FullArea): [noun: string, operations: Described[]][] {
  const nounOf = ({ path }: Described) => /^\/operator\/v\d+\/(\w+)/.exec(path)?.[1] ?? "";
  return [...Map.groupBy(operations, nounOf)];
}
