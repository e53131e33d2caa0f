import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { root } from "../../../scripts/bootstrap/checkout.mjs";
import { query } from "../sql.ts";

const START = `
  import { startPostgres } from "./scripts/postgres/start-postgres.ts";
  import { guardPostgres } from "./test/support/postgres/guard.ts";
  const folder = process.argv[1];
  guardPostgres(folder, { removes: true });
  const { databaseUrl } = await startPostgres({ folder });
  process.stdout.write(databaseUrl);
`;

it("a Postgres ends with the tests that use it, however these end", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-guard-"));
  chmodSync(folder, 0o755);
  const child = spawn(process.execPath, ["--input-type=module", "--eval", START, folder], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = (await once(child.stdout, "data")) as [Buffer];
  const database = { databaseUrl: String(output) };
  expect(await query(database, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  child.kill("SIGKILL");
  await expect.poll(() => existsSync(folder), { timeout: 60_000 }).toBe(false);
  await expect(query(database, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
});
