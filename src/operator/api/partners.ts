/** Partners in the operator API. */
import * as z from "zod/mini";
import { replicateCredentials } from "../../db/ledger/credential-copies.ts";
import * as db from "../../db/operator/partners.ts";
import { CONTROL } from "../../domain/characters.ts";
import { COST_TYPE, COST_TYPES, type CostType } from "../../domain/cost-types.ts";
import { expectDefined } from "../../domain/expect-defined.ts";
import { CURRENCY_CODES, DEFAULT_MAX_URL_AMOUNT, formatAmount } from "../../domain/money.ts";
import { toIso } from "../../domain/time.ts";
import { amount, isMacro } from "../../http/input/fields.ts";
import { templatePairs } from "../../http/input/pairs.ts";
import { timestamp } from "../../http/response-schemas.ts";
import { byId, change, name, notFound, page } from "./common.ts";
import { itemOperation, listOperation } from "./item-operations.ts";

const integration = z.enum(["none", "in_round", "integrated"]);

const partner = z
  .strictObject({
    id: z.int(),
    display_name: z.string(),
    supports_cost_data: z
      .boolean()
      .with(z.describe("Whether the partner has integrated a cost type in a round")),
    stopped_at: z
      .nullable(timestamp)
      .with(
        z.describe("Since when an operator keeps the partner from sending costs; null if it may send them"),
      ),
    max_url_amount: z
      .string()
      .with(
        z.describe(
          "The highest price on the URL of a click or impression that counts, in the currency of `cost_parameters`, or in any if that is a macro",
        ),
      ),
    server_to_server: z.boolean(),
    click_parameters: z.string(),
    impression_parameters: z.string(),
    cost_parameters: z.string(),
    cost_types: z.record(z.enum(COST_TYPES), integration),
    open_rounds: z.array(z.int()),
    created_at: timestamp,
  })
  .with(z.meta({ id: "PartnerRecord" }));

export type PartnerItem = z.output<typeof partner>;

export function toPartnerItem(row: db.PartnerRow): PartnerItem {
  return {
    id: row.id,
    display_name: row.displayName,
    supports_cost_data: row.supportsCostData === 1,
    stopped_at: row.stoppedAt === null ? null : toIso(row.stoppedAt),
    max_url_amount: formatAmount(row.maxUrlAmount),
    server_to_server: row.serverToServer === 1,
    click_parameters: row.clickParameters,
    impression_parameters: row.impressionParameters,
    cost_parameters: row.costParameters,
    cost_types: Object.fromEntries(
      COST_TYPES.map((type) => [type, toIntegration(row, type)]),
    ) as PartnerItem["cost_types"],
    open_rounds: JSON.parse(row.openRounds),
    created_at: toIso(row.createdAt),
  };
}

/** The integration state of a partner's cost type. A live cost type that is in a new round counts as integrated. */
function toIntegration(row: db.PartnerRow, type: CostType): z.output<typeof integration> {
  if (row.integratedTypes & COST_TYPE[type].bit) return "integrated";
  return row.typesInRound & COST_TYPE[type].bit ? "in_round" : "none";
}

const MAX_TEMPLATE_BYTES = 4 * 1024;

/** Stored byte for byte, because macros are not valid URLs. */
const template = z.string().check((context) => {
  const reject = (message: string) => context.issues.push({ code: "custom", message, input: context.value });
  const bytes = new TextEncoder().encode(context.value).byteLength;
  if (bytes > MAX_TEMPLATE_BYTES) reject(`has ${bytes} bytes; the limit is ${MAX_TEMPLATE_BYTES}`);
  if (context.value.search(CONTROL) >= 0) reject("must not contain line breaks or other control characters");
  if (!context.value.isWellFormed()) reject("must be well-formed Unicode");
});

/** A literal currency decides which prices on URLs count, so it must be one. Values are compared without decoding them. */
const costTemplate = template.check((context) => {
  const reject = (message: string) => context.issues.push({ code: "custom", message, input: context.value });
  const values = templatePairs(context.value).flatMap(({ name, value }) =>
    name === "cost_currency" ? value : [],
  );
  if (values.length > 1) reject("must name cost_currency only once");
  const isKnown = (value: string) => /^[A-Za-z]{3}$/.test(value) && CURRENCY_CODES.has(value.toUpperCase());
  if (!values.every((value) => isMacro(value) || isKnown(value)))
    reject("must have a macro or an ISO 4217 code as cost_currency, for example USD");
});

const describeTemplate = (urls: string, template: z.ZodMiniType<string, string>) =>
  template.with(z.describe(`Query parameters with the partner's macros, added to ${urls} byte for byte`));

const fields = {
  display_name: name,
  server_to_server: z
    .boolean()
    .with(z.describe("Whether the partner's server opens impression URLs, with `s2s=1`")),
  click_parameters: describeTemplate("click URLs", template),
  impression_parameters: describeTemplate("impression URLs", template),
  cost_parameters: describeTemplate("both URLs while cost data is on", costTemplate),
  max_url_amount: amount,
};

const newPartner = z.strictObject({
  ...fields,
  server_to_server: z._default(fields.server_to_server, false),
  click_parameters: z._default(fields.click_parameters, ""),
  impression_parameters: z._default(fields.impression_parameters, ""),
  cost_parameters: z._default(fields.cost_parameters, ""),
  max_url_amount: z._default(amount, DEFAULT_MAX_URL_AMOUNT),
});
const partnerChange = change({
  ...z.partial(z.object(fields)).shape,
  stopped: z
    .optional(z.boolean())
    .with(
      z.describe(
        "true: costs from this partner are rejected, and its clicks and impressions are recorded with cost data off for good. Costs that count already are kept",
      ),
    ),
});

function toNewPartner(body: Omit<z.output<typeof partnerChange>, "stopped">): db.NewPartner {
  return {
    displayName: body.display_name,
    serverToServer: body.server_to_server,
    clickParameters: body.click_parameters,
    impressionParameters: body.impression_parameters,
    costParameters: body.cost_parameters,
    maxUrlAmount: body.max_url_amount,
  };
}

const listPartners = listOperation({
  path: "/operator/v1/partners",
  id: "listPartnerRecords",
  summary: "List partners with their templates",
  input: page,
  item: partner,
  errors: [],
  list: ({ env }, { range }) => db.listPartners(env.DB, range),
  toItem: toPartnerItem,
});

export const createPartner = itemOperation({
  method: "POST",
  path: "/operator/v1/partners",
  id: "createPartner",
  summary: "Create a partner",
  input: { body: newPartner },
  item: partner,
  errors: [],
  handle: async ({ env }, operator, { body }) =>
    toPartnerItem(expectDefined(await db.insertPartner(env.DB, operator, toNewPartner(body)))),
  locate: ({ id }) => id,
});

const readPartner = itemOperation({
  method: "GET",
  path: "/operator/v1/partners/:id",
  id: "readPartner",
  summary: "Get a partner",
  input: { path: byId },
  item: partner,
  errors: ["not_found"],
  async handle({ env }, _operator, { path: { id } }) {
    const found = await db.findPartner(env.DB, id);
    if (!found) throw notFound("partner");
    return toPartnerItem(found);
  },
});

export const updatePartner = itemOperation({
  method: "PATCH",
  path: "/operator/v1/partners/:id",
  id: "updatePartner",
  summary: "Update a partner's name, templates and highest price on a URL, and stop or resume its costs",
  input: { path: byId, body: partnerChange },
  item: partner,
  errors: ["not_found"],
  async handle({ env: { DB }, ledger }, operator, { path: { id }, body: { stopped, ...body } }) {
    const stoppedAt = stopped === undefined ? undefined : stopped ? operator.now : null;
    const updated = await db.updatePartner(DB, operator, id, { ...toNewPartner(body), stoppedAt });
    if (!updated) throw notFound("partner");
    if (stopped !== undefined) await replicateCredentials(ledger);
    return toPartnerItem(updated);
  },
});

export const operations = [listPartners, createPartner, readPartner, updatePartner];
