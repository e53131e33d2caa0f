import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCaptured, temporaryFolder } from "../../cli/src/test-support/run-captured.ts";
import { PUBLISHED_DESCRIPTIONS } from "@waymark/test-support/documents.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Scans a file with the permissions of a pipeline, and returns what the server has of it. */
async function scan(spec: string, args: string[] = []) {
  const key = await createKey(stack, [
    "scans:create",
    "services:create",
    "services:update",
    "endpoints:write",
  ]);
  const env = { SERVICE_API_KEY: key, SERVICE_API_URL: stack.api.baseUrl };
  const service = path.basename(spec);
  const { cwd, name } = { cwd: path.dirname(spec), name: service };
  const command = ["scan", "--service", service, "--spec", name, "--json", ...args];
  const { exitCode, stdout, stderr } = await runCaptured(command, { cwd, env });
  const { scanRunId } = JSON.parse(stdout) as { scanRunId: string };
  const stored = await stack.http.get(`/api/scan-runs/${scanRunId}/description`);
  return { exitCode, stderr, scanRunId, stored };
}

describe("waymark scan against a server", () => {
  it.each(PUBLISHED_DESCRIPTIONS.map((file) => [path.basename(file), file]))(
    "stores the description that it scanned: %s",
    async (_, file) => {
      const first = await scan(file);
      expect({ exitCode: first.exitCode, stderr: first.stderr }).toEqual({
        exitCode: 0,
        stderr: expect.not.stringContaining("the description was not stored"),
      });
      expect(first.stored.text).toBe(await readFile(file, "utf8"));
      const again = await scan(file);
      expect(again.stored.text).toBe(first.stored.text);
      expect(again.scanRunId).not.toBe(first.scanRunId);
    },
  );

  it("stores what it selected of several files as one text, and stores nothing twice", async () => {
    const folder = await temporaryFolder();
    const file = await folder.write(
      "shop.yaml",
      "openapi: 3.1.0\npaths: { /a: { $ref: a.yaml }, /b: { get: { tags: [internal], responses: {} } } }\n",
    );
    await folder.write("a.yaml", "get: { tags: [public], responses: {} }\npost: { tags: [internal] }\n");
    const { stored } = await scan(file, ["--tag", "public"]);
    expect(stored.body).toEqual({
      openapi: "3.1.0",
      paths: { "/a": { get: { tags: ["public"], responses: {} } } },
    });
    const count = () => query(stack, "SELECT FROM description_chunks");
    const before = (await count()).length;
    expect((await scan(file, ["--tag", "public"])).stored.text).toBe(stored.text);
    expect(await count()).toHaveLength(before);
  });

  it("stores none where it is told not to", async () => {
    const [file = ""] = PUBLISHED_DESCRIPTIONS;
    const { exitCode, stored } = await scan(file, ["--no-description"]);
    expect({ exitCode, status: stored.status }).toEqual({ exitCode: 0, status: 404 });
  });
});
