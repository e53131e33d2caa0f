import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { startGithubRunner } from "@waymark/test-support/github-runner.ts";
import { startIssuers } from "@waymark/test-support/issuer.ts";
import { packedCommand } from "@waymark/test-support/packed-command.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startApiProcess, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { startFakeComments } from "../../cli/src/test-support/fake-comments.ts";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const run = promisify(execFile);

interface Step {
  id?: string;
  if?: string;
  run: string;
  env?: Record<string, string>;
  "working-directory"?: string;
}

interface Action {
  inputs: Record<string, { required?: boolean; default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: Step[] };
}

const SPEC = `openapi: 3.1.0
info: { title: Orders, version: "1" }
paths:
  /orders: { get: { responses: { "200": { description: All orders } } } }
`;

let stack: Stack;
let action: Action;
let folder = "";
let tarball = "";
/** A folder with an npm that installs the command of this repository, because the real one takes seconds. */
let quickNpm = "";

beforeAll(async () => {
  stack = await startStack();
  action = parse(await readFile(path.join(root, "deploy/github-action/action.yml"), "utf8"));
  folder = await mkdtemp(path.join(tmpdir(), "waymark-action-"));
  tarball = await packedCommand();
  quickNpm = path.join(folder, "bin");
  await mkdir(quickNpm);
  const bin = "waymark/node_modules/.bin";
  const install = `mkdir -p ${bin}\nln -s '${root}/cli/bin/waymark.mjs' ${bin}/waymark\n`;
  await writeFile(path.join(quickNpm, "npm"), `#!/bin/sh -e\n${install}`, { mode: 0o755 });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the steps of the action as GitHub's runner does, in a checkout with these files. */
async function runAction(
  inputs: Record<string, string>,
  {
    files = { "openapi.yaml": SPEC },
    event = "push",
    github = "http://127.0.0.1:9",
    npm = "quick",
    identity = {},
  }: {
    files?: Record<string, string>;
    event?: string;
    github?: string;
    npm?: "quick" | "real";
    identity?: Record<string, string>;
  } = {},
) {
  const job = await mkdtemp(path.join(folder, "job-"));
  onTestFinished(() => rm(job, { recursive: true, force: true }));
  const checkout = path.join(job, "checkout");
  await mkdir(path.join(job, "temp"));
  await mkdir(path.join(checkout, ".git"), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(checkout, name)), { recursive: true });
    await writeFile(path.join(checkout, name), text);
  }
  const given: Record<string, string> = {
    package: tarball,
    service: "orders",
    spec: "openapi.yaml",
    ...inputs,
  };
  const valueOf = (text: string): string =>
    text
      .replace("${{ inputs.service || inputs.spec }}", inputOf("service", given) || inputOf("spec", given))
      .replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => inputOf(name, given));
  const outputs: Record<string, string> = {};
  let [stdout, stderr, exitCode] = ["", "", 0];
  for (const [index, step] of action.runs.steps.entries()) {
    const comments = given["comment-token"] !== undefined && event === "pull_request";
    if (step.if === undefined ? exitCode !== 0 : !comments) continue;
    const output = path.join(job, `output-${index}`);
    const env = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, value]) => [name, valueOf(value)]),
    );
    const ended = await run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
      cwd: path.resolve(checkout, valueOf(step["working-directory"] ?? ".")),
      env: {
        PATH: [...(npm === "quick" ? [quickNpm] : []), process.env["PATH"]].join(path.delimiter),
        HOME: job,
        GITHUB_ACTIONS: "true",
        GITHUB_EVENT_NAME: event,
        GITHUB_WORKSPACE: checkout,
        GITHUB_STEP_SUMMARY: path.join(job, "summary.md"),
        GITHUB_OUTPUT: output,
        GITHUB_API_URL: github,
        GITHUB_REF: event === "pull_request" ? "refs/pull/7/merge" : "refs/heads/main",
        GITHUB_REPOSITORY: "acme/shop",
        RUNNER_TEMP: path.join(job, "temp"),
        npm_config_offline: "true",
        ...identity,
        ...env,
      },
    }).then(
      (done) => ({ ...done, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => error,
    );
    stdout += ended.stdout;
    stderr += ended.stderr;
    exitCode ||= ended.code;
    const lines = (await readFile(output, "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
    for (const line of lines) {
      const at = line.indexOf("=");
      outputs[`steps.${step.id}.outputs.${line.slice(0, at)}`] = line.slice(at + 1);
    }
  }
  const declared = Object.entries(action.outputs).map(([name, { value }]) => [
    name,
    outputs[/^\$\{\{ (.*) \}\}$/.exec(value)?.[1] ?? ""],
  ]);
  const summary = await readFile(path.join(job, "summary.md"), "utf8").catch(() => "");
  return {
    exitCode,
    stdout,
    stderr,
    summary,
    outputs: Object.fromEntries(declared) as Record<string, string>,
  };
}

function inputOf(name: string, given: Record<string, string>): string {
  const declared = action.inputs[name];
  const usual: Readonly<Record<string, string>> = { "api-key": stack.apiKey, "api-url": stack.api.baseUrl };
  const value = given[name] ?? usual[name];
  if (declared === undefined || (value === undefined && declared.required === true)) {
    throw new Error(`the action has no input ${name}, or it was not given`);
  }
  return value ?? declared.default ?? "";
}

/** The scan of an earlier build, without the action. */
async function scanBefore(service: string): Promise<void> {
  const checkout = await mkdtemp(path.join(folder, "before-"));
  await writeFile(path.join(checkout, "openapi.yaml"), SPEC);
  const command = [path.join(root, "cli/bin/waymark.mjs"), "scan", "--wait", "--service", service];
  const env = { SERVICE_API_KEY: stack.apiKey, SERVICE_API_URL: stack.api.baseUrl };
  await run(process.execPath, [...command, "--spec", "openapi.yaml"], { cwd: checkout, env });
}

test("the action's steps install the package and scan to a real server, with outputs and a summary", async () => {
  const result = await runAction({ arguments: "--lint\n--wait" }, { npm: "real" });
  expect(result).toMatchObject({ exitCode: 0 });
  const { outputs } = result;
  const stored = await waitForRun(stack, outputs["scan-run-id"] ?? "");
  expect(stored).toMatchObject({ status: "completed", promoted: true, endpointCount: 1 });
  expect(outputs).toEqual({
    "scan-run-id": stored.id,
    "result-url": `${stack.api.baseUrl}/scan-runs/${stored.id}`,
    "endpoint-count": "1",
    "finding-count": String(stored.findingCount),
    scans: expect.stringMatching(/^\[\{"service":"orders","spec":"openapi.yaml","scanRunId":/),
  });
  expect(stored.findingCount).toBeGreaterThan(0);
  expect(result.summary).toContain("### Waymark scan of orders\n");
  expect(result.stderr).toMatch(/^::(?:error|warning|notice) file=openapi\.yaml,line=\d+/m);
  expect(result.stdout + result.stderr + result.summary).not.toContain(stack.apiKey);
});

test("without a key, the job exchanges its identity for one, and the output has neither", async () => {
  await using issuers = await startIssuers();
  const issuer = await issuers.add("/_services/token");
  const env = { NODE_EXTRA_CA_CERTS: issuers.caFile, ISSUER_EGRESS_ALLOW: issuers.egressAllow };
  await using api = await startApiProcess({ databaseUrl: stack.databaseUrl, env });
  const policy = await stack.http.post("/api/trust-policies", {
    name: "builds of acme",
    issuer: issuer.issuer,
    audience: api.baseUrl,
    conditions: { repository_owner_id: "65", repository: "acme/*" },
    scopes: ["scans:create", "services:read", "services:create", "services:update", "endpoints:write"],
  });
  expect(policy.status).toBe(201);
  await using runner = await startGithubRunner(issuer);
  const inputs = { service: "keyless", "api-key": "", "api-url": api.baseUrl, arguments: "--lint" };
  const result = await runAction(inputs, { identity: runner.env });
  expect(result).toMatchObject({ exitCode: 0 });
  const stored = await waitForRun(stack, result.outputs["scan-run-id"] ?? "");
  expect(stored).toMatchObject({ serviceName: "keyless", status: "completed", promoted: true });
  expect(runner.audiences).toEqual([api.baseUrl]);
  expect(result.stdout + result.stderr + result.summary).not.toMatch(/eyJ|wmk_|runner-secret/);
  const fork = await runAction(inputs);
  expect(fork.exitCode).toBe(2);
  expect(fork.stderr).toContain("API key required");
});

test("service-from scans every description as a service of its own, and names the scans in an output", async () => {
  const files = { "services/carts/openapi.yaml": SPEC, "services/returns/openapi.yaml": SPEC };
  const inputs = {
    service: "",
    "service-from": "file",
    spec: "services/*/openapi.yaml",
    arguments: "--wait",
  };
  const { exitCode, outputs } = await runAction(inputs, { files });
  expect(exitCode).toBe(0);
  const scans: { service: string; scanRunId: string }[] = JSON.parse(outputs["scans"] ?? "");
  expect(scans.map(({ service }) => service)).toEqual(["carts", "returns"]);
  for (const { scanRunId, service } of scans) {
    expect(await waitForRun(stack, scanRunId)).toMatchObject({ serviceName: service, endpointCount: 1 });
  }
  expect(outputs["scan-run-id"]).toBeUndefined();
});

test("a gate that fails fails the job, and the outputs name the run all the same", async () => {
  await scanBefore("gated");
  const without = SPEC.replace("/orders:", "/others:");
  const result = await runAction(
    { service: "gated", arguments: "--fail-on-removed" },
    { files: { "openapi.yaml": without } },
  );
  expect(result.exitCode).toBe(1);
  expect(result.stderr).toContain("removed: GET /orders");
  const stored = await waitForRun(stack, result.outputs["scan-run-id"] ?? "");
  expect(stored.promoted).toBe(false);
});

test("in a pull request the run is compared in the summary, and does not become current", async () => {
  await scanBefore("compared");
  const files = { "api v2/openapi.yaml": SPEC.replace("/orders:", "/others:") };
  const inputs = { service: "compared", "working-directory": "api v2" };
  const result = await runAction(inputs, { files, event: "pull_request" });
  expect(result).toMatchObject({ exitCode: 0 });
  expect(result.stderr).toMatch(/stored, not current: (?:a )?pull request/);
  expect(result.summary).toContain("\n\n**1 change breaks clients**\n\n");
  expect(result.summary).toContain("- **GET /orders** was removed");
  const { body } = await stack.http.get<ScanRun>(`/api/scan-runs/${result.outputs["scan-run-id"]}`);
  expect(body.promoted).toBe(false);
});

test("the pull request gets one comment for each service, which later scans update, also if a gate fails", async () => {
  await scanBefore("commented");
  const server = await startFakeComments();
  const scan = (service: string, text: string) =>
    runAction(
      { service, "comment-token": "token-of-github", arguments: "--fail-on-removed" },
      { files: { "openapi.yaml": text }, event: "pull_request", github: server.url },
    );
  expect(await scan("commented", SPEC)).toMatchObject({ exitCode: 0 });
  expect(server.ours()).toEqual([
    expect.stringContaining("**No change that breaks clients was found in 1 operation**\n"),
  ]);
  expect(await scan("commented", SPEC.replace("/orders:", "/others:"))).toMatchObject({ exitCode: 1 });
  expect(server.ours()).toEqual([
    expect.stringContaining(
      "**1 change breaks clients**\n\n#### Breaks clients: 1 change\n\n- **GET /orders** was removed",
    ),
  ]);
  expect(await scan("other --> <b>", SPEC)).toMatchObject({ exitCode: 0 });
  expect(server.ours()).toHaveLength(2);
  expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set(["Bearer token-of-github"]),
  );
});

test("a comment that GitHub refuses is a warning, and a scan that was not stored has none", async () => {
  const server = await startFakeComments({ status: 403 });
  const options = { event: "pull_request", github: server.url };
  const refused = await runAction({ service: "refused", "comment-token": "t" }, options);
  expect(refused.exitCode).toBe(0);
  expect(refused.stderr).toMatch(/^::warning::The pull request has no comment: .* 403: the job needs/m);
  const asked = server.requests.length;
  const wrong = await runAction({ service: "refused", "comment-token": "t", spec: "none.yaml" }, options);
  expect(wrong.exitCode).toBe(2);
  expect(server.requests).toHaveLength(asked);
});

test("a wrong package or a missing description fails the job before anything is stored", async () => {
  const broken = await runAction({ package: path.join(folder, "none.tgz") }, { npm: "real" });
  expect(broken.exitCode).not.toBe(0);
  expect(broken.outputs["scan-run-id"]).toBeUndefined();
  const missing = await runAction({ spec: "none.yaml" });
  expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("Can't read none.yaml") });
});
