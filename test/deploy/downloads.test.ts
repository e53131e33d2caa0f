import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { VERSION } from "@waymark/shared/version.ts";
import { packedCommand } from "@waymark/test-support/packed-command.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startApi, startStack, type TestApi } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { ciSnippets } from "../../web/src/lib/ci-snippets.ts";
import { type PackedCommand, readPackedCommand } from "../../web/src/lib/packed-command.ts";

const run = promisify(execFile);
const NAME = `waymark-${VERSION}.tgz`;
const SPEC =
  'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths: { /a: { get: { responses: { "200": { description: ok } } } } }\n';

let stack: Stack;
let api: TestApi;
let tarball = "";

beforeAll(async () => {
  stack = await startStack();
  tarball = await packedCommand();
  const { databaseUrl } = stack;
  api = await startApi({ databaseUrl, env: { DOWNLOADS_FOLDER: path.dirname(tarball) } });
});

afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "waymark-download-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a script as a CI system does, with the real npm and an empty home. */
async function bash(script: string, { cwd, env }: { cwd: string; env: Record<string, string> }) {
  return run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: cwd,
      RUNNER_TEMP: cwd,
      GITHUB_PATH: path.join(cwd, "path"),
      ...env,
    },
  });
}

test("a server serves its own packed command with its checksum, to everybody", async () => {
  const address = `${api.baseUrl}/downloads/${NAME}`;
  const response = await fetch(address);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/gzip");
  expect(response.headers.get("content-encoding")).toBeNull();
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.equals(await readFile(tarball))).toBe(true);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(await (await fetch(`${address}.sha256`)).text()).toBe(`${sha256}  ${NAME}\n`);
  const latest = await fetch(`${api.baseUrl}/downloads/waymark.tgz`, { redirect: "manual" });
  expect([latest.status, latest.headers.get("location")]).toEqual([302, NAME]);
  expect((await fetch(`${api.baseUrl}/downloads/waymark-0.0.0.tgz`)).status).toBe(404);
});

test("npm installs the command from a running server, and it scans to that server", async () => {
  const cwd = await emptyFolder();
  const install = `npm install --ignore-scripts --no-audit --no-fund --prefix waymark ${api.baseUrl}/downloads/waymark.tgz`;
  await bash(install, { cwd, env: {} });
  await writeFile(path.join(cwd, "openapi.yaml"), SPEC);
  const env = { SERVICE_API_KEY: stack.apiKey, SERVICE_API_URL: api.baseUrl };
  const scan = "waymark/node_modules/.bin/waymark scan --service downloaded --spec openapi.yaml --json";
  const { stdout } = await bash(scan, { cwd, env });
  const { scanRunId }: { scanRunId: string } = JSON.parse(stdout);
  expect(await waitForRun(stack, scanRunId)).toMatchObject({
    serviceName: "downloaded",
    status: "completed",
  });
});

test("the jobs of the console's first steps install that command, and no other", async () => {
  const packed = await readPackedCommand(api.baseUrl);
  if (packed === null) throw new Error("the server has no packed command");
  const install = async (given: PackedCommand) => {
    const cwd = await emptyFolder();
    const { github } = ciSnippets({ apiUrl: api.baseUrl, service: "orders", packed: given });
    const job: { waymark: { steps: { run: string; env: Record<string, string> }[] } } = parse(github.text);
    const step = job.waymark.steps[1];
    await bash(step?.run ?? "", { cwd, env: step?.env ?? {} });
    return bash("waymark/node_modules/.bin/waymark --version", { cwd, env: {} });
  };
  expect((await install(packed)).stdout.trim()).toBe(VERSION);
  await expect(install({ ...packed, sha256: "0".repeat(64) })).rejects.toThrow("Command failed");
});

test("the action installs the server's command if it names no package", async () => {
  const action: { runs: { steps: { run: string }[] }; inputs: { package: { default: string } } } = parse(
    await readFile(path.join(root, "deploy/github-action/action.yml"), "utf8"),
  );
  const cwd = await emptyFolder();
  const env = { WAYMARK_PACKAGE: action.inputs.package.default, SERVICE_API_URL: `${api.baseUrl}/` };
  await bash(action.runs.steps[0]?.run ?? "", { cwd, env });
  const { stdout } = await bash("waymark/node_modules/.bin/waymark --version", { cwd, env: {} });
  expect(stdout.trim()).toBe(VERSION);
});

test("a server without a packed command says how to get one, and the console's jobs name no address of it", async () => {
  await using bare = await startApi({
    databaseUrl: stack.databaseUrl,
    env: { DOWNLOADS_FOLDER: await emptyFolder() },
  });
  for (const name of [NAME, `${NAME}.sha256`, "waymark.tgz"]) {
    const response = await fetch(`${bare.baseUrl}/downloads/${name}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining("run: npm run pack:command") },
    });
  }
  expect(await readPackedCommand(bare.baseUrl)).toBeNull();
});
