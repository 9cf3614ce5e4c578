/** What an entry of the audit log says about the values that changed, above all those of links, in parts of a sentence. */
import type { LinkSetting } from "../../db/links/lists.ts";
import { showList } from "../locale.ts";

export type Detail = Record<string, unknown>;

/** The name of an object that an entry identifies by ID. */
export type NameOf = (noun: "app" | "partner" | "user", id: number | string) => string | undefined;

interface Change {
  from: unknown;
  to: unknown;
}

export const isChange = (value: unknown): value is Change =>
  typeof value === "object" && value !== null && "from" in value && "to" in value;

export const quote = (value: unknown) => `“${value}”`;
export const appOf = (token: unknown, nameOf: NameOf) => nameOf("app", String(token)) ?? token;
export const partnerOf = (id: unknown, nameOf: NameOf) => nameOf("partner", Number(id)) ?? `partner ${id}`;

/** What a link was created with, in parts. */
export const atCreation = (detail: Detail, nameOf: NameOf) =>
  Object.entries(LINK_FIELDS).flatMap(([field, { atCreation }]) => atCreation(detail[field], nameOf) ?? []);

/** What changed of a link. */
export function updateOf(detail: Detail, nameOf: NameOf): string {
  return showList(
    Object.entries(LINK_FIELDS).flatMap(([field, { inUpdate }]) => {
      const change = detail[field];
      return isChange(change) ? inUpdate(change, nameOf) : [];
    }),
  );
}

interface LinkField {
  /** The value is undefined if the link was created without one. */
  atCreation: (value: unknown, nameOf: NameOf) => string | undefined;
  inUpdate: (change: Change, nameOf: NameOf) => string;
}

/** What users set on a link, in the order in which a sentence has it. */
const LINK_FIELDS: Record<LinkSetting, LinkField> = {
  name: {
    atCreation: (name) => `created the link ${quote(name)}`,
    inUpdate: ({ from, to }) => `renamed the link from ${quote(from)} to ${quote(to)}`,
  },
  archived: {
    atCreation: () => undefined,
    inUpdate: ({ to }) => (to ? "archived the link" : "restored the link"),
  },
  partner_id: {
    atCreation: (id, nameOf) => (id === undefined ? undefined : `attached it to ${partnerOf(id, nameOf)}`),
    inUpdate: ({ from, to }, nameOf) => {
      if (to === null) return `detached the link from ${partnerOf(from, nameOf)}`;
      const before = from === null ? "" : ` instead of ${partnerOf(from, nameOf)}`;
      return `attached the link to ${partnerOf(to, nameOf)}${before}`;
    },
  },
  cost_data_enabled: {
    atCreation: (isOn) => (isOn === true ? "turned cost data on" : undefined),
    inUpdate: ({ to }) =>
      to === null ? "set cost data to inherit from the parent" : `turned cost data ${to ? "on" : "off"}`,
  },
  target: {
    atCreation: (target) => (target === undefined ? undefined : `set its target to ${targetOf(target)}`),
    inUpdate: ({ from, to }) =>
      to === null
        ? `set its target to inherit, instead of ${targetOf(from)}`
        : `set its target to ${targetOf(to)}${from === null ? "" : `, instead of ${targetOf(from)}`}`,
  },
};

const targetOf = (target: unknown) => (target === "" ? "the app's URLs" : quote(target));
