import { migrate } from "@waymark/shared/db/migrate.ts";
import { PRE_RELEASE_EXIT_CODE, PreReleaseDatabaseError } from "@waymark/shared/db/pre-release.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { loadOwnerConfig } from "./config.ts";

try {
  const { databaseUrl, serviceDatabaseUrl } = loadOwnerConfig();
  const { applied, serviceLogin } = await migrate(databaseUrl, { serviceDatabaseUrl });
  const names = applied.map((name) => `  ${name}\n`).join("");
  process.stdout.write(applied.length === 0 ? "The database is up to date.\n" : `Applied:\n${names}`);
  process.stdout.write(
    serviceLogin === undefined
      ? "SERVICE_DATABASE_URL is not set: no login for api and worker was created.\n"
      : `The login for api and worker is ${serviceLogin}.\n`,
  );
} catch (error) {
  process.stderr.write(`waymark migrate: ${toError(error).message}\n`);
  process.exitCode = error instanceof PreReleaseDatabaseError ? PRE_RELEASE_EXIT_CODE : 1;
}
