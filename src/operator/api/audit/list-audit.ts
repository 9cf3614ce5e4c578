import { operatorOperation } from "../../../auth/operations.ts";
import { listAudit } from "../../../db/operator/audit.ts";
import { pageQuery } from "../../../http/fields.ts";
import { auditEntry, toAuditItem } from "../../resources/audit.ts";
import { pageOf, pageResponse } from "../responses.ts";

export const listAuditOperation = operatorOperation({
  method: "GET",
  path: "/operator/v1/audit",
  id: "listAudit",
  summary: "List audit log entries",
  input: { query: pageQuery, paged: true as const },
  responses: pageOf(auditEntry),
  errors: [],
  handle: async (context, _operator, { range }) =>
    pageResponse(context, range, await listAudit(context.env.DB, range), toAuditItem),
});
