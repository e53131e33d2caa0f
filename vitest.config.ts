import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,services,cli,web,test,scripts}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: ["test/global-setup.ts"],
    // For two cores: a third of what the tests take is waiting.
    maxWorkers: 3,
    // What a test starts it ends, and nothing else outlives it: files share a process and its modules.
    isolate: false,
    // Its package has no "exports", so that Vite picks an .mjs build that Node itself can't load.
    server: { deps: { inline: ["clipanion"] } },
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // A second is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
  },
});
