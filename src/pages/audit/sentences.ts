/** What an entry of the audit log means, for people: one sentence for each action, for the console and for the page of a link. */

import { HIDDEN_DAYS } from "../../db/workspace/hidden-attention.ts";
import type { AuditAction } from "../../domain/audit-actions.ts";
import { showInvisible } from "../../domain/characters.ts";
import { KIND_NAMES as RULES } from "../alerts/sentences.ts";
import { KIND_NAMES } from "../costs/rounds.ts";
import { showAmount, showCount, showList, showPlural } from "../locale.ts";
import {
  appOf,
  atCreation,
  type Detail,
  isChange,
  type NameOf,
  partnerOf,
  quote,
  updateOf,
} from "./changes.ts";

type Text = string | ((detail: Detail, nameOf: NameOf) => string);

interface Sentence {
  /** Who does it if no user does. */
  by?: string;
  /** What follows the user. The object follows it. */
  verb: Text;
  /** What follows the object. */
  more?: Text;
  /** Of users and partners on their own accounts: the object is who acts. */
  isOwn?: true;
  /** The sentence on the page of the object, which does not repeat it. */
  onPage?: Text;
}

const SENTENCES: Record<AuditAction, Sentence> = {
  "create app": { verb: "created the app" },
  "update app": {
    verb: ({ archived_at: change }) =>
      verbOfSwitch(change, "archived the app", "restored the app", "changed the app"),
  },
  "add member": { verb: (detail, nameOf) => `added ${memberOf(detail, nameOf)} to` },
  "remove member": { verb: (detail, nameOf) => `removed ${memberOf(detail, nameOf)} from` },
  "save view": { verb: ({ name, shared }) => `saved the ${viewOf(name, shared)} of` },
  "delete view": { verb: ({ name, shared }) => `deleted the ${viewOf(name, shared)} of` },
  "create alert rule": { verb: "created", more: ofRule },
  "update alert rule": { verb: "changed", more: ofRule },
  "delete alert rule": { verb: "deleted", more: ofRule },
  "create webhook": { verb: "created", more: ofWebhook },
  "rotate webhook secret": { verb: "created a new secret for", more: ofWebhook },
  "turn on webhook": { verb: "turned on", more: ofWebhook },
  "delete webhook": { verb: "deleted", more: ofWebhook },
  "test webhook": { verb: "sent a test event to", more: ofWebhook },
  "send delivery again": { verb: "sent a delivery again to", more: ofWebhook },
  "hide item": { verb: ({ item }, nameOf) => `hid ${itemOf(item, nameOf)} for ${HIDDEN_DAYS} days in` },
  "show hidden items": { verb: "showed the hidden items again in" },
  "create user": {
    by: "The command line",
    verb: "created the user",
    more: ({ role }) => (role ? `as ${role === "operator" ? "an" : "a"} ${role}` : ""),
  },
  "update user": { verb: verbOfUser },
  "erase user": { verb: "erased the account of" },
  "issue API token": { verb: "issued an API token to" },
  "create partner": { verb: "created the partner" },
  "update partner": {
    verb: ({ stopped_at: change }) => verbOfSwitch(change, "stopped", "resumed", "changed the partner"),
  },
  "issue credential": {
    verb: "issued the credential",
    more: ({ mode, cost_types }) => `(${mode}: ${listOf(cost_types)})`,
  },
  "revoke credential": { verb: "revoked the credential" },
  "open round": { verb: "opened", more: ({ cost_types }) => `for ${listOf(cost_types)}` },
  "approve round": {
    verb: "approved",
    more: ({ approved, cost_types }) => `for ${listOf(approved ?? cost_types)}`,
  },
  "close round": { verb: "closed", more: "without approval" },
  "dismiss mismatch": {
    verb: ({ kind, count, finding }) =>
      kind === undefined
        ? `dismissed ${showInvisible(String(finding))} in`
        : `dismissed ${count} mismatches (${nameKind(kind)}) in`,
    more: (detail) => because(detail),
  },
  "undo dismissal": { verb: ({ finding }) => `undid the dismissal of ${showInvisible(String(finding))} in` },
  "create link": {
    verb: "created the link",
    more: (detail, nameOf) => showList(atCreation(detail, nameOf).slice(1)).replace(/^(?=.)/, "and "),
    onPage: (detail, nameOf) => showList(atCreation(detail, nameOf)),
  },
  "update link": ofLink(updateOf),
  "undo change": ofLink((detail, nameOf) => `undid a change: ${updateOf(detail, nameOf)}`),
  "create sub-links": {
    by: "linkledger",
    verb: (detail) => `created ${subLinkCount(detail)} below`,
    more: ({ day }) => `for clicks and impressions of ${day}`,
    onPage: (detail) => `created ${subLinkCount(detail)} for clicks and impressions of ${detail.day}`,
  },
  "archive sub-links": {
    verb: (detail) => `archived ${subLinkCount(detail)} that clicks created and that have no cost, in`,
    more: ({ network }) => (network === null ? "" : `below link ${network}`),
  },
  "create test link": {
    verb: "created the test link",
    onPage: ({ name, round_id }) => `created the link ${quote(name)} to test in round ${round_id}`,
  },
  "void cost": {
    verb: (detail) => {
      const what = `${verbOfVoid(detail)} cost ${showInvisible(String(detail.cost_id))}`;
      return isByPartner(detail) ? `${what} ${valuesOf(detail)}`.trim() : `${what} of`;
    },
    more: (detail) => {
      const values = isByPartner(detail) ? "" : valuesOf(detail);
      return detail.outcome === "not carried out"
        ? `${values} (it had changed)`.trim()
        : `${values}${because(detail)}`;
    },
  },
  "void prices": ofPrices("void", "voided"),
  "accept held prices": ofPrices("accept", "accepted"),
  "drop held prices": ofPrices("drop", "dropped"),
  "create adjustment": {
    verb: "added",
    more: ({ amount, currency, app_token, reason }, nameOf) =>
      `of ${moneyOf(amount, currency)} in ${appOf(app_token, nameOf)}: ${reason}`,
  },
  "sign in": { isOwn: true, verb: "signed in", more: ({ browser }) => (browser ? `with ${browser}` : "") },
  "sign-in failed": { verb: "failed to sign in as", more: ({ reason }) => (reason ? `(${reason})` : "") },
  "enter wrong password": {
    isOwn: true,
    verb: "entered a wrong password",
    more: ({ route }) => `at ${route}`,
  },
  "sign out": { isOwn: true, verb: "signed out" },
  "sign out everywhere": { isOwn: true, verb: "signed out on all devices" },
  "end session": { isOwn: true, verb: "ended a session" },
  "change password": { isOwn: true, verb: "changed the password" },
  "show API token": { isOwn: true, verb: "viewed the API token" },
  "create API token": { isOwn: true, verb: "created an API token" },
  "reset API token": {
    isOwn: true,
    verb: "reset the API token",
    more: ({ access_tokens }) => (access_tokens ? "and ended all access tokens" : ""),
  },
  "create access token": {
    isOwn: true,
    verb: ({ hint, scope, app_token }, nameOf) =>
      `created the access token ${hint} (${scope}, ${app_token ? appOf(app_token, nameOf) : "all apps"})`,
  },
  "link identity": {
    verb: ({ by }) =>
      by === "first sign-in"
        ? "signed in for the first time with single sign-on, as"
        : "linked the single sign-on identity of",
  },
  "unlink identity": { verb: "unlinked the single sign-on identity of" },
  "confirm sign-in": { isOwn: true, verb: "signed in again to confirm" },
  "end access token": { isOwn: true, verb: ({ hint }) => `ended the access token ${hint}` },
  "turn on two-factor": { isOwn: true, verb: "turned on two-factor authentication" },
  "turn off two-factor": { isOwn: true, verb: "turned off two-factor authentication" },
  "reset two-factor": { verb: "turned off the two-factor authentication of" },
  "create recovery codes": { isOwn: true, verb: "created recovery codes" },
};

const inApp = (token: unknown, nameOf: NameOf) => (token ? ` in ${appOf(token, nameOf)}` : "");

/** Which rule of alerts it is: its kind, and its app. */
function ofRule({ kind, app_token }: Detail, nameOf: NameOf): string {
  return `(${nameKind(kind, RULES)})${inApp(app_token, nameOf)}`;
}

function ofWebhook({ host, app_token }: Detail, nameOf: NameOf): string {
  return `(${host})${inApp(app_token, nameOf)}`;
}

const viewOf = (name: unknown, isShared: unknown) => `${isShared ? "shared " : ""}view ${quote(name)}`;

/** After a rollback of the code, the log can have actions that it does not know. */
export const sentenceOf = (action: string): Sentence =>
  (SENTENCES as Partial<Record<string, Sentence>>)[action] ?? { verb: action };

/** A part of a sentence. */
export function write(text: Text, detail: Detail, nameOf: NameOf): string {
  return typeof text === "string" ? text : text(detail, nameOf);
}

/** A partner did it with its credential. */
export const isByPartner = (detail: Detail) => detail.credential_id !== undefined;

const listOf = (value: unknown) => (Array.isArray(value) ? value.join(", ") : String(value ?? ""));
const because = ({ reason }: Detail) => (reason ? `: ${reason}` : "");
/** Of a change of many prices on URLs. */
function ofPrices(verb: string, done: string): Sentence {
  return {
    verb: ({ count, outcome }) =>
      outcome === "not carried out"
        ? `did not ${verb} ${showPlural(Number(count), "price")} on URLs that had changed, of`
        : `${outcome === "requested" ? `requested to ${verb}` : done} ${showPlural(Number(count), "price")} on URLs of`,
    more: ({ app_token, day, sums, reason }, nameOf) => {
      const all = Object.entries((sums ?? {}) as Record<string, string>).map(([currency, sum]) =>
        moneyOf(sum, currency),
      );
      const where = `in ${appOf(app_token, nameOf)} on ${day}`;
      return `${where}${all.length > 0 ? ` (${showList(all)})` : ""}: ${reason}`;
    },
  };
}

const moneyOf = (amount: unknown, currency: unknown) => showAmount(String(amount), String(currency));
/** What a void removes. */
const valuesOf = ({ cost_type, currency, amount }: Detail) =>
  cost_type === undefined
    ? ""
    : `(${cost_type}, ${amount === null ? "no amount" : moneyOf(amount, currency)})`;
const nameKind = (kind: unknown, names: Record<string, string> = KIND_NAMES) =>
  (Object.entries(names).find(([one]) => one === kind)?.[1] ?? String(kind)).toLowerCase();
const memberOf = ({ user_id }: Detail, nameOf: NameOf) =>
  nameOf("user", Number(user_id)) ?? `user ${user_id}`;

const ITEMS: Record<string, (partner: string) => string> = {
  setup: () => "what is missing in the setup",
  without: () => "partners that have no cost data yet",
  dropped: () => "dropped URL parameters",
  unpriced: () => "costs without an amount",
  stopped: (partner) => `${partner}, which is stopped,`,
  silent: (partner) => `missing costs of ${partner}`,
  rejected: (partner) => `rejected costs of ${partner}`,
  new_links: () => "new links from clicks",
  links: () => "a network with many links from clicks",
};
/** An item of "Needs attention". */
function itemOf(key: unknown, nameOf: NameOf): string {
  const [kind = "", id] = String(key).split(":");
  return ITEMS[kind]?.(partnerOf(id, nameOf)) ?? kind;
}
const subLinkCount = ({ count }: Detail) => showPlural(Number(count), "sub-link");

/** For a time that is null while something is not switched. */
const verbOfSwitch = (change: unknown, on: string, off: string, other: string) =>
  isChange(change) ? (change.to === null ? off : on) : other;

/** With shards, an entry before the void says that it was requested, and another one if it was not carried out. */
function verbOfVoid({ outcome }: Detail): string {
  if (outcome === "requested") return "requested to void";
  return outcome === "not carried out" ? "did not void" : "voided";
}

function verbOfUser({ disabled, role, email, sign_in }: Detail): string {
  if (isChange(disabled)) return disabled.to === true ? "disabled" : "enabled";
  if (isChange(sign_in))
    return sign_in.to === "sso" ? "switched to single sign-on:" : "reset the password of";
  if (email !== undefined) return "changed the email of";
  return isChange(role) ? "changed the role of" : "changed the user";
}

/** Says what happened to a link before it names the link. */
function ofLink(onPage: (detail: Detail, nameOf: NameOf) => string): Sentence {
  return { verb: (detail, nameOf) => `${onPage(detail, nameOf)}:`, onPage };
}

const MANY: Partial<Record<string, [verb: string, noun: string]>> = {
  "create link": ["created", "links"],
  "update link": ["changed", "links"],
  "undo change": ["undid the change of", "links"],
};

/** The entries that a request has for one action, in one sentence: `created 100 links`. */
export function sentenceOfMany(action: string, count: number): string {
  const [verb = "", noun = ""] = MANY[action] ?? [];
  return verb ? `${verb} ${showCount(count)} ${noun}` : `${action}: ${showPlural(count, "entry", "entries")}`;
}
