// `npm run schema`: writes packages/server/src/db/schema.sql, the schema that migrations and functions make on an empty
// Postgres. With --check, as in `npm run check`: says whether that file is still right.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describeFreshSchema } from "@waymark/server/db/describe-schema.ts";
import { root } from "./bootstrap/checkout.mjs";
import { findFreePort } from "./postgres/free-port.ts";
import { startPostgres } from "./postgres/start-postgres.ts";

const FILE = "packages/server/src/db/schema.sql";
const HEADER = `-- The schema that migrations/, functions/ and roles/grants.sql make, to be read and reviewed; nothing runs this file.
-- \`npm run schema\` writes it, and \`npm run check\` fails when it is not what they make.

`;

const file = path.join(root, FILE);
const schema = HEADER + (await makeSchema());
// Prints the difference, and fails.
if (process.argv.includes("--check")) assert.equal(readFileSync(file, "utf8"), schema);
else writeFileSync(file, schema);

/** On an embedded Postgres of its own: the tests' and that of `npm start` are left alone. */
async function makeSchema(): Promise<string> {
  const postgres = await startPostgres({
    folder: path.join(root, ".waymark/check"),
    port: await findFreePort(),
  });
  try {
    return await describeFreshSchema(postgres.databaseUrl);
  } finally {
    await postgres.stop();
  }
}
