import path from "node:path";
import { root } from "../../../../scripts/bootstrap/checkout.mjs";
import { type Check, mustMatch } from "../check.ts";
import { run } from "../run.ts";

/** A check that is a file of tests, or some. */
function testsOf(title: string, what: string, files: readonly string[]): Check {
  return {
    title,
    what: `${what} (${files.map((file) => `\`${file}\``).join(", ")})`,
    async run() {
      const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
      const output = await run(process.execPath, [vitest, "run", ...files, "--no-color"]);
      mustMatch("the run of the tests", output, /Tests\s+\d+ passed \(/);
      return { tests: /Tests\s+(\d+ passed)/.exec(output)?.[1] ?? "" };
    },
  };
}

export const alerts = testsOf(
  "Alerts",
  "promtool's unit test of every alert: none fires for a healthy fleet, and for each fault its alert alone.",
  ["test/deploy/alerts.test.ts"],
);

export const postgresVersions = testsOf(
  "Postgres 15 to 18",
  "Migrations, scans and a journey's document on a real server of each version, 14 refused with a sentence, and dumps restored on fresh servers of another one.",
  ["test/setup/postgres-versions.test.ts"],
);

export const goingBack = testsOf(
  "Going back by one release",
  "Runs that a newer release accepted are finished by the older one, and one that is older by two is refused. No release is published yet: a migration of a next one is simulated.",
  ["test/faults/going-back.test.ts"],
);

export const kubernetes = testsOf(
  "Manifests and chart",
  "kustomize's and Helm's output is the same, and their schemas accept it without unknown fields.",
  ["test/deploy/kubernetes.test.ts", "test/deploy/helm.test.ts"],
);
