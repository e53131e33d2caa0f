import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Check, mustBe } from "../check.ts";
import { docker } from "../run.ts";
import { sendScan, untilCompleted } from "../scans.ts";

const FILE = "/tmp/waymark.dump";
const COUNTS =
  "SELECT (SELECT count(*) FROM scan_runs) || ' runs, ' || (SELECT count(*) FROM chunk_endpoints) || ' endpoints'";

export const restore: Check = {
  title: "Restore on a fresh server",
  what: "pg_dump, then the server and its volume are removed: an empty server gets the dump, migrate creates role, login and privileges, and everything is there and works.",
  async run(fleet) {
    const before = await fleet.sql(COUNTS);
    const inPostgres = (...args: string[]) => fleet.compose(["exec", "-T", "postgres", ...args]);
    const options = ["--no-owner", "--no-privileges", "--username", "waymark"];
    await inPostgres("pg_dump", "--format=custom", ...options, `--file=${FILE}`, "waymark");
    const [old = ""] = await fleet.containersOf("postgres");
    const folder = mkdtempSync(path.join(tmpdir(), "waymark-restore-"));
    await docker("cp", `${old}:${FILE}`, folder);
    // The whole fleet goes, with its volumes.
    await fleet.compose(["down", "--volumes", "--timeout", "40"]);
    await fleet.compose(["up", "--detach", "postgres"]);
    await fleet.untilHealthy("postgres");
    const [fresh = ""] = await fleet.containersOf("postgres");
    mustBe("logins of the services on the fresh server", await fleet.sql(LOGINS), "0");
    await docker("cp", path.join(folder, path.basename(FILE)), `${fresh}:${FILE}`);
    rmSync(folder, { recursive: true });
    await inPostgres("pg_restore", ...options, "--exit-on-error", "--dbname=waymark", FILE);
    // Starts migrate first.
    await fleet.up();
    mustBe("rows after the restore", await fleet.sql(COUNTS), before);
    const { status } = await fleet.http.get("/api/services");
    mustBe("the answer to the key that was made before", status, 200);
    const { completed } = await untilCompleted(fleet, [await sendScan(fleet, 0)]);
    mustBe("scans completed after the restore", completed, 1);
    return {
      "rows before": before,
      "rows after": before,
      "key of before": "accepted",
      "a new scan": "completed",
    };
  },
};

const LOGINS = "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'waymark\\_%'";
