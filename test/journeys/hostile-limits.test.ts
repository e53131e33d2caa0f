import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { bundleProbe } from "./hostile/bundle.ts";
import { GROUPS } from "./hostile/groups.ts";

interface Outcome {
  what: string;
  ended: string;
  ms: number;
  memoryMiB: number;
}

/** On a quiet machine a third of it: here the processes wait for each other. A document's syntax tree takes more. */
const LIMITS = { ms: 6_000, memoryMiB: 400 };
const DOCUMENT_LIMITS = { ms: 40_000, memoryMiB: 500 };

const folder = mkdtempSync(path.join(tmpdir(), "waymark-hostile-"));
let probe = "";

beforeAll(async () => {
  probe = await bundleProbe(folder);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function outcomesOf(group: string): Promise<Outcome[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [probe, group]);
  return stdout
    .trim()
    .split("\n")
    .map((line): Outcome => JSON.parse(line));
}

/** The rows of the table in the documentation. */
function documented(): Map<string, string> {
  const text = readFileSync(path.join(root, "docs/journeys.md"), "utf8");
  const rows = [...text.matchAll(/^\| (\S.*?) +\| (\S.*?) +\|$/gm)];
  return new Map(rows.map(([, what = "", ended = ""]) => [what, ended]));
}

describe.concurrent("what is made to take more than there is", () => {
  test.each(Object.keys(GROUPS))("ends within its limits: %s", async (group) => {
    const outcomes = await outcomesOf(group);
    const table = documented();
    expect(outcomes.length).toBeGreaterThan(0);
    expect(outcomes.map(({ what, ended }) => [what, ended])).toEqual(
      outcomes.map(({ what }) => [what, table.get(what)]),
    );
    const max = group === "documents" ? DOCUMENT_LIMITS : LIMITS;
    expect(outcomes.filter(({ ms, memoryMiB }) => ms > max.ms || memoryMiB > max.memoryMiB)).toEqual([]);
  });
});

test("the documentation names at least 60 of them", () => {
  expect(documented().size).toBeGreaterThanOrEqual(60);
});
