import { describe, expect, test } from "vitest";
import { NO_CHANGES, startFakeApi } from "../test-support/fake-api.ts";
import { RUN_ID } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const SPEC = JSON.stringify(
  { openapi: "3.1.0", info: { title: "T", version: "1" }, paths: { "/a/{id}": { get: { responses: {} } } } },
  null,
  2,
);
const ENDPOINT = { method: "GET" as const, path: "/old", operationId: null, tags: [], summary: null };
const FINDING = { code: "x", severity: "low" as const, message: "m", method: null, path: null };

async function scan(args: string[], options: Parameters<typeof startFakeApi>[0] = {}) {
  const folder = await temporaryFolder();
  await folder.write("api/openapi.json", SPEC);
  const { url } = await startFakeApi(options);
  const common = ["--service", "s", "--spec", "api/openapi.json", "--api-key", "k", "--api-url", url];
  return runCaptured(["scan", ...common, ...args], { cwd: folder.path });
}

function linesOf(stdout: string): Record<string, unknown>[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("--format jsonl", () => {
  test("prints a line for each finding with its place, and the object of --json as the last one", async () => {
    const { stdout, stderr, exitCode } = await scan(["--lint", "--format", "jsonl"]);
    const lines = linesOf(stdout);
    const findings = lines.slice(0, -1);
    expect(findings).toContainEqual({
      type: "finding",
      code: "path-parameters-defined",
      severity: "high",
      message: expect.any(String),
      method: "GET",
      path: "/a/{id}",
      file: "api/openapi.json",
      line: 9,
      column: expect.any(Number),
      helpUrl: expect.stringMatching(/^https:/),
      decision: null,
    });
    expect(new Set(findings.map(({ type }) => type))).toEqual(new Set(["finding"]));
    expect(lines.at(-1)).toMatchObject({
      type: "result",
      exitCode: 0,
      scanRunId: RUN_ID,
      findingCount: findings.length,
    });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });

  test("prints a line for each change that a gate compared", async () => {
    const changes = {
      ...NO_CHANGES,
      endpoints: {
        added: [{ ...ENDPOINT, path: "/new" }],
        removed: [ENDPOINT],
        changed: [{ before: ENDPOINT, after: { ...ENDPOINT, summary: "s" } }],
      },
      findings: {
        new: [FINDING],
        fixed: [FINDING],
        removedWithEndpoint: [{ ...FINDING, path: "/gone" }],
        severityChanged: [{ before: FINDING, after: { ...FINDING, severity: "high" as const } }],
      },
    };
    const { stdout, exitCode } = await scan(["--fail-on-removed", "--format=jsonl"], { changes });
    expect(exitCode).toBe(1);
    expect(linesOf(stdout)).toEqual([
      { type: "endpoint-change", change: "removed", before: ENDPOINT, after: null },
      { type: "endpoint-change", change: "changed", before: ENDPOINT, after: { ...ENDPOINT, summary: "s" } },
      { type: "endpoint-change", change: "added", before: null, after: { ...ENDPOINT, path: "/new" } },
      { type: "finding-change", change: "new", before: null, after: FINDING },
      { type: "finding-change", change: "changed", before: FINDING, after: { ...FINDING, severity: "high" } },
      { type: "finding-change", change: "fixed", before: FINDING, after: null },
      {
        type: "finding-change",
        change: "removed-with-endpoint",
        before: { ...FINDING, path: "/gone" },
        after: null,
      },
      expect.objectContaining({ type: "result", exitCode: 1, scanRunId: RUN_ID }),
    ]);
  });

  test("prints a dry run and a failure as a result", async () => {
    const dry = linesOf((await scan(["--lint", "--dry-run", "--format", "jsonl"])).stdout);
    expect(dry[0]).toMatchObject({ type: "finding" });
    expect(dry.at(-1)).toMatchObject({ type: "result", exitCode: 0, dryRun: true });
    expect(dry.at(-1)).not.toHaveProperty("payload");
    const failed = await scan(["--spec", "none.json", "--format", "jsonl"]);
    expect(failed.exitCode).toBe(2);
    expect(linesOf(failed.stdout)).toMatchObject([
      { type: "result", exitCode: 2, error: { message: expect.stringContaining("none.json") } },
    ]);
  });
});

describe("--format", () => {
  test("text is the default, and json is what --json prints", async () => {
    const [bare, text, json, short] = [
      await scan([]),
      await scan(["--format", "text"]),
      await scan(["--format", "json"]),
      await scan(["--json", "--format", "json"]),
    ];
    expect(text.stdout.split("\n")[0]).toBe(bare.stdout.split("\n")[0]);
    const withoutUrl = (stdout: string) => ({ ...JSON.parse(stdout), resultUrl: "" });
    expect(withoutUrl(json.stdout)).toEqual(withoutUrl(short.stdout));
    expect(JSON.parse(json.stdout)).not.toHaveProperty("type");
  });

  test("refuses other formats, a contradiction, and a report on the same standard output", async () => {
    expect(await scan(["--format", "xml"])).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: "--format must be one of text, json, jsonl.\n",
    });
    expect((await scan(["--format", "jsonl", "--json"])).stderr).toContain(
      "--json is short for --format json",
    );
    expect((await scan(["--format", "jsonl", "--lint", "--report-sarif", "-"])).stderr).toContain(
      "Standard output can have one report or JSON, not both",
    );
  });
});
