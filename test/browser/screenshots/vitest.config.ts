import { defineConfig } from "vitest/config";
import tests from "../../../vitest.config.ts";

export default defineConfig({
  test: { ...tests.test, include: ["test/browser/screenshots/take-*.ts"], testTimeout: 2_400_000 },
});
