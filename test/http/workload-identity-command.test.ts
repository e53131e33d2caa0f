import type { TrustPolicy } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runCaptured, temporaryFolder } from "../../cli/src/test-support/run-captured.ts";
import { startGithubRunner } from "@waymark/test-support/github-runner.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import {
  gitlabClaims,
  type IssuerServer,
  startIssuers,
  type TestIssuer,
} from "@waymark/test-support/issuer.ts";
import { assertHoldsNoKeys } from "@waymark/test-support/secret-search.ts";
import { query } from "@waymark/test-support/sql.ts";
import { type ApiProcess, type Stack, startApiProcess, startStack } from "@waymark/test-support/stack.ts";

const SPEC = `openapi: 3.1.0
info: { title: Orders, version: "1" }
paths: { /orders: { get: { responses: { "200": { description: All orders } } } } }
`;
const SCAN = ["scans:create", "services:read", "services:create", "services:update", "endpoints:write"];

let issuers: IssuerServer;
let github: TestIssuer;
let gitlab: TestIssuer;
let stack: Stack;
let api: ApiProcess;
let http: HttpClient;
beforeAll(async () => {
  issuers = await startIssuers();
  [stack, github, gitlab] = await Promise.all([
    startStack(),
    issuers.add("/github/_services/token"),
    issuers.add("/gitlab"),
  ]);
  const env = { NODE_EXTRA_CA_CERTS: issuers.caFile, ISSUER_EGRESS_ALLOW: issuers.egressAllow };
  api = await startApiProcess({ databaseUrl: stack.databaseUrl, env });
  http = createHttpClient(api.baseUrl, { key: stack.apiKey });
  await createPolicy({
    name: "github",
    issuer: github.issuer,
    conditions: { repository_owner_id: "65", ref: "refs/heads/*" },
  });
  await createPolicy({ name: "gitlab", issuer: gitlab.issuer, conditions: { namespace_id: "72" } });
});
afterAll(async () => {
  await api.stop();
  await stack[Symbol.asyncDispose]();
  await issuers[Symbol.asyncDispose]();
});

async function createPolicy(settings: Record<string, unknown>): Promise<TrustPolicy> {
  const { status, body, text } = await http.post<TrustPolicy>("/api/trust-policies", {
    scopes: SCAN,
    ...settings,
  });
  if (status !== 201) throw new Error(text);
  return body;
}

async function startRunner(claims: Record<string, unknown> = {}) {
  const runner = await startGithubRunner(github, claims);
  onTestFinished(() => runner[Symbol.asyncDispose]());
  return runner;
}

async function waymark(args: string[], env: Record<string, string>) {
  const folder = await temporaryFolder();
  await folder.write("openapi.yaml", SPEC);
  const ended = await runCaptured(args, { cwd: folder.path, env: { SERVICE_API_URL: api.baseUrl, ...env } });
  // Neither a token nor a key is ever shown.
  const output = ended.stdout + ended.stderr;
  expect(output).not.toMatch(/eyJ|wmk_[0-9A-Za-z]{12}_|runner-secret/);
  return { exitCode: ended.exitCode, stdout: ended.stdout, stderr: ended.stderr };
}

const scan = (env: Record<string, string>, ...args: string[]) =>
  waymark(["scan", "--service", "orders", "--spec", "openapi.yaml", ...args], env);

describe("waymark scan without a key", () => {
  it("exchanges the identity of a job of GitHub Actions, for the server's address", async () => {
    const { env, audiences } = await startRunner();
    const { exitCode, stdout } = await scan(env);
    expect({ exitCode, audiences }).toEqual({ exitCode: 0, audiences: [api.baseUrl] });
    expect(stdout).toMatch(/^Scan ingested: /);
    const [row] = await query<{ name: string }>(
      stack,
      "SELECT k.name FROM scan_runs r JOIN api_keys k ON k.id = r.created_by_key_id ORDER BY r.created_at DESC LIMIT 1",
    );
    expect(row?.name).toBe("github: repo:acme/payments:ref:refs/heads/main");
    await assertHoldsNoKeys(stack);
  });

  it("asks GitHub for another token if the first one was exchanged, as after a response that was lost", async () => {
    const ids = ["first", "first", "second"];
    const { env, audiences } = await startRunner({
      get jti() {
        return ids.shift();
      },
    });
    expect(await scan(env)).toMatchObject({ exitCode: 0 });
    expect(await scan(env)).toMatchObject({ exitCode: 0 });
    expect(audiences).toHaveLength(3);
  });

  it("takes the token of WAYMARK_ID_TOKEN, as GitLab gives it, once", async () => {
    const token = await gitlab.token(gitlabClaims({ aud: api.baseUrl }));
    expect(await scan({ WAYMARK_ID_TOKEN: token })).toMatchObject({ exitCode: 0 });
    expect(await scan({ WAYMARK_ID_TOKEN: token })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("identity_token_used"),
    });
  });

  it("takes the token of a file, as Kubernetes mounts it", async () => {
    const folder = await temporaryFolder();
    const file = await folder.write("token", `${await gitlab.token(gitlabClaims({ aud: api.baseUrl }))}\n`);
    expect(await scan({ WAYMARK_ID_TOKEN_FILE: file })).toMatchObject({ exitCode: 0 });
    const other = await folder.write("other", "password=hunter2\n");
    expect(await scan({ WAYMARK_ID_TOKEN_FILE: other })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("has no token"),
    });
  });

  it("asks for another audience with WAYMARK_AUDIENCE", async () => {
    const policy = await createPolicy({
      name: "other audience",
      issuer: github.issuer,
      audience: "https://other.example.com",
      conditions: { repository_owner_id: "65" },
    });
    const { env, audiences } = await startRunner({ ref: "refs/tags/v1" });
    expect(await scan({ ...env, WAYMARK_AUDIENCE: policy.audience })).toMatchObject({ exitCode: 0 });
    expect(audiences).toEqual([policy.audience]);
  });

  it("prefers a key that is given, and asks for no token then", async () => {
    const { env, audiences } = await startRunner();
    expect(await scan({ ...env, SERVICE_API_KEY: stack.apiKey })).toMatchObject({ exitCode: 0 });
    expect(audiences).toEqual([]);
  });

  it("sends no token to an address of waymark.yaml", async () => {
    const { env, audiences } = await startRunner();
    const folder = await temporaryFolder();
    await folder.write("openapi.yaml", SPEC);
    await folder.write("waymark.yaml", `url: ${api.baseUrl}\n`);
    const args = ["scan", "--service", "orders", "--spec", "openapi.yaml"];
    const { exitCode, stderr } = await runCaptured(args, { cwd: folder.path, env });
    expect({ exitCode, audiences }).toEqual({ exitCode: 2, audiences: [] });
    expect(stderr).toContain("The API key is not sent to");
  });

  it("keeps a scan that can't be sent, as with a key", async () => {
    const { env } = await startRunner();
    const folder = await temporaryFolder();
    const spool = ["--spool", folder.path, "--on-upload-error", "warn"];
    const down = await scan({ ...env, SERVICE_API_URL: "http://127.0.0.1:9" }, ...spool);
    expect(down).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("The scan is kept in") });
    expect(await waymark(["flush", "--spool", folder.path], env)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("Sent: 1 scan"),
    });
  });

  it("says what a job of GitHub Actions needs", async () => {
    expect(await scan({ GITHUB_ACTIONS: "true" })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^API key required.*\n.*id-token: write/),
    });
  });
});

describe("waymark doctor without a key", () => {
  it("shows the claims that were sent, and that they are accepted", async () => {
    const { env } = await startRunner();
    const { exitCode, stdout } = await waymark(["doctor", "--service", "orders"], env);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`ok         aud: ${api.baseUrl}\n`);
    expect(stdout).toContain("ok         repository_owner_id: 65\n");
    expect(stdout).toContain("ok       identity: a trust policy accepts it\n");
    expect(stdout).toContain(`a scan to ${api.baseUrl} should work`);
    expect(stdout).not.toContain("octocat");
  });

  it("names the condition that failed", async () => {
    const { env } = await startRunner({ ref: "refs/tags/v1" });
    const { exitCode, stdout } = await waymark(["doctor"], env);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('ref: is "refs/tags/v1", which the policy does not accept');
  });
});
