import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        // They need one workspace and leave nothing behind, so that files can share a process and its modules.
        test: {
          name: "units",
          include: ["{packages,services,cli,web,scripts}/**/*.test.ts"],
          isolate: false,
        },
      },
      { extends: true, test: { name: "systems", include: ["test/**/*.test.ts"] } },
    ],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: ["test/global-setup.ts"],
    // Two cores and one Postgres: more workers only make each test wait longer.
    maxWorkers: 2,
    // Its package has no "exports", so that Vite picks an .mjs build that Node itself can't load.
    server: { deps: { inline: ["clipanion"] } },
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // A second is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
