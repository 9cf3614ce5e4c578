/** Integration rounds in the operator API. A round and its report as JSON are in src/usecases/rounds/. */
import * as z from "zod/mini";
import type { Operator } from "../../db/audit.ts";
import { replicateCredentials } from "../../db/ledger/shards.ts";
import { findPartner } from "../../db/operator/partners.ts";
import * as changes from "../../db/operator/rounds/changes.ts";
import * as lists from "../../db/operator/rounds/lists.ts";
import { type FoundRound, findRound } from "../../db/operator/rounds/rounds.ts";
import type { CostType } from "../../domain/cost-types.ts";
import { FINDING_KINDS, type Finding } from "../../domain/rounds/findings.ts";
import { judgeRound, type RoundReport } from "../../domain/rounds/report.ts";
import type { Context } from "../../env.ts";
import { AppError, type InputError } from "../../errors.ts";
import { idNumber, plainText } from "../../http/input/fields.ts";
import { KIND_NAMES } from "../../pages/costs/rounds.ts";
import { round, roundWithReport } from "../../usecases/rounds/schemas.ts";
import {
  toFinalReport,
  toReportItem,
  toRoundItem,
  toRoundWithReport,
} from "../../usecases/rounds/serialize.ts";
import { INSTANT, noun } from "../noun.ts";
import {
  badField,
  byId,
  costTypes,
  createSecret,
  notFound,
  page,
  pageByPartner,
  reason,
  unknownPartner,
} from "./common.ts";
import { itemOperation, listOperation } from "./item-operations.ts";

const listRounds = listOperation({
  path: "/operator/v1/rounds",
  id: "listRounds",
  summary: "List integration rounds",
  input: pageByPartner,
  item: round,
  errors: [],
  list: ({ env: { DB } }, { query: { partner_id: partnerId }, range }) =>
    partnerId === undefined
      ? lists.listRounds(DB, range)
      : lists.listRoundsOfPartner(DB, range, { partnerId }),
  toItem: toRoundItem,
});

export const newRound = z.strictObject({ partner_id: idNumber, cost_types: costTypes });

export const openRound = itemOperation({
  method: "POST",
  path: "/operator/v1/rounds",
  id: "openRound",
  summary: "Open an integration round and create its test credential",
  input: { body: newRound },
  item: z.strictObject({
    ...roundWithReport.shape,
    test_credential: z.string().with(z.describe("Returned only in this response")),
  }),
  errors: ["round_open"],
  async handle(context, operator, { body: { partner_id, cost_types } }) {
    const { DB } = context.env;
    const { secret, stored } = createSecret("test");
    const opened = { partnerId: partner_id, costTypes: cost_types, ...stored };
    const id = await changes.insertRound(DB, operator, opened);
    if (id === undefined)
      throw (await findPartner(DB, partner_id)) ? new AppError("round_open") : unknownPartner();
    return { ...toRoundWithReport(await find(context, id)), test_credential: secret };
  },
  locate: ({ id }) => id,
});

export const readRound = itemOperation({
  method: "GET",
  path: "/operator/v1/rounds/:id",
  id: "readRoundReport",
  summary: "Read a round with its report",
  input: { path: byId },
  item: roundWithReport,
  errors: ["not_found"],
  isReport: true,
  handle: async (context, _operator, { path: { id } }) => toRoundWithReport(await find(context, id)),
});

async function find({ ledger, now }: Context, id: number): Promise<FoundRound> {
  const found = await findRound(ledger, id, now);
  if (!found) throw notFound("round");
  return found;
}

const ENTRY = noun("RoundEntry", {
  number: { item: z.int() },
  received_at: INSTANT,
  cost_id: { item: z.nullable(z.string()) },
  sent: { item: z.record(z.string(), z.string()) },
  errors: { item: z.array(z.strictObject({ param: z.string(), message: z.string() })) },
  answer: { item: z.string().with(z.describe("`ok` or an error code")) },
});

const listEntries = listOperation({
  path: "/operator/v1/rounds/:id/entries",
  id: "listRoundEntries",
  summary: "List the entries of a round",
  input: { path: byId, ...page },
  item: ENTRY.item,
  errors: ["not_found"],
  list: ({ env }, { path: { id }, range }) => lists.listEntries(env.DB, range, id),
  toItem: ENTRY.toItem,
});

/** The types to approve: all of the round by default. */
const approval = z._default(
  z.strictObject({
    cost_types: z
      .optional(costTypes)
      .with(z.describe("The cost types to make live, which must pass. All of the round by default")),
  }),
  {},
);

export const approveRound = itemOperation({
  method: "POST",
  path: "/operator/v1/rounds/:id/approve",
  id: "approveRound",
  summary: "Approve a round and make its cost types live",
  description:
    "With `cost_types`, only these go live, and the others need another round. Open mismatches without a cost type block every approval.",
  input: { path: byId, body: approval },
  item: roundWithReport,
  returns: "Approved",
  errors: ["not_found", "round_ended", "mismatch_open", "round_moved"],
  handle: (context, operator, { path: { id }, body }) =>
    end(context, operator, id, (all) => body.cost_types ?? all),
});

export const closeRound = itemOperation({
  method: "POST",
  path: "/operator/v1/rounds/:id/close",
  id: "closeRound",
  summary: "Close a round without approval",
  input: { path: byId },
  item: roundWithReport,
  returns: "Closed",
  errors: ["not_found", "round_ended", "round_moved"],
  handle: (context, operator, { path: { id } }) => end(context, operator, id, () => null),
});

/**
 * Ends a round. `choose` returns the cost types that go live; null closes the round. Throws mismatch_open if they do not pass, and
 * round_moved if submissions arrive after the report was created.
 */
async function end(
  context: Context,
  operator: Operator,
  id: number,
  choose: (types: CostType[]) => CostType[] | null,
) {
  const { row, record } = await find(context, id);
  if (row.state !== "open") {
    // A shard may have missed the approval. The operator who got that error approves again.
    if (row.state === "approved") await replicateCredentials(context.ledger);
    throw new AppError("round_ended");
  }
  const { costTypes } = record;
  const report = judgeRound(record);
  const approved = choose(costTypes);
  if (approved) {
    const unknown = approved.filter((type) => !costTypes.includes(type));
    if (unknown.length > 0)
      throw badField(
        "cost_types",
        `must be cost types of this round, which does not test ${unknown.join(", ")}`,
      );
    const errors = toBlockers(report, approved);
    if (errors.length > 0) throw new AppError("mismatch_open", undefined, { errors });
  }
  const finalReport = toFinalReport(toReportItem(report));
  const ending = { id, approved, entryCount: report.entryCount, finalReport };
  const { partnerId, partner } = row;
  const ended = await changes.endRound(context.env.DB, operator, ending, { partnerId, partner, costTypes });
  if (!ended) throw new AppError("round_moved");
  await replicateCredentials(context.ledger);
  return toRoundWithReport(await find(context, id));
}

/** Everything that blocks the approval of these cost types. */
function toBlockers(report: RoundReport, costTypes: CostType[]): InputError[] {
  const types = report.types.filter((type) => costTypes.includes(type.costType));
  const missing = types
    .filter((type) => type.matched === 0)
    .map((type) => ({ param: type.costType, message: "has no match yet" }));
  const open = [...types.flatMap((type) => type.findings), ...report.others]
    .filter((finding) => finding.state === "open")
    .map((finding) => ({
      param: finding.costType ?? "other_findings",
      message: `has an open mismatch, ${finding.key}: ${KIND_NAMES[finding.kind].toLowerCase()}. ${finding.remedy.replace(/\.$/, "")}`,
    }));
  return [...missing, ...open];
}

const findingsOf = (report: RoundReport): Finding[] => [
  ...report.types.flatMap((type) => type.findings),
  ...report.others,
];

const finding = z
  .string()
  .check(plainText(1, 300))
  .with(z.describe("The `finding` of the report, for example `entry 9` or `click corsair-click-0003`"));

const dismissal = z
  .strictObject({
    finding: z.optional(finding),
    kind: z
      .optional(z.enum([...FINDING_KINDS, "incomplete"], "must be a kind of mismatch"))
      .with(z.describe("Dismisses all open mismatches of this kind, up to 1,000 in a request")),
    reason: z.optional(reason).with(z.describe("Why. The partner sees it, and the audit log keeps it")),
  })
  .check(
    z.refine(
      ({ finding, kind }) => (finding === undefined) !== (kind === undefined),
      "must have either finding or kind",
    ),
  );

/** The statement that stores dismissals takes at most 2 MB of text. */
const MAX_DISMISSALS = 1_000;

/** A dismissed mismatch no longer blocks approval. */
export const dismissFinding = itemOperation({
  method: "POST",
  path: "/operator/v1/rounds/:id/dismissals",
  id: "dismissFinding",
  summary: "Dismiss an open mismatch, or all of a kind",
  input: { path: byId, body: dismissal },
  item: roundWithReport,
  errors: ["not_found", "round_ended"],
  async handle(context, operator, { path: { id }, body: { finding, kind, reason = null } }) {
    const { row, record } = await find(context, id);
    if (row.state !== "open") throw new AppError("round_ended");
    const all = findingsOf(judgeRound(record));
    const findings =
      finding === undefined
        ? all.filter((one) => one.kind === kind && one.state === "open").map(({ key }) => key)
        : [findOpen(all, finding)];
    if (findings.length === 0) throw badField("kind", "has no open mismatches");
    const dismissed = { id, findings: findings.slice(0, MAX_DISMISSALS), kind, reason };
    await changes.insertDismissals(context.env.DB, operator, dismissed);
    return toRoundWithReport(await find(context, id));
  },
});

/** The key of an open mismatch. Throws invalid_request. */
function findOpen(findings: Finding[], key: string): string {
  const named = findings.find((one) => one.key === key);
  if (!named)
    throw badField("finding", "must be a `finding` from the report of this round, for example entry 9");
  if (named.state !== "open")
    throw badField("finding", `is ${named.state}; only an open mismatch can be dismissed`);
  return named.key;
}

export const undoDismissal = itemOperation({
  method: "DELETE",
  path: "/operator/v1/rounds/:id/dismissals",
  id: "undoDismissal",
  summary: "Undo the dismissal of a mismatch",
  input: { path: byId, query: z.object({ finding }) },
  item: roundWithReport,
  returns: "The round with the open mismatch",
  errors: ["not_found", "round_ended"],
  async handle(context, operator, { path: { id }, query: { finding } }) {
    const { row } = await find(context, id);
    if (row.state !== "open") throw new AppError("round_ended");
    if (!(await changes.deleteDismissal(context.env.DB, operator, id, finding)))
      throw badField("finding", "is not a dismissed mismatch of this round");
    return toRoundWithReport(await find(context, id));
  },
});

export const operations = [
  listRounds,
  openRound,
  readRound,
  listEntries,
  approveRound,
  closeRound,
  dismissFinding,
  undoDismissal,
];
