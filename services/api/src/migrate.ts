import { migrate } from "@waymark/shared/db/migrate.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { loadOwnerDatabaseUrl } from "./config.ts";

try {
  const applied = await migrate(loadOwnerDatabaseUrl());
  const names = applied.map((name) => `  ${name}\n`).join("");
  process.stdout.write(applied.length === 0 ? "The database is up to date.\n" : `Applied:\n${names}`);
} catch (error) {
  process.stderr.write(`waymark migrate: ${toError(error).message}\n`);
  process.exitCode = 1;
}
