import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";

// The lines are texts of their own: the check reads this file, too.
const CODE = [
  "/** What a run is. */",
  "const a = 1; // What follows code is no comment of its own.",
  "// A sentence",
  "// that goes on with",
  "// What else there is.",
  "/**",
  " * The same of b.",
  " * What is not the first line.",
  " */",
  "function f() {",
  "  // Of a run.",
  "  /** Whose it is. */",
  "  return a;",
  "}",
  '/** Returns what "Of" means. Whatever begins so is a subject. */',
].join("\n");
const SQL = ["-- That one.", "SELECT 1;", "  -- Who it is.", "-- and what else"].join("\n");

/** Runs the check on a folder with these files. */
function check(files: Record<string, string>): { status: number | null; found: string[] } {
  const folder = mkdtempSync(path.join(tmpdir(), "waymark-comments-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const script = path.join(root, "scripts/comments.ts");
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  return { status, found: stderr.split("\n").filter((line) => line.includes('"')) };
}

test("comments that begin with a fragment are found, and no other line", () => {
  const { status, found } = check({
    "a/code.ts": CODE,
    "b.sql": SQL,
    "node_modules/c.ts": CODE,
    "dist/d.mjs": CODE,
  });
  expect(found.toSorted()).toEqual([
    'a/code.ts:11: "Of …"',
    'a/code.ts:12: "Whose …"',
    'a/code.ts:1: "What …"',
    'a/code.ts:7: "The same …"',
    'b.sql:1: "That …"',
    'b.sql:3: "Who …"',
  ]);
  expect(status).toBe(1);
});

test("a folder without such comments is accepted", () => {
  expect(check({ "a.ts": "/** Returns one. */\n", ".a.mjs": "// A file.\n" })).toEqual({
    status: 0,
    found: [],
  });
});
