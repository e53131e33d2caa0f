import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { DocumentLimit } from "@waymark/server/journeys/compiler/compiler-child.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { expect, it } from "vitest";
import { createOtherComparisons } from "./other-comparisons.ts";

const WANTED = { organizationId: "o", base: "b", head: "h", isSame: false, today: "2026-01-31" };

/** Comparisons whose process does not get to read a description. */
const comparisonsWith = (run: () => Promise<DocumentLimit[]>) =>
  createOtherComparisons({ db: {} as unknown as DatabasePool, compiler: { run } });

it("a comparison that needs too much time or memory says so, and is made again when it is asked for again", async () => {
  let runs = 0;
  const others = comparisonsWith(async () => {
    runs += 1;
    return [new DocumentLimit("too long")];
  });
  for (const asked of [1, 2]) {
    expect(await others.compare(WANTED, "against")).toMatchObject({
      comparison: { status: "not_compared", reason: "too_large", against: "against", counts: null },
      verdictParts: [],
    });
    expect(runs).toBe(asked);
  }
});

it("descriptions that differ in their form at most are not compared again", async () => {
  const others = comparisonsWith(() => Promise.reject(new Error("there is nothing to compare")));
  const { comparison } = await others.compare({ ...WANTED, isSame: true }, "against");
  const counts = { breaking: 0, maybe: 0, safe: 0, approved: 0 };
  expect(comparison).toMatchObject({ status: "compared", against: "against", counts });
});

it("a caller learns that too many comparisons wait", async () => {
  const busy = new AppError("service_unavailable", "Too many wait.");
  const others = comparisonsWith(() => Promise.reject(busy));
  await expect(others.compare(WANTED, "against")).rejects.toBe(busy);
});
