import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";

let tree: string;

beforeEach(() => {
  tree = mkdtempSync(path.join(tmpdir(), "waymark-rules-"));
});

afterEach(() => {
  rmSync(tree, { recursive: true });
});

/** A checkout of the given files, judged by the project's own rules. */
function cruise(files: Record<string, string>): { status: number | null; output: string } {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(tree, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(tree, name), text);
  }
  const tool = path.join(root, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
  const folders = [...new Set(Object.keys(files).map((name) => name.split("/")[0] ?? ""))];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      tool,
      "--config",
      path.join(root, ".dependency-cruiser.mjs"),
      ...folders.filter((f) => f !== "node_modules"),
    ],
    { cwd: tree, encoding: "utf8" },
  );
  return { status, output: stdout + stderr };
}

const leaf = "export const value: number = 1;\n";
const fastify = {
  "node_modules/fastify/package.json": '{ "name": "fastify", "version": "5.0.0", "main": "index.js" }',
  "node_modules/fastify/index.js": "module.exports = {};\n",
};
const pg = {
  "node_modules/pg/package.json": '{ "name": "pg", "version": "8.0.0", "main": "index.js" }',
  "node_modules/pg/index.js": "module.exports = {};\n",
};

describe("npm run check refuses", () => {
  test.each<[rule: string, files: Record<string, string>]>([
    [
      "apps-stay-apart",
      {
        "services/api/src/scans/a.ts": 'export { value } from "../../../worker/src/scans/b.ts";\n',
        "services/worker/src/scans/b.ts": leaf,
      },
    ],
    [
      "packages-point-down",
      {
        "packages/shared/src/scans/a.ts":
          'export { value } from "../../../../services/api/src/scans/b.ts";\n',
        "services/api/src/scans/b.ts": leaf,
      },
    ],
    [
      "features-stay-apart",
      {
        "services/api/src/scans/a.ts": 'export { value } from "../api-keys/b.ts";\n',
        "services/api/src/api-keys/b.ts": leaf,
      },
    ],
    [
      "no-circular",
      {
        "services/api/src/scans/a.ts": 'export { value } from "./b.ts";\nexport const other: number = 2;\n',
        "services/api/src/scans/b.ts": 'export { other } from "./a.ts";\nexport const value: number = 1;\n',
      },
    ],
    ["not-to-unresolvable", { "services/api/src/scans/a.ts": 'export { value } from "./missing.ts";\n' }],
    [
      "schemas-are-leaves",
      {
        "packages/shared/src/scans/schema.ts": 'export { value } from "./queries.ts";\n',
        "packages/shared/src/scans/queries.ts": leaf,
      },
    ],
    ["openapi-is-pure", { "packages/openapi/src/a.ts": 'import "node:fs";\n' }],
    ["journeys-is-pure", { "packages/journeys/src/run/a.ts": 'import "node:fs";\n' }],
    ["journey-authoring-is-pure", { "packages/journey-authoring/src/edit/a.ts": 'import "node:fs";\n' }],
    [
      "journey-sandbox-is-thin",
      {
        "packages/journey-sandbox/src/a.ts": 'export { value } from "../../journeys/src/run/b.ts";\n',
        "packages/journeys/src/run/b.ts": leaf,
      },
    ],
    [
      "journey-transport-is-thin",
      {
        "packages/journey-transport/src/a.ts": 'export { value } from "../../journeys/src/compile/b.ts";\n',
        "packages/journeys/src/compile/b.ts": leaf,
      },
    ],
    [
      "services-run-no-journeys",
      {
        "packages/shared/src/lib/a.ts": 'export { value } from "../../../journeys/src/run/b.ts";\n',
        "packages/journeys/src/run/b.ts": leaf,
      },
    ],
    ["sql-only-in-queries", { ...pg, "services/api/src/scans/a.ts": 'import "pg";\n' }],
    ["http-only-in-api", { ...fastify, "services/worker/src/scans/a.ts": 'import "fastify";\n' }],
  ])("%s", (rule, files) => {
    const { status, output } = cruise(files);
    expect(output).toContain(`error ${rule}`);
    expect(status).not.toBe(0);
  });
});

test("npm run check accepts what follows the rules, and has really read it", () => {
  const { status, output } = cruise({
    ...pg,
    "services/api/src/app/build.ts": 'export { value } from "../scans/a.ts";\n',
    "services/api/src/scans/a.ts": 'export type { N } from "../lib/n.ts";\nexport const value: number = 1;\n',
    "services/api/src/lib/n.ts": "export type N = number;\n",
    "packages/shared/src/scans/queries.ts": 'import "pg";\n',
  });
  expect(output).toContain("no dependency violations found (5 modules");
  expect(status).toBe(0);
});
