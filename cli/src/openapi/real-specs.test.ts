import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PUBLISHED_DESCRIPTIONS } from "@waymark/test-support/documents.ts";
import { parse } from "yaml";
import { startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured } from "../test-support/run-captured.ts";

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

test.each(PUBLISHED_DESCRIPTIONS)("%s: a scan has exactly the operations of the file", async (file) => {
  const server = await startFakeServer();
  const result = await runCaptured(["scan", "--service", "published", "--spec", file, "--api-key", "k"], {
    env: { SERVICE_API_URL: server.url },
  });
  const note = file.endsWith("webhooks.yaml") ? /^Note: .* 1 webhook .*\n$/ : /^$/;
  expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(note) });
  expect(result.stdout).toContain(`\nEndpoints: ${countOperations(file)}; findings: 0\n`);
});
