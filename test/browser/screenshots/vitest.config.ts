import { defineConfig } from "vitest/config";
import tests from "../../../vitest.config.ts";

const { projects: _, ...shared } = tests.test ?? {};

export default defineConfig({
  test: { ...shared, include: ["test/browser/screenshots/take-*.ts"], testTimeout: 2_400_000 },
});
