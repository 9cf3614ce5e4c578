/** Apps and their destinations in the operator API. */
import { customAlphabet } from "nanoid";
import * as z from "zod/mini";
import * as db from "../../../db/operator/apps.ts";
import { judgePlaceholders, withSample } from "../../../domain/engagements/placeholders.ts";
import {
  DEFAULT_MAX_LINKS,
  DEFAULT_MAX_NEW_SUB_LINKS,
  MAX_FROM_ENGAGEMENTS,
  NETWORKS_OF_NEW_SUB_LINKS,
} from "../../../domain/engagements/sub-links.ts";
import { expectDefined } from "../../../domain/expect-defined.ts";
import { inEnglish } from "../../../domain/texts.ts";
import { appToken, nameText, plainText, readAs } from "../../../http/input/fields.ts";
import { renewDestination } from "../../../usecases/links/targets.ts";
import { INSTANT, instantOrNull, noun } from "../../noun.ts";
import { change, name, notFound, page } from "../common.ts";
import { itemOperation, listOperation } from "../item-operations.ts";
import { confirms_schemes, findUnconfirmed, requireConfirmed, scheme } from "./redirect-schemes.ts";

const byToken = z.object({ token: appToken });

/**
 * An absolute http or https URL, normalized by the URL parser so that it is safe in a header. With placeholders it stays unchanged: the
 * click that fills them normalizes it.
 */
const webUrl = readAs(z.string().check(nameText(1, 2048)), (value, reject) => {
  const sample = withSample(value);
  const url = URL.parse(sample);
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  const problem = judgePlaceholders(value);
  if (problem) reject(problem);
  else if (!url || !isWeb || !/^https?:\/\//i.test(value)) reject("must be an absolute http or https URL");
  else return sample === value ? url.href : value;
  return z.NEVER;
});

/** Labels without wildcards, or an IPv6 address in brackets, with an optional port. */
const PLAIN_HOST = /^([\w-]+(\.[\w-]+)*\.?|\[[\da-f:]+\])(:\d+)?$/;

/** A host with an optional port, normalized by the URL parser. */
const host = readAs(z.string().check(plainText(1, 260)), (value, reject) => {
  const url = /[/?#@\\\s]/.test(value) ? null : URL.parse(`https://${value}`);
  if (url && PLAIN_HOST.test(url.host)) return url.host;
  reject("must be a host without wildcards, for example shop.example.com; hosts are matched exactly");
  return z.NEVER;
});

const MAX_LIST_ITEMS = 100;
const listOf = <T extends z.ZodMiniType>(item: T) =>
  z.array(item).check(z.maxLength(MAX_LIST_ITEMS, `must have at most ${MAX_LIST_ITEMS} items`));

const NO_DAILY_MAXIMUM = `must be a whole number from 0 to ${inEnglish(MAX_FROM_ENGAGEMENTS)}`;
const NO_MAXIMUM = "must be a whole number from 1 to 10,000,000";

const PASSED_ON = "{campaign} or the name of another parameter in braces passes its value on.";

const text = { item: z.string() };
const textOrNull = { item: z.nullable(z.string()) };
const list = { item: z.array(z.string()), from: (json: string) => JSON.parse(json) as string[], default: [] };

export const APP = noun("App", {
  token: text,
  name: { ...text, input: name, form: { label: "Name", required: true } },
  default_url: {
    ...text,
    input: webUrl.with(
      z.describe(
        "Where a click leads when no other destination matches. Can have placeholders: see `/docs/rules#parameters-that-are-passed-on`",
      ),
    ),
    form: {
      label: "Default URL",
      type: "url",
      required: true,
      hint: `Used when no other destination matches. ${PASSED_ON}`,
    },
  },
  ios_url: {
    ...textOrNull,
    input: z
      .nullable(webUrl)
      .with(
        z.describe(
          "The store page for iPhone and iPad. Can have placeholders: see `/docs/rules#parameters-that-are-passed-on`",
        ),
      ),
    default: null,
    form: { label: "App Store URL", type: "url", sends: "text or null", hint: PASSED_ON },
  },
  android_url: {
    ...textOrNull,
    input: z
      .nullable(webUrl)
      .with(
        z.describe(
          "The store page for Android. Can have placeholders: see `/docs/rules#parameters-that-are-passed-on`",
        ),
      ),
    default: null,
    form: {
      label: "Google Play URL",
      type: "url",
      sends: "text or null",
      hint: "Within referrer=, write {{campaign}} with two pairs of braces.",
    },
  },
  redirect_hosts: {
    ...list,
    input: listOf(host).with(z.describe("Hosts that the target of a click may have")),
    form: {
      label: "Allowed redirect hosts",
      rows: 3,
      sends: "lines",
      hint: "One per line, for example shop.example.com",
    },
  },
  redirect_schemes: {
    ...list,
    input: listOf(scheme).with(
      z.describe(
        "URL schemes that the target of a click may have, for example https or that of your app. A target with the scheme intent needs the package of `android_url`",
      ),
    ),
    form: {
      label: "Allowed redirect URL schemes",
      rows: 2,
      sends: "lines",
      hint: "One per line, for example https or your app's own scheme",
    },
  },
  link_count: { item: z.int().with(z.describe("Number of network links (level 1)")) },
  max_links: {
    item: z.int(),
    input: z
      .int(NO_MAXIMUM)
      .check(z.minimum(1, NO_MAXIMUM), z.maximum(10_000_000, NO_MAXIMUM))
      .with(
        z.describe(
          "The links that users can create, at all levels. Those that clicks and impressions create do not count",
        ),
      ),
    default: DEFAULT_MAX_LINKS,
    form: {
      label: "Maximum number of links",
      required: true,
      sends: "number",
      hint: "Links that users create, at all levels.",
    },
  },
  max_new_sub_links: {
    item: z.int(),
    input: z
      .int(NO_DAILY_MAXIMUM)
      .check(z.minimum(0, NO_DAILY_MAXIMUM), z.maximum(MAX_FROM_ENGAGEMENTS, NO_DAILY_MAXIMUM))
      .with(
        z.describe(
          `The links that clicks and impressions can create below one network on one day; ${NETWORKS_OF_NEW_SUB_LINKS} times as many in the app. Links that are archived, and those that users create or import, do not count. 0: none`,
        ),
      ),
    default: DEFAULT_MAX_NEW_SUB_LINKS,
    form: {
      label: "New links from clicks, for each network and day",
      required: true,
      sends: "number",
      hint: `Clicks whose URL names a new campaign create it. All networks of the app together get ${NETWORKS_OF_NEW_SUB_LINKS} times as many. 0: none.`,
    },
  },
  created_link_count: { item: z.int().with(z.describe("Number of links at all levels that users created")) },
  created_at: INSTANT,
  archived_at: instantOrNull("Since when the app is hidden from lists; null if it is not archived"),
});

export type AppItem = z.output<typeof APP.item>;

const appChange = change(
  {
    ...APP.changed,
    archived: z
      .optional(z.boolean())
      .with(
        z.describe(
          "true: the app is hidden from the lists of its members. Its links keep redirecting and recording, and its reports stay",
        ),
      ),
  },
  { confirms_schemes },
);

const listApps = listOperation({
  path: "/operator/v1/apps",
  id: "listApps",
  summary: "List apps",
  input: page,
  item: APP.item,
  errors: [],
  list: ({ env }, { range }) => db.listApps(env.DB, range),
  toItem: APP.toItem,
});

const createAppToken = customAlphabet("0123456789abcdefghijklmnopqrstuvwxyz", 12);

export const createApp = itemOperation({
  method: "POST",
  path: "/operator/v1/apps",
  id: "createApp",
  summary: "Create an app",
  input: { body: z.strictObject({ ...APP.created, confirms_schemes }) },
  item: APP.item,
  errors: [],
  judge: ({ env }, body) => findUnconfirmed(env.DB, body),
  async handle({ env }, operator, { body: { confirms_schemes, ...body } }) {
    await requireConfirmed(env.DB, { ...body, confirms_schemes });
    const inserted = await db.insertApp(env.DB, operator, createAppToken(), APP.toValues(body));
    return APP.toItem(expectDefined(inserted));
  },
  locate: ({ token }) => token,
});

export const readApp = itemOperation({
  method: "GET",
  path: "/operator/v1/apps/:token",
  id: "readApp",
  summary: "Read an app",
  input: { path: byToken },
  item: APP.item,
  errors: ["not_found"],
  async handle({ env }, _operator, { path: { token } }) {
    const found = await db.findApp(env.DB, token);
    if (!found) throw notFound("app");
    return APP.toItem(found);
  },
});

export const updateApp = itemOperation({
  method: "PATCH",
  path: "/operator/v1/apps/:token",
  id: "updateApp",
  summary: "Update an app and its destinations, and archive or restore it",
  input: { path: byToken, body: appChange },
  item: APP.item,
  errors: ["not_found"],
  judge: ({ env }, body) => findUnconfirmed(env.DB, body),
  async handle(context, operator, { path: { token }, body: { archived, confirms_schemes, ...body } }) {
    const { DB } = context.env;
    await requireConfirmed(DB, { ...body, confirms_schemes });
    const updated = await db.updateApp(DB, operator, token, { ...APP.toValues(body), archived });
    if (!updated) throw notFound("app");
    await renewDestination(context, token);
    return APP.toItem(updated);
  },
});

export const operations = [listApps, createApp, readApp, updateApp];
