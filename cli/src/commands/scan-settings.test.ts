import { symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { startFakeApi } from "../test-support/fake-api.ts";
import { RUN_ID } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const SPEC = '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{}}}}';

async function project(files: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  await folder.write("openapi.json", SPEC);
  for (const [name, content] of Object.entries(files)) await folder.write(name, content);
  return folder;
}

describe("waymark.yaml", () => {
  test("provides settings that options and environment don't", async () => {
    const server = await startFakeApi();
    const other = await startFakeApi();
    const { path: cwd } = await project({
      "waymark.yaml": `service: from-file\nspec: openapi.json\nurl: ${server.url}\nlint: true\n`,
    });
    const env = { SERVICE_API_KEY: "k", WAYMARK_ALLOWED_HOSTS: new URL(server.url).host };
    expect(await runCaptured(["scan"], { cwd, env })).toMatchObject({ exitCode: 0 });
    const sent = JSON.parse(server.requests.find(({ url }) => url === "/api/scans/ingest")?.body ?? "");
    expect(sent.service.name).toBe("from-file");
    expect(sent.findings.length).toBeGreaterThan(0);

    const args = ["scan", "--service", "from-flag", "--no-lint"];
    await runCaptured(args, { cwd, env: { ...env, SERVICE_BASE_URL: other.url } });
    expect(JSON.parse(other.requests[0]?.body ?? "")).toMatchObject({
      service: { name: "from-flag" },
      findings: [],
    });
  });

  test("is found upwards to the root of the repository, and its paths are relative to it", async () => {
    const { path: root, write } = await project({
      "waymark.yaml": "service: above\nspec: api/openapi.json\nrules: rules.yaml\n",
      "rules.yaml": "rules: { info-license: error }\n",
      "api/openapi.json": SPEC,
      "api/v1/readme.md": "",
    });
    const cwd = path.join(root, "api/v1");
    const scan = (args: string[] = [], env = {}) =>
      runCaptured(["scan", "--dry-run", "--json", "--lint", ...args], { cwd, env });
    // Outside of a repository the folders above may belong to others.
    expect(await scan()).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("--spec is required"),
    });
    await write(".git/HEAD", "");
    const { payload } = JSON.parse((await scan()).stdout);
    expect(payload).toMatchObject({ service: { name: "above" }, findings: [{ code: "info-license" }] });
    expect(payload.endpoints).toHaveLength(1);
    await write("api/waymark.yaml", "service: nearer\nspec: openapi.json\n");
    expect(JSON.parse((await scan()).stdout).payload.service.name).toBe("nearer");
    await write("api/v1/.git", "gitdir: elsewhere");
    expect(await scan()).toMatchObject({ exitCode: 2 });
  });

  test("is another file with --config, of every command that reads it", async () => {
    const { path: cwd } = await project({
      "waymark.yaml": "service: not-this-one\n",
      "ci/scan.yaml": "service: named\nspec: ../openapi.json\nurl: http://a b\n",
    });
    const scan = await runCaptured(["scan", "--dry-run", "--json", "--config", "ci/scan.yaml"], { cwd });
    expect(JSON.parse(scan.stdout).payload.service.name).toBe("named");
    const doctor = await runCaptured(["doctor", "--config", "ci/scan.yaml", "--api-url", "http://a"], {
      cwd,
    });
    expect(doctor.stdout).toMatch(/^ok +settings: ci\/scan\.yaml$/m);
    const missing = await runCaptured(["scan", "--dry-run", "--config", "ci/none.yaml"], { cwd });
    expect(missing).toMatchObject({
      exitCode: 2,
      stderr: "Can't read ci/none.yaml: there is no such file.\n",
    });
  });

  test("has a size limit, wherever a link leads", async () => {
    const { path: cwd } = await project({});
    await symlink("/dev/zero", path.join(cwd, "waymark.yaml"));
    const { exitCode, stderr } = await runCaptured(["scan", "--dry-run"], { cwd, env: {} });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^Can't read waymark\.yaml: it must be a file of at most 1048576 bytes\.$/m);
  });

  test("sets gates", async () => {
    const server = await startFakeApi();
    const { path: cwd } = await project({ "waymark.yaml": "gates: { failOn: high }\n" });
    const args = [
      "scan",
      "--service",
      "s",
      "--spec",
      "openapi.json",
      "--api-key",
      "k",
      "--api-url",
      server.url,
    ];
    expect(await runCaptured(args, { cwd })).toMatchObject({ exitCode: 1 });
  });

  test.each([
    ["apiKey: wmk_secret\n", "the API key is never kept in a file"],
    ["servise: x\n", 'unknown field "servise"'],
    ["gates: { failOn: grave }\n", "gates.failOn"],
    ["service: [\n", "is not valid YAML"],
    ["- a\n", "the file: "],
  ])("that is invalid is refused with what to change: %j", async (content, message) => {
    const { path: cwd } = await project({ "waymark.yaml": content });
    const result = await runCaptured(["scan", "--service", "s", "--spec", "openapi.json", "--api-key", "k"], {
      cwd,
    });
    expect(result).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining(message) });
    expect(result.stderr).not.toContain("wmk_secret");
  });
});

describe("the API key", () => {
  test("comes from a file or from standard input, the option first", async () => {
    const server = await startFakeApi();
    const { path: cwd } = await project({ "key.txt": "from-file\n" });
    const args = ["scan", "--service", "s", "--spec", "openapi.json", "--api-url", server.url];
    const env = { SERVICE_API_KEY: "from-environment" };
    await runCaptured([...args, "--api-key-file", "key.txt"], { cwd, env });
    await runCaptured([...args, "--api-key", "-"], { cwd, env, stdin: "from-stdin\n" });
    await runCaptured([...args, "--api-key", "from-option", "--api-key-file", "key.txt"], { cwd, env });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer from-file",
      "Bearer from-stdin",
      "Bearer from-option",
    ]);
  });

  test("and the spec can't both be standard input; a missing key file is named", async () => {
    const { path: cwd } = await project();
    const both = await runCaptured(["scan", "--service", "s", "--spec", "-", "--api-key", "-"], { cwd });
    expect(both).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("not both") });
    const args = ["scan", "--service", "s", "--spec", "openapi.json", "--api-key-file", "nope.txt"];
    expect(await runCaptured(args, { cwd })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("nope.txt"),
    });
  });
});

describe("output", () => {
  const base = ["scan", "--service", "s", "--spec", "openapi.json"];

  test("--json prints one object for a success, a failed gate and a failure", async () => {
    const server = await startFakeApi();
    const { path: cwd } = await project();
    const args = [...base, "--api-key", "k", "--api-url", server.url, "--json"];
    const good = await runCaptured(args, { cwd });
    expect(JSON.parse(good.stdout)).toEqual({
      exitCode: 0,
      scanRunId: RUN_ID,
      resultUrl: `${server.url}/scan-runs/${RUN_ID}`,
      endpointCount: 1,
      findingCount: 0,
      findingsLeftOut: 0,
      findingsDecided: 0,
      shortened: { summaries: 0, tagLists: 0, operationIds: 0, infoFields: 0 },
      notes: [],
      brokenGates: [],
    });
    const gated = await runCaptured([...args, "--fail-on", "high"], { cwd });
    expect(JSON.parse(gated.stdout)).toMatchObject({
      exitCode: 1,
      brokenGates: [{ gate: "--fail-on high" }],
    });
    const failed = await runCaptured([...args, "--spec", "nope.json"], { cwd });
    expect(JSON.parse(failed.stdout)).toMatchObject({ exitCode: 2, error: { message: expect.any(String) } });
    expect(failed.exitCode).toBe(2);
  });

  test("--quiet prints only errors", async () => {
    const server = await startFakeApi();
    const { path: cwd } = await project();
    const args = [...base, "--api-key", "k", "--api-url", server.url, "--quiet"];
    expect(await runCaptured(args, { cwd })).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    const failed = await runCaptured([...args, "--spec", "nope.json"], { cwd });
    expect(failed).toMatchObject({ exitCode: 2, stdout: "", stderr: expect.stringContaining("nope.json") });
  });

  test("--dry-run shows size and headroom, needs no key and sends nothing", async () => {
    const server = await startFakeApi();
    const { path: cwd } = await project();
    const args = [...base, "--api-url", server.url, "--dry-run"];
    const result = await runCaptured(args, { cwd });
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toContain("nothing was sent");
    expect(result.stdout).toContain("Endpoints: 1 of at most 2000\n");
    expect(result.stdout).toMatch(/Body: \d+ bytes, 0\.0 % of 10485760/);
    const { payload, bytes } = JSON.parse((await runCaptured([...args, "--json"], { cwd })).stdout);
    expect(Buffer.byteLength(JSON.stringify(payload))).toBe(bytes);
    expect(server.requests).toEqual([]);
  });
});
