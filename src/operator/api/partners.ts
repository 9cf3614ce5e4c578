/** Partners in the operator API. */
import * as z from "zod/mini";
import { replicateCredentials } from "../../db/ledger/shards.ts";
import * as db from "../../db/operator/partners.ts";
import type { Event } from "../../db/webhooks/outbox.ts";
import { CONTROL } from "../../domain/characters.ts";
import { COST_TYPE, COST_TYPES, type CostType } from "../../domain/cost-types.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import { DEFAULT_MAX_URL_AMOUNT, formatAmount } from "../../domain/money.ts";
import {
  judgeTemplate,
  judgeTemplates,
  judgeTogether,
  listMacros,
  TEMPLATES,
  type TemplateName,
  type Templates,
} from "../../domain/templates.ts";
import { inEnglish } from "../../domain/texts.ts";
import type { InputError } from "../../errors.ts";
import { amount, sumOfAmounts } from "../../http/input/fields.ts";
import { invalidRequest } from "../../http/input/parse.ts";
import { INSTANT, instantOrNull, isSet, noun } from "../noun.ts";
import { byId, change, name, notFound, page } from "./common.ts";
import { itemOperation, listOperation } from "./item-operations.ts";

/** The integration state of a partner's cost type. A live cost type that is in a new round counts as integrated. */
function toIntegration(row: db.PartnerRow, type: CostType): "none" | "in_round" | "integrated" {
  if (row.integratedTypes & COST_TYPE[type].bit) return "integrated";
  return row.typesInRound & COST_TYPE[type].bit ? "in_round" : "none";
}

export const toTemplates = (
  row: Pick<db.PartnerRow, "clickParameters" | "impressionParameters" | "costParameters">,
): Templates => ({
  click_parameters: row.clickParameters,
  impression_parameters: row.impressionParameters,
  cost_parameters: row.costParameters,
});

type Sent = { [Name in TemplateName]?: string | undefined };

const withSent = (saved: Templates, sent: Sent): Templates => ({
  click_parameters: sent.click_parameters ?? saved.click_parameters,
  impression_parameters: sent.impression_parameters ?? saved.impression_parameters,
  cost_parameters: sent.cost_parameters ?? saved.cost_parameters,
});

/** A URL has the parameters of two templates: what is wrong if a new one has a name that the other has too. */
export function judgeSent(saved: Templates, sent: Sent): InputError[] {
  const before = judgeTogether(saved).map(({ message }) => message);
  return judgeTogether(withSent(saved, sent)).filter(({ message }) => !before.includes(message));
}

/** Throws invalid_request. */
function checkTogether(saved: Templates, sent: Sent): void {
  const errors = judgeSent(saved, sent);
  if (errors.length > 0) throw invalidRequest(errors);
}

const MAX_TEMPLATE_BYTES = 4 * 1024;

/** Stored byte for byte, because macros are not valid URLs. */
const template = (name: TemplateName) =>
  z.string().check((context) => {
    const { value } = context;
    const reject = (message: string) => context.issues.push({ code: "custom", message, input: value });
    const bytes = new TextEncoder().encode(value).byteLength;
    if (bytes > MAX_TEMPLATE_BYTES)
      reject(`must have at most ${inEnglish(MAX_TEMPLATE_BYTES)} bytes; this has ${inEnglish(bytes)}`);
    if (value.search(CONTROL) >= 0) reject("must not contain line breaks or other control characters");
    if (!value.isWellFormed()) reject("must be well-formed Unicode");
    if (context.issues.length === 0) judgeTemplate(name, value).forEach(reject);
  });

const templateField = (name: TemplateName, label: string, urls: string, hint = "") => ({
  item: z.string(),
  input: template(name).with(
    z.describe(`Query parameters with the partner's macros, added byte for byte to ${urls}`),
  ),
  default: "",
  form: { label, rows: 3, hint },
});

const MAX_URL_AMOUNT =
  "The highest price on the URL of a click or impression that counts, in the currency of `cost_parameters`, or in any if that is a macro. For a new partner, 100 by default";

const MAX_URL_SPEND =
  "The highest sum of the prices on URLs of one app, currency and UTC day. A price that would exceed it is held: it does not count until an operator accepts or drops it. With shards, each has its part, at least `max_url_amount`. null: no limit";

export const PARTNER = noun("PartnerRecord", {
  id: { item: z.int() },
  display_name: { item: z.string(), input: name, form: { label: "Name", required: true } },
  supports_cost_data: {
    item: z.boolean().with(z.describe("Whether the partner has integrated a cost type in a round")),
    from: isSet,
  },
  stopped_at: instantOrNull(
    "Since when an operator keeps the partner from sending costs; null if it may send them",
  ),
  click_parameters: templateField("click_parameters", "Click parameters", "click URLs"),
  impression_parameters: templateField("impression_parameters", "Impression parameters", "impression URLs"),
  cost_parameters: templateField(
    "cost_parameters",
    "Cost parameters",
    "both URLs while cost data is on",
    `Added to click and impression URLs while cost data is on. Costs can't be matched without a cost_id. Use the partner's own macro, for example cost_id={click_id}&cost_type=${COST_TYPES[0]}`,
  ),
  server_to_server: {
    item: z.boolean(),
    from: isSet,
    input: z.boolean().with(z.describe("Whether the partner's server opens impression URLs, with `s2s=1`")),
    default: false,
    form: { label: "Server to server: add s2s=1 to impression URLs", box: true },
  },
  max_url_amount: {
    item: z.string().with(z.describe(MAX_URL_AMOUNT)),
    from: formatAmount,
    input: amount.with(z.describe(MAX_URL_AMOUNT)),
    default: DEFAULT_MAX_URL_AMOUNT,
    form: { label: "Highest price on a URL", required: true },
  },
  max_url_spend: {
    item: z.nullable(z.string()).with(z.describe(MAX_URL_SPEND)),
    from: (units: number | null) => (units === null ? null : formatAmount(units)),
    input: z.nullable(sumOfAmounts).with(z.describe(MAX_URL_SPEND)),
    default: null,
    form: {
      label: "Daily limit for spend from prices on URLs",
      sends: "text or null",
      hint: "For each app and currency. Prices above it are held until you accept or drop them.",
    },
  },
  cost_types: {
    item: z.record(z.enum(COST_TYPES), z.enum(["none", "in_round", "integrated"])),
    of: (row: db.PartnerRow) =>
      Object.fromEntries(COST_TYPES.map((type) => [type, toIntegration(row, type)])),
  },
  template_problems: {
    item: z
      .array(z.strictObject({ param: z.enum(TEMPLATES), message: z.string() }))
      .with(
        z.describe("What is wrong with templates that were saved before it was checked; they still work"),
      ),
    of: (row: db.PartnerRow) => judgeTemplates(toTemplates(row)),
  },
  open_rounds: { item: z.array(z.int()), from: (json: string) => JSON.parse(json) as number[] },
  last_cost_at: instantOrNull(
    "When the last cost came, accepted or rejected, to the hour, as the hourly job found it; null if none came in the last weeks",
  ),
  last_click_at: instantOrNull(
    "When the last click was recorded, to the hour; null if none was in the last weeks",
  ),
  open_mismatches: {
    item: z
      .nullable(z.int())
      .with(z.describe("In its open rounds, as the hourly job found them; null before its first run")),
  },
  created_at: INSTANT,
});

export const partnerChange = change({
  ...PARTNER.changed,
  stopped: z
    .optional(z.boolean())
    .with(
      z.describe(
        "true: costs from this partner are rejected, and its clicks and impressions are recorded with cost data off permanently. Costs that already count are kept",
      ),
    ),
});

const toStopped = ({ id, displayName }: db.PartnerRow): Event => ({
  type: "partner.stopped",
  partnerId: id,
  text: `${displayName} was stopped. Its costs are rejected from now on.`,
  data: { partner_id: id, partner: displayName },
});

const listPartners = listOperation({
  path: "/operator/v1/partners",
  id: "listPartnerRecords",
  summary: "List partners with their templates",
  input: page,
  item: PARTNER.item,
  errors: [],
  list: ({ env }, { range }) => db.listPartners(env.DB, range),
  toItem: PARTNER.toItem,
});

const NO_TEMPLATES: Templates = { click_parameters: "", impression_parameters: "", cost_parameters: "" };

export const createPartner = itemOperation({
  method: "POST",
  path: "/operator/v1/partners",
  id: "createPartner",
  summary: "Create a partner",
  input: { body: z.strictObject(PARTNER.created) },
  item: PARTNER.item,
  errors: [],
  async handle({ env }, operator, { body }) {
    checkTogether(NO_TEMPLATES, body);
    const values = { ...PARTNER.toValues(body), macros: listMacros(body) };
    return PARTNER.toItem(expectDefined(await db.insertPartner(env.DB, operator, values)));
  },
  locate: ({ id }) => id,
});

const readPartner = itemOperation({
  method: "GET",
  path: "/operator/v1/partners/:id",
  id: "readPartner",
  summary: "Read a partner",
  input: { path: byId },
  item: PARTNER.item,
  errors: ["not_found"],
  async handle({ env }, _operator, { path: { id } }) {
    const found = await db.findPartner(env.DB, id);
    if (!found) throw notFound("partner");
    return PARTNER.toItem(found);
  },
});

export const updatePartner = itemOperation({
  method: "PATCH",
  path: "/operator/v1/partners/:id",
  id: "updatePartner",
  summary: "Update a partner's name, templates and highest price on a URL, and stop or resume its costs",
  input: { path: byId, body: partnerChange },
  item: PARTNER.item,
  errors: ["not_found"],
  async handle({ env: { DB }, ledger }, operator, { path: { id }, body: { stopped, ...body } }) {
    let macros: string | undefined;
    let event: Event | undefined;
    const hasTemplates = TEMPLATES.some((name) => body[name] !== undefined);
    if (hasTemplates || stopped) {
      const saved = await db.findPartner(DB, id);
      if (!saved) throw notFound("partner");
      if (hasTemplates) {
        checkTogether(toTemplates(saved), body);
        macros = listMacros(withSent(toTemplates(saved), body));
      }
      if (stopped) event = toStopped(saved);
    }
    const stoppedAt = stopped === undefined ? undefined : stopped ? operator.now : null;
    const change = { ...PARTNER.toValues(body), macros, stoppedAt };
    const updated = await db.updatePartner(DB, operator, id, change, event);
    if (!updated) throw notFound("partner");
    if (stopped !== undefined || macros !== undefined) await replicateCredentials(ledger);
    return PARTNER.toItem(updated);
  },
});

export const operations = [listPartners, createPartner, readPartner, updatePartner];
