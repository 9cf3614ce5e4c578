/** The audit log in the operator API. */
import * as z from "zod/mini";
import { type AuditRow, listAudit, MAX_READ } from "../../db/operator/audit.ts";
import { AUDIT_ACTIONS } from "../../domain/audit-actions.ts";
import { inEnglish } from "../../domain/texts.ts";
import { DAY_MS, toIso } from "../../domain/time.ts";
import { idText, pageQuery, plainText, utcDate } from "../../http/input/fields.ts";
import { daysInOrder } from "../../http/input/report-fields.ts";
import { isChange } from "../../pages/audit/changes.ts";
import { INSTANT, noun } from "../noun.ts";
import { listOperation } from "./item-operations.ts";

export const AUDIT_ENTRY = noun("AuditEntry", {
  id: { item: z.int() },
  happened_at: INSTANT,
  user: {
    item: z.nullable(z.strictObject({ id: z.int(), email: z.string() })),
    of: ({ userId: id, email }: AuditRow) => (id === null ? null : { id, email: email ?? "" }),
  },
  action: { item: z.string() },
  subject: { item: z.string() },
  detail: {
    item: z.record(z.string(), z.unknown()),
    from: (json: string) =>
      Object.fromEntries(
        Object.entries(JSON.parse(json) as object).map(([key, value]) => [key, withTimes(key, value)]),
      ),
  },
  request_id: {
    item: z
      .nullable(z.string())
      .with(z.describe("The `X-Request-Id` of the request. A request can have several entries")),
  },
});

/** The log keeps times in milliseconds since 1970, as the columns do that change. */
function withTimes(key: string, value: unknown): unknown {
  if (!key.endsWith("_at")) return value;
  if (typeof value === "number") return toIso(value);
  return isChange(value) ? { from: withTimes(key, value.from), to: withTimes(key, value.to) } : value;
}

const auditQuery = z
  .strictObject({
    ...pageQuery.shape,
    from: z.optional(utcDate).with(z.describe("Only entries from this day on, in UTC")),
    to: z.optional(utcDate).with(z.describe("Only entries up to this day, in UTC")),
    action: z.optional(z.enum(AUDIT_ACTIONS, "must be an action of the log, such as create link")),
    user: z.optional(idText).with(z.describe("The ID of a user: only the entries of this user")),
    subject: z.optional(
      z
        .string()
        .check(z.trim(), plainText(1, 100))
        .with(z.describe("Only the entries of this object, such as `partner 1` or `app demoapp00001`")),
    ),
  })
  .check(daysInOrder);

const listEntries = listOperation({
  path: "/operator/v1/audit",
  id: "listAudit",
  summary: "List audit log entries",
  description: `The newest first. Without \`subject\`, filters look at the last ${inEnglish(MAX_READ)} entries up to \`to\`.`,
  input: { query: auditQuery, paged: true },
  item: AUDIT_ENTRY.item,
  errors: [],
  order: "DESC",
  list: ({ env: { DB } }, { query: { from, to, action, user, subject }, range }) =>
    listAudit(DB, range, {
      ...(from !== undefined && { from: from * DAY_MS }),
      ...(to !== undefined && { to: (to + 1) * DAY_MS }),
      ...(action && { action }),
      ...(user !== undefined && { user }),
      ...(subject !== undefined && { subject }),
    }),
  toItem: AUDIT_ENTRY.toItem,
});

export const operations = [listEntries];
