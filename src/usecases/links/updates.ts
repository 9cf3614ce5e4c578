/** Updates of links, for the API and the pages. Each is read, judged here, and written if it is still as it was read. */
import type * as z from "zod/mini";
import { changesStatement, type LinkChange, type Recording } from "../../db/links/changes.ts";
import type { AppScope, LinkSetting } from "../../db/links/lists.ts";
import type { Partner, Partners } from "../../db/links/partner-catalog.ts";
import * as db from "../../db/links/updates.ts";
import type { Bound } from "../../db/statement.ts";
import { sha256 } from "../../domain/hash.ts";
import type { Context } from "../../env.ts";
import { AppError } from "../../errors.ts";
import { type linkUpdate, type StoredLink, toSwitch } from "./link.ts";
import { renewDestination, targetJudge } from "./targets.ts";

export type LinkUpdate = z.output<typeof linkUpdate>;

/** What is asked for, of a link in its current state. */
export type UpdateOf = (link: StoredLink, partners: Partners) => LinkUpdate;

/** The last two are about the target. */
export type UpdateRejection =
  | "unknown_partner"
  | "partner_without_cost_data"
  | "invalid_request"
  | "limit_reached";

/** What an update does to a link. */
export interface UpdateResult {
  before: StoredLink;
  /** The same as before if the update is rejected. */
  after: StoredLink;
  rejection: UpdateRejection | undefined;
  isChanged: boolean;
  /** Why its target is rejected. */
  targetError?: AppError;
  /** The partner in effect after the update, or that it asks for. */
  partner: Partner | undefined;
}

/**
 * Judges the update of a link. Cost data can be on only while the partner in effect supports it: switching it on is rejected
 * without such a partner, and attaching a partner without support switches it off. Detaching the link's own partner returns the
 * setting to inheriting; a link of level 1 has nothing to inherit, so it is off.
 */
export function judgeUpdate(before: StoredLink, update: LinkUpdate, partners: Partners): UpdateResult {
  const own = update.partner_id === undefined ? before.partnerId : update.partner_id;
  const partner = partners.get(own ?? before.inheritedPartner ?? 0);
  const isSupported = partner?.supportsCostData === 1;
  const rejected = (rejection: UpdateRejection) => ({
    before,
    after: before,
    rejection,
    isChanged: false,
    partner,
  });
  if (update.partner_id != null && !partners.has(update.partner_id)) return rejected("unknown_partner");
  if (update.cost_data_enabled && !isSupported) return rejected("partner_without_cost_data");
  const costSwitch =
    update.cost_data_enabled === undefined
      ? switchAfter(before, update, isSupported)
      : update.cost_data_enabled;
  const settings: db.LinkSettings = {
    label: update.name ?? before.label,
    archived: update.archived === undefined ? before.archived : Number(update.archived),
    partnerId: own,
    costSwitch: costSwitch === null ? null : Number(costSwitch),
    target: update.target === undefined ? before.target : update.target,
  };
  const after = { ...before, ...settings };
  const isChanged = db.SETTINGS.some((key) => before[key] !== after[key]);
  return { before, after, rejection: undefined, isChanged, partner };
}

/** The own switch of a link whose update does not name it; null to inherit. */
function switchAfter(before: StoredLink, { partner_id }: LinkUpdate, isSupported: boolean): boolean | null {
  if (partner_id === null && before.partnerId !== null) return before.level === 1 ? false : null;
  return partner_id != null && !isSupported ? false : toSwitch(before.costSwitch);
}

/** The update that gives a link these settings. */
export const asUpdate = ({ label, archived, partnerId, costSwitch, target }: db.LinkSettings) =>
  ({
    name: label,
    archived: archived === 1,
    partner_id: partnerId,
    cost_data_enabled: toSwitch(costSwitch),
    target,
  }) satisfies Record<LinkSetting, unknown>;

/** The detail of the audit entry, by the names of the API: what differs. */
function toDetail({ before, after }: UpdateResult): object {
  const to: Record<string, unknown> = asUpdate(after);
  const differing = Object.entries(asUpdate(before)).filter(([field, from]) => from !== to[field]);
  return Object.fromEntries(differing.map(([field, from]) => [field, { from, to: to[field] }]));
}

const pick = (link: db.LinkSettings, keys = db.SETTINGS) =>
  Object.fromEntries(keys.map((key) => [key, link[key]])) as unknown as db.LinkSettings;

/** Without what the link inherits, so that there is room for many links in one parameter. */
const toOwn = ({ before, after, partner }: UpdateResult) => ({
  before: pick(before),
  after: pick(after),
  isSupported: partner?.supportsCostData === 1,
});

function toChange({ token, before, after }: db.LinkWrite): LinkChange {
  const changed = db.SETTINGS.filter((key) => before[key] !== after[key]);
  return { token, before: pick(before, changed), after: pick(after, changed) };
}

/** Judges the updates of links, by their tokens. Asks D1 what the app allows if one of them gives a link a target. */
export async function judgeUpdates(
  database: D1Database,
  scope: AppScope,
  { links, partners }: Pick<Awaited<ReturnType<typeof db.readLinks>>, "links" | "partners">,
  updateOf: UpdateOf,
): Promise<Map<string, UpdateResult>> {
  const results = [...links].map(([token, link]): [string, UpdateResult] => [
    token,
    judgeUpdate(link, updateOf(link, partners), partners),
  ]);
  const isNew = ({ before, after }: UpdateResult) => before.target !== after.target;
  const changed = results.flatMap(([, result]) => (isNew(result) ? result.after.target : []));
  const judge = await targetJudge(database, scope, changed);
  return new Map(
    results.map(([token, result]) => {
      const { before, after } = result;
      const targetError = isNew(result) ? judge(after.target, { isMore: before.target === null }) : undefined;
      if (!targetError) return [token, result];
      const rejection = targetError.code as "invalid_request" | "limit_reached";
      return [token, { ...result, after: before, rejection, targetError, isChanged: false }];
    }),
  );
}

/** Finds what `changeLinks` would do. Changes nothing. */
export async function checkLinks({ env }: Context, scope: AppScope, tokens: string[], updateOf: UpdateOf) {
  const { links, ...read } = await db.readLinks(env.DB, scope, tokens);
  return { ...read, results: await judgeUpdates(env.DB, scope, { links, ...read }, updateOf) };
}

/** How often an update is read and judged while others change the same links. */
const MAX_ATTEMPTS = 5;

/** What somebody saw of links before they decided to change them: which settings, and their version. */
type Reviewed = { settings: readonly (keyof db.LinkSettings)[]; version: string };

/** Differs if the links are others, or one of these settings. */
export function versionOf(
  links: Pick<StoredLink, "token" | keyof db.LinkSettings>[],
  settings: Reviewed["settings"],
): string {
  const shown = links.map((link) => [link.token, ...settings.map((key) => link[key])]);
  return sha256(JSON.stringify(shown.sort()));
}

const isAs = (links: StoredLink[], { settings, version }: Reviewed) => versionOf(links, settings) === version;

interface How extends Omit<db.Writing, "now"> {
  /** Nothing is written for links that are not as somebody reviewed them. */
  reviewed?: Reviewed;
  /** For a change that can be undone. */
  record?: Recording;
  /** What else to store in the transaction that writes the changes. */
  alsoStore?: Bound<unknown>[];
}

/**
 * Updates links of an app, each as `updateOf` says for what it has: those whose updates are accepted, all in one transaction.
 * There is no result for a link that the app does not have. Without access to the app, there is none at all. A changed target is
 * what the next click follows. `isStale`: nothing is written, because the links are not as they were reviewed. Throws
 * `unavailable` if others keep changing the links.
 */
export async function changeLinks(
  context: Context,
  scope: AppScope,
  tokens: string[],
  updateOf: UpdateOf,
  { reviewed, record, alsoStore = [], ...writing }: How = {},
) {
  const { now } = context;
  const database = context.env.DB;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const { access, partners, links } = await db.readLinks(database, scope, tokens);
    const results = await judgeUpdates(database, scope, { links, partners }, updateOf);
    const writes = [...results].flatMap(([token, result]) =>
      result.isChanged ? { token, ...toOwn(result), detail: toDetail(result) } : [],
    );
    const isStale = writes.length > 0 && reviewed !== undefined && !isAs([...links.values()], reviewed);
    const read = { access, partners, results, isStale };
    if (isStale) return read;
    const after = record
      ? [changesStatement(database, { appToken: scope.appToken, now, ...record }, writes.map(toChange))]
      : alsoStore;
    if (writes.length === 0 || (await db.writeLinks(database, scope, writes, { ...writing, now }, after))) {
      if (writes.some((write) => write.before.target !== write.after.target))
        await renewDestination(context, scope.appToken);
      return read;
    }
  }
  throw new AppError("unavailable", "Others changed the link at the same time. Resend the request.", {
    headers: { "retry-after": "1" },
  });
}
