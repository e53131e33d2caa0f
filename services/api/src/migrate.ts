import { DatabaseTooNewError, TOO_NEW_EXIT_CODE } from "@waymark/server/db/compatibility.ts";
import { migrate } from "@waymark/server/db/migrate.ts";
import { PRE_RELEASE_EXIT_CODE, PreReleaseDatabaseError } from "@waymark/server/db/pre-release.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { loadOwnerConfig } from "./config.ts";

function exitCodeOf(error: unknown): number {
  if (error instanceof PreReleaseDatabaseError) return PRE_RELEASE_EXIT_CODE;
  return error instanceof DatabaseTooNewError ? TOO_NEW_EXIT_CODE : 1;
}

try {
  const { databaseUrl, serviceDatabaseUrl } = loadOwnerConfig();
  const onWaiting = (message: string) => void process.stderr.write(`waymark migrate: ${message}\n`);
  const { applied, serviceLogin } = await migrate(databaseUrl, { serviceDatabaseUrl, onWaiting });
  const names = applied.map((name) => `  ${name}\n`).join("");
  process.stdout.write(applied.length === 0 ? "The database is up to date.\n" : `Applied:\n${names}`);
  process.stdout.write(
    serviceLogin === undefined
      ? "SERVICE_DATABASE_URL is not set: no login for api and worker was created.\n"
      : `The login for api and worker is ${serviceLogin}.\n`,
  );
} catch (error) {
  process.stderr.write(`waymark migrate: ${toError(error).message}\n`);
  process.exitCode = exitCodeOf(error);
}
