import type { Client } from "pg";
import { VERSION } from "@waymark/shared/version.ts";

/**
 * The last migration of the oldest release that can work on this version's database: the release before this one, so that one
 * can go back by one release. A release sets it to the last migration of the previous release (CONTRIBUTING.md).
 */
const OLDEST_MIGRATION = "0010-journey-runs.sql";

/** The exit code of `migrate` on a database that is too new for it. */
export const TOO_NEW_EXIT_CODE = 4;

/** The database was migrated by a release that is newer by more than one. */
export class DatabaseTooNewError extends Error {}

/** A query for the row of {@link refuseNewerDatabase}; it fails in a database that was never migrated. */
export const COMPATIBILITY_SQL = "SELECT oldest_migration, migrated_by FROM waymark_compatibility";

export interface Compatibility {
  oldest_migration: string;
  migrated_by: string;
}

/** A sentence if a version with these migrations can't work on the database. */
export function explainTooNew(
  { oldest_migration: oldest, migrated_by: release }: Compatibility,
  migrations: readonly string[],
): string | undefined {
  if (migrations.includes(oldest)) return undefined;
  return (
    `the database was migrated by Waymark ${release}, and this is ${VERSION}: one can go back by one release only, because an older ` +
    `one can't read the runs under way. Fix: deploy the release before ${release}, or a later one.`
  );
}

/**
 * @param migrations the names of this version's migrations
 * @throws DatabaseTooNewError
 */
export async function refuseNewerDatabase(client: Client, migrations: readonly string[]): Promise<void> {
  const { rows: tables } = await client.query(
    "SELECT WHERE to_regclass('waymark_compatibility') IS NOT NULL",
  );
  if (tables.length === 0) return;
  const { rows } = await client.query<Compatibility>(COMPATIBILITY_SQL);
  const problem = rows[0] && explainTooNew(rows[0], migrations);
  if (problem !== undefined) throw new DatabaseTooNewError(`${problem} Nothing was changed.`);
}

/** Records which versions can work on the database. An older version that migrates again changes nothing. */
export async function recordCompatibility(client: Client): Promise<void> {
  await client.query(`CREATE TABLE IF NOT EXISTS waymark_compatibility (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    oldest_migration text COLLATE "C" NOT NULL,
    migrated_by text NOT NULL)`);
  await client.query(
    `INSERT INTO waymark_compatibility AS recorded (oldest_migration, migrated_by) VALUES ($1, $2)
     ON CONFLICT (only_row) DO UPDATE
     SET oldest_migration = excluded.oldest_migration, migrated_by = excluded.migrated_by
     WHERE recorded.oldest_migration < excluded.oldest_migration`,
    [OLDEST_MIGRATION, VERSION],
  );
}
