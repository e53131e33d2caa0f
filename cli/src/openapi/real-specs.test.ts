import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured } from "../test-support/run-captured.ts";

/** Published specs, kept beside a checkout rather than in it. */
const folder = path.resolve(import.meta.dirname, "../../../../shared/openapi");
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

interface Spec {
  paths?: Record<string, Record<string, unknown>>;
}

function countOperations(file: string): number {
  const text = readFileSync(file, "utf8");
  const spec: Spec = file.endsWith(".json") ? JSON.parse(text) : parse(text);
  const items = Object.values(spec.paths ?? {});
  return items.flatMap((item) => METHODS.filter((method) => item[method] !== undefined)).length;
}

const files = existsSync(folder) ? readdirSync(folder) : [];
if (files.length === 0)
  console.warn(`NOT RUN: the tests on published specs, which need the folder ${folder}.`);

test(`${files.length} published specs are there to compare with`, () => {
  expect(files.length === 0 || files.includes("box.json")).toBe(true);
});

test.each(files)("%s: a scan has exactly the operations of the file", async (name) => {
  const file = path.join(folder, name);
  const server = await startFakeServer();
  const result = await runCaptured(["scan", "--service", name, "--spec", file, "--api-key", "k"], {
    env: { SERVICE_API_URL: server.url },
  });
  expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  expect(result.stdout).toContain(`\nEndpoints: ${countOperations(file)}; findings: 0\n`);
});
