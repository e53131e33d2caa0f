import { type DatabasePool, sql } from "slonik";
import { z } from "zod";
import { readMigrations } from "./migrate.ts";

const ReadinessRow = z.object({ applied: z.array(z.string()), privileged: z.boolean() });

/** `ok`, or what keeps this process from working on the database. Waits for at most the pool's own time limits. */
export async function checkReadiness(db: DatabasePool): Promise<string> {
  const expected = await readMigrations();
  try {
    const row = await db.one(sql.type(ReadinessRow)`
      SELECT (SELECT coalesce(array_agg(name), '{}') FROM waymark_migrations) AS applied,
             (SELECT r.rolsuper OR r.rolbypassrls FROM pg_roles r WHERE r.rolname = current_user)
               OR pg_has_role(current_user, (SELECT c.relowner FROM pg_class c WHERE c.oid = 'scan_runs'::regclass), 'USAGE')
               AS privileged`);
    const missing = expected.filter((migration) => !row.applied.includes(migration.name));
    if (missing.length > 0) return `migrations are missing (${missing.length}): run npm run migrate`;
    if (row.privileged)
      return "the database role bypasses row-level security: use a login in the role waymark_app";
    return "ok";
  } catch {
    return "can't be reached, or was never migrated";
  }
}
