import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gitlabClaims, startIssuers } from "@waymark/test-support/issuer.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { type Stack, startApiProcess, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { type FakeComments, startFakeComments } from "../../cli/src/test-support/fake-comments.ts";
import { root } from "../../scripts/bootstrap/checkout.mjs";

const run = promisify(execFile);

const SPEC = `openapi: 3.1.0
info: { title: Orders, version: "1" }
paths:
  /orders: { get: { responses: { "200": { description: All orders } } } }
`;

let stack: Stack;
let script = "";
let idTokens: Record<string, { aud: string }> = {};
beforeAll(async () => {
  stack = await startStack();
  const template: { ".waymark-scan": { script: string[]; id_tokens: typeof idTokens } } = parse(
    await readFile(path.join(root, "deploy/gitlab/waymark-scan.yml"), "utf8"),
  );
  script = template[".waymark-scan"].script.join("\n");
  idTokens = template[".waymark-scan"].id_tokens;
});
afterAll(() => stack[Symbol.asyncDispose]());

/** Runs the job's script as GitLab's runner does, in a checkout with this description. npm "installs" the command of this repository. */
async function runJob(spec: string, variables: Record<string, string>, gitlab?: FakeComments) {
  const job = await mkdtemp(path.join(tmpdir(), "waymark-gitlab-"));
  onTestFinished(() => rm(job, { recursive: true, force: true }));
  for (const folder of ["bin", "checkout", "tmp/waymark/node_modules/.bin"]) {
    await mkdir(path.join(job, folder), { recursive: true });
  }
  await writeFile(path.join(job, "checkout/openapi.yaml"), spec);
  await writeFile(path.join(job, "bin/npm"), "#!/bin/sh\nexit 0\n");
  const waymark = path.join(job, "tmp/waymark/node_modules/.bin/waymark");
  // Notes which secrets each call of the command can see.
  await writeFile(
    waymark,
    `#!/bin/sh\necho "$1 \${SERVICE_API_KEY:+key}\${WAYMARK_ID_TOKEN:+identity} \${WAYMARK_COMMENT_TOKEN:+token}" >> '${job}/seen'\n` +
      `exec '${process.execPath}' '${root}/cli/bin/waymark.mjs' "$@"\n`,
  );
  for (const file of [waymark, path.join(job, "bin/npm")]) await chmod(file, 0o755);
  const ended = await run("sh", ["-ec", script.replaceAll("/tmp/", `${job}/tmp/`)], {
    cwd: path.join(job, "checkout"),
    env: {
      PATH: `${path.join(job, "bin")}:${process.env["PATH"] ?? ""}`,
      HOME: job,
      GITLAB_CI: "true",
      CI_PROJECT_ID: "42",
      CI_COMMIT_BRANCH: "main",
      CI_DEFAULT_BRANCH: "main",
      WAYMARK_PACKAGE: "waymark.tgz",
      WAYMARK_OPTIONS: "--lint --wait",
      WAYMARK_SPEC: "openapi.yaml",
      SERVICE_API_URL: stack.api.baseUrl,
      SERVICE_API_KEY: stack.apiKey,
      ...(gitlab && { CI_API_V4_URL: gitlab.url, CI_MERGE_REQUEST_IID: "7", WAYMARK_COMMENT_TOKEN: "t" }),
      ...variables,
    },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      stdout,
      stderr,
    }),
  );
  const read = (name: string) => readFile(path.join(job, name), "utf8").catch(() => "");
  return { ...ended, seen: await read("seen"), quality: await read("checkout/waymark-codequality.json") };
}

test("the job scans to a real server, and has findings for GitLab's Code Quality", async () => {
  const { code, stdout, seen, quality } = await runJob(SPEC, {
    WAYMARK_SERVICE: "orders",
    WAYMARK_COMMENT_TOKEN: "t",
  });
  expect(code).toBe(0);
  const id = /^Scan ingested: (\S+)$/m.exec(stdout)?.[1] ?? "";
  expect(await waitForRun(stack, id)).toMatchObject({ serviceName: "orders", promoted: true });
  expect(JSON.parse(quality)).toContainEqual(
    expect.objectContaining({ location: { path: "openapi.yaml", lines: { begin: expect.any(Number) } } }),
  );
  expect(seen).toBe("scan key \n");
});

test("without a key, the job exchanges the token of id_tokens for one", async () => {
  await using issuers = await startIssuers();
  const issuer = await issuers.add("/gitlab");
  const env = { NODE_EXTRA_CA_CERTS: issuers.caFile, ISSUER_EGRESS_ALLOW: issuers.egressAllow };
  await using api = await startApiProcess({ databaseUrl: stack.databaseUrl, env });
  const policy = await stack.http.post("/api/trust-policies", {
    name: "pipelines of acme",
    issuer: issuer.issuer,
    audience: api.baseUrl,
    conditions: { namespace_id: "72" },
    scopes: ["scans:create", "services:read", "services:create", "services:update", "endpoints:write"],
  });
  expect(policy.status).toBe(201);
  expect(idTokens).toEqual({ WAYMARK_ID_TOKEN: { aud: "$SERVICE_API_URL" } });
  const variables = { WAYMARK_SERVICE: "keyless", SERVICE_API_KEY: "", SERVICE_API_URL: api.baseUrl };
  const gitlab = await startFakeComments();
  const token = await issuer.token(gitlabClaims({ aud: api.baseUrl }));
  const job = await runJob(
    SPEC,
    { ...variables, WAYMARK_OPTIONS: "--lint", WAYMARK_ID_TOKEN: token },
    gitlab,
  );
  expect(job).toMatchObject({ code: 0, seen: "scan identity \ncomment  token\n" });
  expect(job.stdout + job.stderr).not.toMatch(/eyJ|wmk_/);
  const runOf = ({ stdout }: { stdout: string }) =>
    waitForRun(stack, /^Scan ingested: (\S+)$/m.exec(stdout)?.[1] ?? "");
  expect(await runOf(job)).toMatchObject({ serviceName: "keyless", promoted: false });
  // A push to the default branch, without a merge request.
  const next = await issuer.token(gitlabClaims({ aud: api.baseUrl }));
  const push = await runJob(SPEC, { ...variables, WAYMARK_OPTIONS: "--lint", WAYMARK_ID_TOKEN: next });
  expect(await runOf(push)).toMatchObject({ serviceName: "keyless", promoted: true });
});

test("a merge request gets one comment, which later pipelines update, also if a gate fails", async () => {
  await runJob(SPEC, { WAYMARK_SERVICE: "commented" });
  const gitlab = await startFakeComments();
  const variables = { WAYMARK_SERVICE: "commented", WAYMARK_OPTIONS: "--lint --fail-on-removed" };
  const kept = await runJob(SPEC, variables, gitlab);
  expect(kept).toMatchObject({ code: 0, seen: "scan key \ncomment  token\n" });
  expect(gitlab.ours()).toEqual([
    expect.stringContaining("**No change that breaks clients was found in 1 operation**\n"),
  ]);
  const removed = await runJob(SPEC.replace("/orders:", "/others:"), variables, gitlab);
  expect(removed.code).toBe(1);
  expect(gitlab.ours()).toEqual([
    expect.stringContaining(
      "**1 change breaks clients**\n\n#### Breaks clients: 1 change\n\n- **GET /orders** was removed",
    ),
  ]);
});

test("a comment that GitLab refuses is told, and the job has the exit code of the scan", async () => {
  const gitlab = await startFakeComments({ status: 403 });
  const refused = await runJob(SPEC, { WAYMARK_SERVICE: "refused" }, gitlab);
  expect(refused).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("the scope api and the role Reporter"),
  });
  const asked = gitlab.requests.length;
  const wrong = await runJob(SPEC, { WAYMARK_SERVICE: "refused", WAYMARK_SPEC: "none.yaml" }, gitlab);
  expect(wrong.code).toBe(2);
  expect(gitlab.requests).toHaveLength(asked);
});

test("WAYMARK_SERVICE_FROM scans every file that matches, each as a service of its own", async () => {
  const { code, stdout } = await runJob(SPEC, { WAYMARK_SERVICE_FROM: "title", WAYMARK_SPEC: "*.yaml" });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Orders \(openapi\.yaml\)\nScan ingested: /m);
});
