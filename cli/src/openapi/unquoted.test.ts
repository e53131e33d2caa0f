import { versionOf } from "@waymark/openapi/references.ts";
import { expect, test } from "vitest";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

test("tags, an operationId and a summary that YAML reads as numbers or booleans are texts", async () => {
  const folder = await temporaryFolder();
  const operation = "{ operationId: 20240101, summary: 404, tags: [2024, true, on, 2024-01-01] }";
  await folder.write(
    "openapi.yaml",
    `openapi: 3.1.0\npaths: { /a: { get: ${operation} }, /b: { get: {} } }\n`,
  );
  const args = ["scan", "--service", "s", "--spec", "openapi.yaml", "--tag", "2024", "--dry-run", "--json"];
  const { stdout } = await runCaptured(args, { cwd: folder.path });
  expect(JSON.parse(stdout).payload.endpoints).toEqual([
    {
      method: "GET",
      path: "/a",
      operationId: "20240101",
      summary: "404",
      tags: ["2024", "true", "on", "2024-01-01"],
    },
  ]);
});

test.each([
  [{ swagger: 2 }, 2],
  [{ swagger: "2.0" }, 2],
  [{ openapi: 3 }, 3.0],
  [{ openapi: 3.1 }, 3.1],
  [{ openapi: "3.0.3" }, 3.0],
  [{ openapi: 4 }, undefined],
  [{ swagger: 3 }, undefined],
  [{}, undefined],
])("the version of %j is %s, also unquoted in YAML", (document, version) => {
  expect(versionOf(document)).toBe(version);
});
