import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { COMPILE_CACHE } from "@waymark/test-support/run-node.ts";
import { root } from "../../scripts/bootstrap/checkout.mjs";

/** Checks a folder with the given files against the project's rules. */
function cruise(files: Record<string, string>): { status: number | null; output: string } {
  const tree = mkdtempSync(path.join(tmpdir(), "waymark-rules-"));
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
    { cwd: tree, encoding: "utf8", env: { ...process.env, ...COMPILE_CACHE } },
  );
  rmSync(tree, { recursive: true });
  return { status, output: stdout + stderr };
}

const leaf = "export const value: number = 1;\n";
const fastify = {
  "node_modules/fastify/package.json": '{ "name": "fastify", "version": "5.0.0", "main": "index.js" }',
  "node_modules/fastify/index.js": "module.exports = {};\n",
};
const slonik = {
  "node_modules/slonik/package.json": '{ "name": "slonik", "version": "48.0.0", "main": "./dist/index.js" }',
  "node_modules/slonik/dist/index.js": "module.exports = {};\n",
};

/** Files that violate a rule, by its name. */
const VIOLATIONS: Record<string, Record<string, string>> = {
  "apps-stay-apart": {
    "services/api/src/scans/a.ts": 'export { value } from "../../../worker/src/scans/b.ts";\n',
    "services/worker/src/scans/b.ts": leaf,
  },
  "packages-point-down": {
    "packages/shared/src/scans/a.ts": 'export { value } from "../../../../services/api/src/scans/b.ts";\n',
    "services/api/src/scans/b.ts": leaf,
  },
  "features-stay-apart": {
    "services/api/src/scans/a.ts": 'export { value } from "../api-keys/b.ts";\n',
    "services/api/src/api-keys/b.ts": leaf,
  },
  "no-circular": {
    "services/api/src/scans/a.ts": 'export { value } from "./b.ts";\nexport const other: number = 2;\n',
    "services/api/src/scans/b.ts": 'export { other } from "./a.ts";\nexport const value: number = 1;\n',
  },
  "not-to-unresolvable": { "services/api/src/scans/a.ts": 'export { value } from "./missing.ts";\n' },
  "schemas-are-leaves": {
    "packages/shared/src/scans/schema.ts": 'export { value } from "./rules.ts";\n',
    "packages/shared/src/scans/rules.ts": leaf,
  },
  "operations-are-declarations": {
    "packages/shared/src/operations/a.ts": 'export { value } from "../scans/b.ts";\n',
    "packages/shared/src/scans/b.ts": leaf,
  },
  "server-is-for-services": {
    "cli/src/commands/a.ts": 'export { value } from "../../../packages/server/src/lib/b.ts";\n',
    "packages/server/src/lib/b.ts": leaf,
  },
  "shared-is-pure": { "packages/shared/src/lib/a.ts": 'import "node:fs";\n' },
  "openapi-is-pure": { "packages/openapi/src/a.ts": 'import "node:fs";\n' },
  "contract-diff-is-pure": { "packages/contract-diff/src/a.ts": 'import "node:fs";\n' },
  "browser-sees-schemas-only": {
    "web/src/scans/a.ts": 'export { value } from "../../../packages/shared/src/scans/b.ts";\n',
    "packages/shared/src/scans/b.ts": leaf,
  },
  "browser-loads-no-operations": {
    "web/src/scans/a.ts": 'export { OPERATIONS } from "../../../packages/shared/src/all-operations.ts";\n',
    "packages/shared/src/all-operations.ts": "export const OPERATIONS = {};\n",
  },
  "addresses-are-leaves": {
    "packages/shared/src/scans/addresses.ts": 'export { value } from "./limits.ts";\n',
    "packages/shared/src/scans/limits.ts": leaf,
  },
  "journeys-is-pure": { "packages/journeys/src/run/a.ts": 'import "node:fs";\n' },
  "journeys-folders-go-one-way": {
    "packages/journeys/src/criteria/a.ts": 'export { value } from "../expressions/b.ts";\n',
    "packages/journeys/src/expressions/b.ts": leaf,
    "packages/journeys/src/expressions/c.ts": 'export type { Value } from "../criteria/d.ts";\n',
    "packages/journeys/src/criteria/d.ts": "export type Value = number;\n",
  },
  "command-folders-go-one-way": {
    "cli/src/framework/a.ts": 'export { value } from "../commands/b.ts";\n',
    "cli/src/commands/b.ts": leaf,
    "cli/src/commands/c.ts": 'export type { Value } from "../framework/d.ts";\n',
    "cli/src/framework/d.ts": "export type Value = number;\n",
  },
  "command-files-have-folders": {
    "cli/src/lib/a.ts": 'export { value } from "../b.ts";\n',
    "cli/src/b.ts": leaf,
  },
  "journey-authoring-is-pure": { "packages/journey-authoring/src/edit/a.ts": 'import "node:fs";\n' },
  "journey-sandbox-is-thin": {
    "packages/journey-sandbox/src/a.ts": 'export { value } from "../../journeys/src/run/b.ts";\n',
    "packages/journeys/src/run/b.ts": leaf,
  },
  "journey-transport-is-thin": {
    "packages/journey-transport/src/a.ts": 'export { value } from "../../journeys/src/compile/b.ts";\n',
    "packages/journeys/src/compile/b.ts": leaf,
  },
  "services-write-no-journeys": {
    "packages/shared/src/lib/a.ts": 'export { value } from "../../../journey-authoring/src/edit/b.ts";\n',
    "packages/journey-authoring/src/edit/b.ts": leaf,
  },
  "sql-only-in-queries": { ...slonik, "services/api/src/scans/a.ts": 'import "slonik";\n' },
  "http-only-in-api": { ...fastify, "services/worker/src/scans/a.ts": 'import "fastify";\n' },
};

/** In one folder, because the tool takes a second to start: a.ts and b.ts have the rule in their name. */
function together(): Record<string, string> {
  const files = Object.entries(VIOLATIONS).flatMap(([rule, its]) => {
    const named = (text: string) => text.replaceAll(/\/([ab])\.ts\b/g, `/${rule}-$1.ts`);
    return Object.entries(its).map(([name, text]) => [named(name), named(text)] as const);
  });
  // None stands for another one's.
  expect(new Set(files.map(([name]) => name)).size).toBe(files.length);
  return Object.fromEntries(files);
}

describe("npm run check refuses", () => {
  let found: ReturnType<typeof cruise>;
  beforeAll(() => {
    found = cruise(together());
  });

  test.each(Object.keys(VIOLATIONS))("%s", (rule) => {
    // A rule of folders names folders.
    const told = new RegExp(
      `error ${rule}: .*/(${rule}-a\\.ts|(schema|addresses)\\.ts|(criteria|framework)\\b)`,
    );
    expect(found.output.split("\n")).toContainEqual(expect.stringMatching(told));
    expect(found.status).not.toBe(0);
  });
});

test("npm run check accepts files that follow the rules, and has read them", () => {
  const { status, output } = cruise({
    ...slonik,
    "services/api/src/app/build.ts": 'export { value } from "../scans/a.ts";\n',
    "services/api/src/scans/a.ts": 'export type { N } from "../lib/n.ts";\nexport const value: number = 1;\n',
    "services/api/src/lib/n.ts": "export type N = number;\n",
    "packages/server/src/scans/queries.ts": 'import "slonik";\n',
    "packages/server/src/scans/progress.queries.ts": 'import "slonik";\n',
  });
  expect(output).toContain("no dependency violations found (6 modules");
  expect(status).toBe(0);
});
