import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { scaled, seed } from "@waymark/test-support/scale.ts";
import { bundleProbe } from "./hostile/bundle.ts";
import { GROUPS } from "./hostile/groups.ts";

interface Outcome {
  what: string;
  ended: string;
  ms: number;
  memoryMiB: number;
}

/** Three times the processor time that it takes. A document's syntax tree takes more. */
const LIMITS = { ms: 6_000, memoryMiB: 400 };
const DOCUMENT_LIMITS = { ms: 40_000, memoryMiB: 500 };
/** In the short form every fifth case, others each time. */
const STEP = scaled({ short: 5, long: 1 });
const SELECTED = [String(STEP), String(seed % STEP)];

const folder = mkdtempSync(path.join(tmpdir(), "waymark-hostile-"));
let probe = "";

beforeAll(async () => {
  probe = await bundleProbe(folder);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function outcomesOf(group: string): Promise<Outcome[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", probe, group, ...SELECTED]);
  return stdout
    .trim()
    .split("\n")
    .map((line): Outcome => JSON.parse(line));
}

/** The rows of the table in the documentation. Programs made by hand are not measured with the command. */
function documented(): Map<string, { ended: string; seconds: number; memoryMiB: number }> {
  const text = readFileSync(path.join(root, "docs/journeys.md"), "utf8");
  const rows = [...text.matchAll(/^\| (\S.*?) +\| (\S.*?) +\| +([\d.]+|–) +\| +(\d+|–) +\|$/gm)];
  return new Map(
    rows.map(([, what = "", ended = "", seconds, memory]) => [
      what,
      { ended, seconds: Number(seconds) || 0, memoryMiB: Number(memory) || 0 },
    ]),
  );
}

// One after the other: an evaluation may take a second by the clock, which others would use up.
describe("what is made to take more than there is", { timeout: 900_000 }, () => {
  test.each(Object.keys(GROUPS))("ends within its limits: %s", async (group) => {
    const outcomes = await outcomesOf(group);
    const table = documented();
    expect(outcomes.length).toBeGreaterThan(0);
    expect(outcomes.map(({ what, ended }) => [what, ended])).toEqual(
      outcomes.map(({ what }) => [what, table.get(what)?.ended]),
    );
    const max = group === "documents" ? DOCUMENT_LIMITS : LIMITS;
    expect(outcomes.filter(({ ms, memoryMiB }) => ms > max.ms || memoryMiB > max.memoryMiB)).toEqual([]);
  });
});

test("the documentation names at least 60 of them, and how many are above 2 seconds or 200 MB", () => {
  const rows = [...documented().values()];
  expect(rows.length).toBeGreaterThanOrEqual(60);
  const above = rows.filter(({ seconds, memoryMiB }) => seconds > 2 || memoryMiB > 190);
  const text = readFileSync(path.join(root, "docs/journeys.md"), "utf8").replaceAll(/\s+/g, " ");
  expect(text).toContain(
    `Of the ${rows.length} cases ${rows.length - above.length} end within 2 seconds and 190 MiB`,
  );
});
