/** The lists of partners, of members and of operators: searched by name, filtered by state, and ordered by their headings. */
import {
  type Integration,
  PARTNER_STATES,
  type PartnerState,
  partnerStateOf,
} from "../../domain/partner-state.ts";
import type { Context } from "../../env.ts";
import { STATES } from "../costs/states.ts";
import type { Option } from "../forms/fields.ts";
import { type ListView, readListView } from "./list.ts";
import { inOrder, type Key } from "./order.ts";

const SORTS = {
  "-spend": "Highest spend",
  spend: "Lowest spend",
  name: "Name, A to Z",
  "-name": "Name, Z to A",
  "-change": "Highest rise",
  change: "Highest fall",
  "-coverage": "Highest coverage",
  coverage: "Lowest coverage",
};

type Filters<Row> = Record<string, [name: string, holds: (row: Row) => boolean]>;

interface Spec<Row> {
  rows: Row[];
  /** By the names of `SORTS` and `sorts`. */
  order: Record<string, Key<Row>>;
  /** What a list has besides. */
  sorts: Record<string, string>;
  filters?: Filters<Row>;
  /** Parameters of the page that stay. */
  kept?: Record<string, string>;
  pageSize?: number;
}

export function readPartnerList<Row extends Integration & { displayName: string }>(
  context: Pick<Context, "env" | "url">,
  { rows, order, sorts, filters, ...more }: Spec<Row>,
): Promise<ListView<Row>> {
  const nameOf = (state: PartnerState) => STATES[state][0];
  // Two states have the same name.
  const byName = new Map(PARTNER_STATES.map((state) => [nameOf(state), state]));
  const ofState: Filters<Row> = Object.fromEntries(
    [...byName].map(([name, state]) => [state, [name, (row) => nameOf(partnerStateOf(row)) === name]]),
  );
  const states = { ...ofState, ...filters };
  const options: Option[] = Object.entries(states).map(([value, [name]]) => [value, name]);
  const spec = {
    ...more,
    path: context.url.pathname,
    search: "Name contains",
    nouns: ["partner", "partners"] as [string, string],
    sorts: { ...SORTS, ...sorts },
    filters: [{ name: "state", label: "State", options: [["", "Any state"] as Option, ...options] }],
  };
  return readListView(context, spec, async (_, { sort, offset, limit }, { q = "", state = "" }) => {
    const [, holds = () => true] = states[state] ?? [];
    const isNamed = ({ displayName }: Row) => displayName.toLowerCase().includes(q.toLowerCase());
    const found = inOrder(
      rows.filter((row) => isNamed(row) && holds(row)),
      sort,
      order,
    );
    return { rows: found.slice(offset, offset + limit), total: found.length };
  });
}
