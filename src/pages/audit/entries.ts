/** The entries of the audit log as sentences, with the objects that they name and what changed. */
import type { AuditObject } from "../../db/operator/audit.ts";
import { formatAmount } from "../../domain/money.ts";
import { describeTime } from "../locale.ts";
import { type Detail, isChange, type NameOf } from "./changes.ts";
import { isByPartner, sentenceOf, write } from "./sentences.ts";

/** An entry as the console shows it: `operator@example.com` stopped `Acme Ads`. */
export interface Described {
  /** A partner and its credential, or what did it; undefined if a user did it, or nobody is known. */
  by: string | undefined;
  /** What follows the user: `stopped`. */
  verb: string;
  object: { text: string; href: string | undefined };
  /** What follows the object: `to Demo App`. */
  more: string;
  changes: { field: string; from: string; to: string }[];
}

interface Entry {
  action: string;
  subject: string;
  detail: Detail;
}

/** The entry of the audit log for a page. `objects` are those of `subjectsOf`, by subject. */
export function toShown(
  { action, subject, detail }: Entry,
  objects: ReadonlyMap<string, AuditObject>,
): Described {
  const { by, verb, more = "", isOwn } = sentenceOf(action);
  const nameOf: NameOf = (noun, id) => objects.get(`${noun} ${id}`)?.name ?? undefined;
  const object = toObject(subject, objects);
  return {
    by: isByPartner(detail) ? `${object.text} (${detail.hint})` : by,
    verb: write(verb, detail, nameOf),
    object: isOwn || isByPartner(detail) ? { text: "", href: undefined } : object,
    more: write(more, detail, nameOf),
    changes: Object.entries(detail).flatMap(([field, value]) => {
      if (!isChange(value)) return [];
      const { from, to } = value;
      return { field: toWords(field), from: show(field, from, objects), to: show(field, to, objects) };
    }),
  };
}

/** What it says on the page of the object. */
export function describeEntry({ action, detail }: Pick<Entry, "action" | "detail">, nameOf: NameOf): string {
  const { verb, onPage = verb } = sentenceOf(action);
  return write(onPage, detail, nameOf);
}

/** `Acme Ads` with the address of its page, for `partner 1`. */
function toObject(subject: string, objects: ReadonlyMap<string, AuditObject>): Described["object"] {
  const [noun = "", id = ""] = subject.split(" ");
  const { name, app, partner, partnerId } = objects.get(subject) ?? {};
  switch (noun) {
    case "partner":
      return { text: name ?? subject, href: `/operator/partners/${id}` };
    case "app":
      return { text: name ?? subject, href: `/operator/apps/${id}` };
    case "user":
      return { text: name ?? subject, href: `/operator/users/${id}` };
    case "round":
      return { text: `round ${id} of ${partner ?? "a partner"}`, href: `/operator/rounds/${id}` };
    case "credential":
      return {
        text: `${name ?? id} of ${partner ?? "a partner"}`,
        href: partnerId ? `/operator/partners/${partnerId}#credentials` : undefined,
      };
    case "link":
      return { text: name ? `${name} (${id})` : subject, href: app ? `/apps/${app}/links/${id}` : undefined };
    case "rule":
      return { text: `alert rule ${id}`, href: "/operator/alerts" };
    case "adjustment":
      return { text: subject, href: "/operator/adjustments" };
    default:
      return { text: subject, href: undefined };
  }
}

const NAMES: Record<string, string> = {
  partner_id: "Partner",
  cost_data_enabled: "Cost data",
  max_url_amount: "Highest price on a URL",
  max_url_spend: "Daily limit for spend from prices on URLs",
  sign_in: "Sign-in method",
};

function toWords(field: string): string {
  const name = NAMES[field];
  if (name) return name;
  const words = field.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function show(field: string, value: unknown, objects: ReadonlyMap<string, AuditObject>): string {
  if (value === null && field === "cost_data_enabled") return "inherited";
  if (value === null || value === "") return "none";
  if (field === "partner_id")
    return objects.get(`partner ${String(value)}`)?.name ?? `partner ${String(value)}`;
  if (/^max_url_(amount|spend)$/.test(field) && typeof value === "number") return formatAmount(value);
  if (field.endsWith("_at") && (typeof value === "number" || typeof value === "string"))
    return describeTime(new Date(value).getTime(), "seconds");
  if (typeof value === "boolean" && field === "cost_data_enabled") return value ? "on" : "off";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The subjects of which an entry shows the names. */
export function subjectsOf({ subject, detail }: Pick<Entry, "subject" | "detail">): string[] {
  const { partner_id: partner } = detail;
  const partners = isChange(partner)
    ? [partner.from, partner.to]
    : typeof partner === "number"
      ? [partner]
      : [];
  return [
    subject,
    ...(typeof detail.app_token === "string" ? [`app ${detail.app_token}`] : []),
    ...(typeof detail.user_id === "number" ? [`user ${detail.user_id}`] : []),
    ...partners.filter((id) => id !== null).map((id) => `partner ${String(id)}`),
  ];
}
