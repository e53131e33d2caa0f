import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scaled } from "@waymark/test-support/scale.ts";
import type { HostileCase } from "./hostile/case.ts";
import { GROUPS } from "./hostile/groups.ts";
import { runByCommand } from "./hostile/run-command.ts";
import { waymark } from "./support/waymark.ts";

/** Processor time: by the clock, on a machine that does nothing else, 2 seconds suffice. */
const LIMITS = { processorMs: 10_000, memoryMiB: 250 };
/** Each of so many cases is run. */
const EVERY = scaled({ short: 12, long: 1 });
/** Passed, failed, refused, an input or the target is not as needed, ended by a limit: nothing that is Waymark's own fault. */
const EXIT_CODES = [0, 1, 2, 3, 4, 5];

const folder = mkdtempSync(path.join(tmpdir(), "waymark-hostile-command-"));
const cases: HostileCase[] = [];

beforeAll(async () => {
  for (const group of Object.values(GROUPS)) cases.push(...(await group()));
  // Bundles the command, which would be measured otherwise.
  await waymark(["journey", "run", "--help"]);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the command, given what is made to take more than there is", () => {
  test("ends within its limits", { timeout: 900_000 }, async () => {
    const documents = cases.filter(({ end }) => end.scenario !== undefined);
    expect(documents.length).toBeGreaterThan(80);
    for (const [index, { what, end, waits }] of documents.entries()) {
      if (index % EVERY !== 0 || end.scenario === undefined) continue;
      const timeoutSeconds = waits === true ? 1 : 60;
      const { exitCode, output, processorMs, memoryMiB } = await runByCommand(folder, end.scenario(), {
        timeoutSeconds,
      });
      expect({
        what,
        isFault: output.includes("internal error of waymark") || !EXIT_CODES.includes(exitCode ?? -1),
        isSlow: processorMs > LIMITS.processorMs && processorMs,
        isLarge: memoryMiB > LIMITS.memoryMiB && memoryMiB,
      }).toEqual({ what, isFault: false, isSlow: false, isLarge: false });
    }
  });
});
