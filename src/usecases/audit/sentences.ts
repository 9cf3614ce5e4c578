/** Says what an entry of the audit log means, for people: on the pages of members and in the console. */

/** An entry, with its parsed detail. */
export interface Entry {
  action: string;
  detail: Record<string, unknown>;
}

/** The names of what entries identify by ID. */
export interface Names {
  partner: (id: number) => string | undefined;
}

interface Values {
  from: unknown;
  to: unknown;
}

const AND = new Intl.ListFormat("en-US");
const quote = (value: unknown) => `“${String(value)}”`;

/** What the user did, to follow their name: `renamed the link from “A” to “B” and turned cost data on`. */
export function describeEntry(entry: Entry, names: Names): string {
  const describe = ACTIONS[entry.action];
  return describe ? describe(entry.detail, names) : describeOther(entry);
}

const ACTIONS: Partial<Record<string, (detail: Entry["detail"], names: Names) => string>> = {
  "create link": (detail, names) =>
    AND.format([
      `created the link ${quote(detail.name)}`,
      ...(detail.partner_id === undefined ? [] : [`attached it to ${partnerName(detail.partner_id, names)}`]),
      ...(detail.cost_data_enabled === true ? ["turned cost data on"] : []),
    ]),
  "create test link": (detail) =>
    `created the link ${quote(detail.name)} to test in round ${String(detail.round_id)}`,
  "update link": (detail, names) =>
    AND.format(
      Object.entries(LINK_FIELDS).flatMap(([field, describe]) => {
        const values = detail[field];
        return isValues(values) ? describe(values, names) : [];
      }),
    ),
  "create sub-links": (detail) =>
    `created ${subLinkCount(detail)} that clicks and impressions named on ${detail.day}`,
};

/** `3 sub-links`, in the entry of a day. */
export function subLinkCount({ count }: Entry["detail"]): string {
  return `${count} ${count === 1 ? "sub-link" : "sub-links"}`;
}

/** In the order in which a sentence has them. */
const LINK_FIELDS: Record<string, (values: Values, names: Names) => string> = {
  name: ({ from, to }) => `renamed the link from ${quote(from)} to ${quote(to)}`,
  archived: ({ to }) => (to ? "archived the link" : "restored the link"),
  partner_id: ({ from, to }, names) => {
    if (to === null) return `detached the link from ${partnerName(from, names)}`;
    const before = from === null ? "" : ` instead of ${partnerName(from, names)}`;
    return `attached the link to ${partnerName(to, names)}${before}`;
  },
  cost_data_enabled: ({ to }) => `turned cost data ${to ? "on" : "off"}`,
};

function partnerName(id: unknown, names: Names): string {
  return names.partner(Number(id)) ?? `partner ${id}`;
}

function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && "from" in value && "to" in value;
}

/** An action without a sentence of its own: its fields with their values. */
function describeOther({ action, detail }: Entry): string {
  const show = (value: unknown) => (typeof value === "string" ? quote(value) : JSON.stringify(value));
  const fields = Object.entries(detail).map(([name, value]) => {
    const field = name.replaceAll("_", " ");
    return isValues(value)
      ? `${field} from ${show(value.from)} to ${show(value.to)}`
      : `${field} ${show(value)}`;
  });
  return fields.length > 0 ? `${action}: ${AND.format(fields)}` : action;
}
