import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";
import { isLong } from "./test/support/scale.ts";

const exclude = ["**/node_modules/**", "**/dist/**"];
/** Files that `npm run test:system` runs instead of `npm test`: a tenth of the tests, and two thirds of the time. */
const SYSTEM = [
  "test/{browser,deploy,faults,setup,journeys/cloud}/**/*.test.ts",
  "test/journeys/hostile-*.test.ts",
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "test",
          include: ["{packages,services,cli,web,test,scripts}/**/*.test.ts"],
          exclude: [...exclude, ...SYSTEM],
        },
      },
      { test: { name: "system", include: SYSTEM, exclude } },
    ],
    globalSetup: ["test/global-setup.ts"],
    // For two cores: three keep them busy for 98 % of the time, and a fourth only makes each test wait longer.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // A test must stop what it starts: files share a process, its modules, and a host of services (test/support/host).
    isolate: false,
    // Its package has no "exports", so that Vite picks an .mjs build that Node itself can't load.
    server: { deps: { inline: ["clipanion"] } },
    // The long forms of `npm run test:faults` take minutes.
    testTimeout: isLong ? 1_200_000 : 300_000,
    hookTimeout: 300_000,
    // A second is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
