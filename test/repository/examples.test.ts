import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { cleanEnvironment } from "@waymark/test-support/run-node.ts";

const examples = path.join(root, "examples");

/** The bundled command, as `npx waymark` runs it. */
function waymark(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(root, "cli/bin/waymark.mjs"), ...args],
    {
      cwd: examples,
      env: cleanEnvironment({}),
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
}

/** waymark.yaml has gates on changes. */
const DRY_RUN_NOTE =
  "Note: --new-only and --fail-on-removed compare with the service's current run, so a dry run can't evaluate them.\n";

describe("the examples", () => {
  test.each([
    ["bookshop.openapi.yaml", 7],
    ["orders.openapi.json", 5],
    ["warehouse.swagger.yaml", 3],
  ])("%s has the operations that examples/README.md counts", (file, count) => {
    const { status, stdout, stderr } = waymark(
      "scan",
      "--service",
      "x",
      "--spec",
      file,
      "--dry-run",
      "--json",
    );
    expect(stderr).toBe(DRY_RUN_NOTE);
    expect(status).toBe(0);
    const { payload }: { payload: { endpoints: unknown[] } } = JSON.parse(stdout);
    expect(payload.endpoints).toHaveLength(count);
  });

  test("every description is one of those", () => {
    const descriptions = readdirSync(examples).filter((name) => /\.(openapi|swagger)\./.test(name));
    expect(descriptions).toHaveLength(3);
  });

  test("waymark.yaml is read by the bundled command", () => {
    const { status, stderr, stdout } = waymark("scan", "--dry-run");
    expect(stderr).toBe(DRY_RUN_NOTE);
    expect(status).toBe(0);
    expect(stdout).toContain("bookshop");
  });
});
