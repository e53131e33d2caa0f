import { parseArgs } from "node:util";
import { createDatabasePool } from "@waymark/shared/db/pool.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import { createOrganization } from "./organizations/create-organization.ts";
import { loadOwnerDatabaseUrl } from "./config.ts";

const USAGE = `The operator's way in, without a key. It needs DATABASE_URL of the database's owner.

  npm run admin -- create-organization NAME [--json]   an organization and its first key, printed once
`;

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`waymark admin: ${toError(error).message}\n`);
  process.exitCode = 1;
}

async function run(args: string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: "boolean", default: false } },
  });
  const [command, name] = positionals;
  if (command !== "create-organization" || name === undefined || name === "") {
    process.stderr.write(USAGE);
    process.exitCode = 2;
    return;
  }
  const db = await createDatabasePool(loadOwnerDatabaseUrl(), { max: 1, applicationName: "waymark-admin" });
  try {
    const created = await createOrganization(db, { name });
    process.stdout.write(
      values.json
        ? `${JSON.stringify(created)}\n`
        : `Organization: ${created.organizationId}\nAPI key:      ${created.apiKey}\nStore the key now: it can't be shown again.\n`,
    );
  } finally {
    await db.end();
  }
}
