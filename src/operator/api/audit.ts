/** The audit log in the operator API. */
import * as z from "zod/mini";
import { type AuditRow, listAudit, listAuditOfSubject } from "../../db/operator/audit.ts";
import { toIso } from "../../domain/time.ts";
import { pageQuery, plainText } from "../../http/input/fields.ts";
import { timestamp } from "../../http/response-schemas.ts";
import { listOperation } from "./item-operations.ts";

const auditEntry = z
  .strictObject({
    id: z.int(),
    happened_at: timestamp,
    user: z.nullable(z.strictObject({ id: z.int(), email: z.string() })),
    action: z.string(),
    subject: z.string(),
    detail: z.record(z.string(), z.unknown()),
  })
  .with(z.meta({ id: "AuditEntry" }));

export function toAuditItem(row: AuditRow): z.output<typeof auditEntry> {
  return {
    id: row.id,
    happened_at: toIso(row.happenedAt),
    user: row.userId === null ? null : { id: row.userId, email: row.email ?? "" },
    action: row.action,
    subject: row.subject,
    detail: JSON.parse(row.detail),
  };
}

const listEntries = listOperation({
  path: "/operator/v1/audit",
  id: "listAudit",
  summary: "List audit log entries",
  input: {
    query: z.extend(pageQuery, {
      subject: z.optional(
        z
          .string()
          .check(z.trim(), plainText(1, 100))
          .with(z.describe("Only the entries of this object, such as `partner 1` or `app demoapp00001`")),
      ),
    }),
    paged: true,
  },
  item: auditEntry,
  errors: [],
  list: ({ env: { DB } }, { query: { subject }, range }) =>
    subject === undefined ? listAudit(DB, range) : listAuditOfSubject(DB, range, { subject }),
  toItem: toAuditItem,
});

export const operations = [listEntries];
