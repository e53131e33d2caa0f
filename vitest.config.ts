import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,services,cli,test,scripts}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: ["test/support/global-setup.ts"],
    // Two cores and one Postgres: more workers only make each test wait longer.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
