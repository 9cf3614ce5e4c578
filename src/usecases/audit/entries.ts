/** The entries of the audit log as sentences, with the objects that they name and what changed. */
import type { AuditObject } from "../../db/operator/audit.ts";
import { showInvisible } from "../../domain/characters.ts";
import { formatAmount } from "../../domain/money.ts";
import { describeTime } from "../../domain/time.ts";
import { KIND_NAMES } from "../rounds/view.ts";
import { describeEntry, subLinkCount } from "./sentences.ts";

type Detail = Record<string, unknown>;

/** An entry as the console shows it: `operator@example.com` stopped `Acme Ads`. */
export interface Described {
  /** A partner and its credential; undefined if a user did it, or nobody is known. */
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

const listOf = (value: unknown) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));

type Sentence =
  | string
  | ((detail: Detail, objects: ReadonlyMap<string, AuditObject>) => [verb: string, more: string]);

const withMore =
  (verb: string, more: (detail: Detail) => string): Sentence =>
  (detail) => [verb, more(detail)];
const because = ({ reason }: Detail) => (reason ? `: ${String(reason)}` : "");
const nameKind = (kind: unknown) =>
  (Object.entries(KIND_NAMES).find(([one]) => one === kind)?.[1] ?? String(kind)).toLowerCase();
const memberOf = (detail: Detail, objects: ReadonlyMap<string, AuditObject>) =>
  objects.get(`user ${detail.user_id}`)?.name ?? `user ${String(detail.user_id)}`;

/** Links have sentences of their own, which their page shows too. */
const ofLink =
  (action: string): Sentence =>
  (detail, objects) => {
    const partner = (id: number) => objects.get(`partner ${id}`)?.name ?? undefined;
    return [`${describeEntry({ action, detail }, { partner })}:`, ""];
  };

/** By action. The object follows the verb. */
const SENTENCES: Record<string, Sentence> = {
  "create app": "created the app",
  "update app": ({ archived_at: change }) => [
    isChange(change) ? (change.to === null ? "restored the app" : "archived the app") : "changed the app",
    "",
  ],
  "add member": (detail, objects) => [`added ${memberOf(detail, objects)} to`, ""],
  "remove member": (detail, objects) => [`removed ${memberOf(detail, objects)} from`, ""],
  "create user": withMore("created the user", ({ role }) => (role ? `as ${String(role)}` : "")),
  "update user": (detail) => [verbOfUser(detail), ""],
  "erase user": "erased the account of",
  "issue API token": "issued an API token to",
  "create partner": "created the partner",
  "update partner": ({ stopped_at: change }) => [
    isChange(change) ? (change.to === null ? "resumed" : "stopped") : "changed the partner",
    "",
  ],
  "issue credential": withMore(
    "issued the credential",
    ({ mode, cost_types }) => `(${String(mode)}: ${listOf(cost_types)})`,
  ),
  "revoke credential": "revoked the credential",
  "open round": withMore("opened", ({ cost_types }) => `for ${listOf(cost_types)}`),
  "approve round": withMore(
    "approved",
    ({ approved, cost_types }) => `for ${listOf(approved ?? cost_types)}`,
  ),
  "close round": withMore("closed", () => "without approval"),
  "dismiss mismatch": (detail) => [
    detail.kind === undefined
      ? `dismissed ${showInvisible(String(detail.finding))} in`
      : `dismissed ${String(detail.count)} mismatches (${nameKind(detail.kind)}) in`,
    because(detail),
  ],
  "undo dismissal": (detail) => [`undid the dismissal of ${showInvisible(String(detail.finding))} in`, ""],
  "create link": ofLink("create link"),
  "update link": ofLink("update link"),
  "create sub-links": (detail) => [
    `created ${subLinkCount(detail)} below`,
    `that clicks and impressions named on ${String(detail.day)}`,
  ],
  "create test link": "created the test link",
  "void cost": (detail) => [
    `${verbOfVoid(detail)} cost ${showInvisible(String(detail.cost_id))}${isByPartner(detail) ? "" : " of"}`,
    detail.outcome === "not carried out" ? "(it had changed)" : because(detail),
  ],
  "create adjustment": withMore(
    "added",
    ({ amount, currency, app_token, reason }) =>
      `of ${String(currency)} ${String(amount)} in ${String(app_token)}: ${String(reason)}`,
  ),
  "sign in": withMore("signed in", ({ browser }) => (browser ? `with ${String(browser)}` : "")),
  "sign-in failed": withMore("failed to sign in as", ({ reason }) => (reason ? `(${String(reason)})` : "")),
  "enter wrong password": withMore("entered a wrong password", ({ route }) => `at ${String(route)}`),
  "sign out": "signed out",
  "sign out everywhere": "signed out on all devices",
  "end session": "ended a session",
  "change password": "changed the password",
  "show API token": "viewed the API token",
  "create API token": "created an API token",
  "reset API token": "reset the API token",
  "turn on two-factor": "turned on two-factor authentication",
  "turn off two-factor": "turned off two-factor authentication",
  "create recovery codes": "created recovery codes",
};

/** The actions that the log can be filtered by. */
export const ACTIONS = Object.keys(SENTENCES);

/** The actions of users and partners on their own accounts, whose object is who acts. */
const OWN = new Set(ACTIONS.slice(ACTIONS.indexOf("sign in")));

/** With shards, an entry before the void says that it was requested, and another one if it was not carried out. */
function verbOfVoid({ outcome }: Detail): string {
  if (outcome === "requested") return "requested to void";
  return outcome === "not carried out" ? "did not void" : "voided";
}

/** A partner did it with its credential. */
const isByPartner = (detail: Detail) => detail.credential_id !== undefined;

function verbOfUser({ disabled, role, email, sign_in }: Detail): string {
  if (isChange(disabled)) return disabled.to === true ? "disabled" : "enabled";
  if (isChange(sign_in))
    return sign_in.to === "sso" ? "switched to single sign-on:" : "reset the password of";
  if (email !== undefined) return "changed the email of";
  return isChange(role) ? "changed the role of" : "changed the user";
}

const isChange = (value: unknown): value is { from: unknown; to: unknown } =>
  typeof value === "object" && value !== null && "from" in value && "to" in value;

export function toShown(
  { action, subject, detail }: Entry,
  objects: ReadonlyMap<string, AuditObject>,
): Described {
  const sentence = SENTENCES[action] ?? action;
  const [verb, more] = typeof sentence === "string" ? [sentence, ""] : sentence(detail, objects);
  const changes = Object.entries(detail).flatMap(([field, value]) =>
    isChange(value)
      ? [
          {
            field: toWords(field),
            from: show(field, value.from, objects),
            to: show(field, value.to, objects),
          },
        ]
      : [],
  );
  const object = toObject(subject, objects);
  const isByObject = isByPartner(detail) || (OWN.has(action) && action !== "sign-in failed");
  return {
    by: isByPartner(detail) ? `${object.text} (${String(detail.hint)})` : undefined,
    verb,
    object: isByObject ? { text: "", href: undefined } : object,
    more,
    changes,
  };
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
    case "adjustment":
      return { text: subject, href: "/operator/adjustments" };
    default:
      return { text: subject, href: undefined };
  }
}

function toWords(field: string): string {
  const words = field.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function show(field: string, value: unknown, objects: ReadonlyMap<string, AuditObject>): string {
  if (value === null || value === "") return "none";
  if (field === "partner_id")
    return objects.get(`partner ${String(value)}`)?.name ?? `partner ${String(value)}`;
  if (field === "max_url_amount" && typeof value === "number") return formatAmount(value);
  if (field.endsWith("_at") && typeof value === "number") return describeTime(value, "seconds");
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
    ...(typeof detail.user_id === "number" ? [`user ${detail.user_id}`] : []),
    ...partners.filter((id) => id !== null).map((id) => `partner ${String(id)}`),
  ];
}
