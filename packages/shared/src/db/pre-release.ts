import type { SqlFile } from "./sql-files.ts";

/** What migrate ends with on such a database, so that `npm start` can say what to do about it. */
export const PRE_RELEASE_EXIT_CODE = 3;

/** The database was made by migrations that this version does not have. */
export class PreReleaseDatabaseError extends Error {}

/**
 * Refuses a database whose applied migrations are not this version's. Names after this version's last one are right: a
 * newer version's database is one that an older version may have to work on.
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
      "This database was made by a pre-release of Waymark and can't be upgraded to this version " +
        `(migration ${name}): use an empty database in DATABASE_URL.`,
    );
  }
}
