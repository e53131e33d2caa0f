import { existsSync } from "node:fs";
import path from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { root } from "../scripts/bootstrap/checkout.mjs";

/**
 * The files that take the longest, those that compute and those that wait in turn, so that each core has work. A fresh clone knows
 * no durations, and vitest would begin with the largest files: some of these would then run at the end, alone.
 */
const LONGEST: readonly string[] = [
  "test/browser/craft.test.ts",
  "test/setup/start.test.ts",
  "test/faults/random-kills.test.ts",
  "test/browser/service.test.ts",
  "test/faults/hostile-clients.test.ts",
  "test/setup/postgres-versions.test.ts",
  "test/browser/large-scan-run.test.ts",
  "test/faults/journey-kills-postgres.test.ts",
  "test/http/api-keys-every-route.test.ts",
  "test/browser/build-visual.test.ts",
  "test/http/readiness.test.ts",
  "test/faults/journey-handover.test.ts",
  "test/browser/keyboard.test.ts",
  "test/setup/service-login.test.ts",
  "test/faults/redis-outage.test.ts",
  "test/browser/build-saving.test.ts",
  "test/deploy/github-action.test.ts",
  "test/faults/journey-kills-redis.test.ts",
  "test/browser/journeys.test.ts",
  "test/http/rate-limits.test.ts",
  "test/http/due-findings-model.test.ts",
  "test/faults/aborted-uploads.test.ts",
  "test/browser/new-journey.test.ts",
  "test/journeys/hostile-limits.test.ts",
  "test/faults/delivery.test.ts",
  "test/browser/build-text.test.ts",
  "cli/test/hostile-output/hostile-output.test.ts",
  "test/journeys/hostile-command.test.ts",
  "test/browser/api-keys.test.ts",
  "test/journeys/cloud/hostile.test.ts",
  "test/http/journey-limits.test.ts",
  "test/browser/coverage.test.ts",
  "test/setup/postgres.test.ts",
  "test/journeys/cloud/parity.test.ts",
  "test/browser/environments.test.ts",
  "test/faults/fairness.test.ts",
  "test/faults/poison-pills.test.ts",
  "test/browser/session.test.ts",
  "packages/journey-authoring/test/lossless.test.ts",
  "test/http/large-descriptions.test.ts",
  "test/http/admin.test.ts",
  "test/browser/build-state.test.ts",
  "test/http/traces.test.ts",
  "services/worker/src/journey-schedules/simulated-year.test.ts",
  "test/browser/variants.test.ts",
  "test/deploy/load-balancer.test.ts",
  "test/browser/step-drag.test.ts",
  "test/http/api-keys-canary.test.ts",
  "test/browser/findings.test.ts",
  "test/setup/start-demo.test.ts",
  "test/browser/finding-batches.test.ts",
  "test/browser/first-scan.test.ts",
  "test/faults/cut-connections.test.ts",
  "test/browser/tour.test.ts",
  "packages/server/src/queue/scan-queue.test.ts",
  "test/browser/journey-run-live.test.ts",
  "test/http/organization-limits.test.ts",
  "test/browser/build-mode-switches.test.ts",
  "packages/journey-authoring/test/undo.test.ts",
  "test/browser/schedules.test.ts",
];

const ranks = new Map(LONGEST.map((file, rank) => [path.join(root, file), rank]));
const rankOf = ({ moduleId }: TestSpecification) => ranks.get(path.normalize(moduleId)) ?? LONGEST.length;

/** The longest files first, then vitest's own order. */
export class LongestFirst extends BaseSequencer {
  /** @throws Error if one of the longest files is not there */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const missing = LONGEST.filter((file) => !existsSync(path.join(root, file)));
    if (missing.length > 0)
      throw new Error(`test/longest-first.ts names what is not there: ${missing.join(", ")}`);
    // oxlint-disable-next-line no-array-sort -- not that of an array
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
