import { defineConfig } from "vitest/config";
import tests from "../../../vitest.config.ts";

const { projects: _projects, ...shared } = tests.test ?? {};

export default defineConfig({
  test: { ...shared, include: ["test/browser/screenshots/take-pictures.ts"], testTimeout: 900_000 },
});
