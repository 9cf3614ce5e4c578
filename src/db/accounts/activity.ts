/** Records in the audit log what users do with their own accounts without changing anything. */
import { sql } from "drizzle-orm";
import type { AuditAction } from "../../domain/audit-actions.ts";
import { auditIf } from "../audit.ts";
import { runBatch } from "../statement.ts";

const audit = auditIf(sql`true`);

/** Records something that changes nothing in the database. */
export async function recordActivity(
  db: D1Database,
  actor: { userId: number; now: number },
  action: AuditAction,
): Promise<void> {
  await runBatch(db, audit(db, { ...actor }, action, actor.userId));
}
