import type { SqlFile } from "./sql-files.ts";

/** The exit code of `migrate` for such a database. */
export const PRE_RELEASE_EXIT_CODE = 3;

/** The database was created by migrations that this version doesn't have. */
export class PreReleaseDatabaseError extends Error {}

/**
 * Refuses a database with migrations unknown to this version. Later names than this version's last one are fine: an older
 * version may have to work on a newer version's database.
 *
 * @param applied the SHA-256 of each applied migration, by its name
 * @throws PreReleaseDatabaseError
 */
export function refusePreRelease(applied: ReadonlyMap<string, string>, migrations: readonly SqlFile[]): void {
  const own = new Map(migrations.map(({ name, sha256 }) => [name, sha256]));
  const last = migrations.at(-1)?.name ?? "";
  for (const [name, sha256] of applied) {
    if (own.has(name) ? own.get(name) === sha256 : name > last) continue;
    throw new PreReleaseDatabaseError(
      "This database was created by a pre-release of Waymark and can't be upgraded to this version " +
        `(migration ${name}): use an empty database in DATABASE_URL.`,
    );
  }
}
