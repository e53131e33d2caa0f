import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import { withFileLock } from "../../../scripts/bootstrap/file-lock.mjs";
import { isInstalled, npmCi } from "../../../scripts/bootstrap/packages.mjs";
import { step } from "../../../scripts/bootstrap/progress.mjs";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { PLATFORM } from "../../../scripts/postgres/installation.ts";
import { startPostgres } from "../../../scripts/postgres/start-postgres.ts";

const TOOLS = path.join(root, "tools/postgres");
// Nothing here survives the test.
const SETTINGS = { fsync: "off", log_min_messages: "fatal" };

export interface PostgresServer extends AsyncDisposable {
  /** The superuser's address of an empty database. */
  databaseUrl: string;
}

/** A new server of an older version than the embedded one, which has none of Waymark's roles. */
export async function startPostgresVersion(major: number): Promise<PostgresServer> {
  await withFileLock(path.join(TOOLS, "install.lock"), {}, async () => {
    if (isInstalled(TOOLS)) return;
    await step("Installing older versions of Postgres, for the tests that need them", () =>
      npmCi(TOOLS, process.execPath),
    );
  });
  const parent = mkdtempSync(path.join(tmpdir(), `waymark-postgres-${major}-`));
  chmodSync(parent, 0o755);
  const server = await startPostgres({
    folder: path.join(parent, "data"),
    port: await findFreePort(),
    settings: SETTINGS,
    packageFolder: path.join(TOOLS, `node_modules/postgres-${major}-${PLATFORM}`),
  });
  return {
    databaseUrl: server.databaseUrl,
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}
