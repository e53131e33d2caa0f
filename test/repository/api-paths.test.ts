import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";

/** Runs the check on a folder with these files. */
function check(files: Record<string, string>): { status: number | null; found: string[] } {
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-api-paths-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const script = path.join(root, "scripts/api-paths.ts");
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  return { status, found: stderr.split("\n").filter((line) => /^\w+\//.test(line)) };
}

const CALL = 'fetch("/api/services");';

test("paths of the API in command, console, services and packages are found", () => {
  const { status, found } = check({
    "cli/src/a.ts": CALL,
    "web/src/lib/b.tsx": "const path = `/api/services/${id}`;",
    "services/api/src/c.ts": ["let url;", "url = `${base}/api/:all`;", "url = '/api/${name}';"].join("\n"),
    "packages/shared/src/scans/d.ts": CALL,
  });
  expect(found.toSorted()).toEqual([
    'cli/src/a.ts:1: fetch("/api/services");',
    'packages/shared/src/scans/d.ts:1: fetch("/api/services");',
    "services/api/src/c.ts:2: url = `${base}/api/:all`;",
    "services/api/src/c.ts:3: url = '/api/${name}';",
    "web/src/lib/b.tsx:1: const path = `/api/services/${id}`;",
  ]);
  expect(status).toBe(1);
});

test("the contract, tests, comments, the prefix itself and modules named api are accepted", () => {
  const files = {
    "packages/shared/src/services/addresses.ts": CALL,
    "web/src/lib/a.test.ts": CALL,
    "cli/src/test-support/fake.ts": CALL,
    "web/src/lib/b.ts": ["// `/api/services`", '/** "/api/services" */', ' * "/api/services"'].join("\n"),
    "services/api/src/c.ts": 'import "@bull-board/api/adapter"; url.startsWith("/api/");',
    "web/dist/d.ts": CALL,
  };
  expect(check(files)).toEqual({ status: 0, found: [] });
});
