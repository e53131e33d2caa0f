import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { temporaryFolder } from "../../cli/src/test-support/run-captured.ts";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { CI_SYSTEMS } from "../../web/src/api-keys/trust-policies/ci-systems.ts";
import { type IssuerServer, kubernetesClaims, startIssuers } from "@waymark/test-support/issuer.ts";
import { waitForRun } from "@waymark/test-support/scans.ts";
import { type ApiProcess, type Stack, startApiProcess, startStack } from "@waymark/test-support/stack.ts";

const run = promisify(execFile);
const SPEC = `openapi: 3.1.0
info: { title: Orders, version: "1" }
paths: { /orders: { get: { responses: { "200": { description: All orders } } } } }
`;
const SCAN = ["scans:create", "services:read", "services:create", "services:update", "endpoints:write"];

let issuers: IssuerServer;
let stack: Stack;
let api: ApiProcess;
let page = "";
beforeAll(async () => {
  page = await readFile(path.join(root, "docs/workload-identity.md"), "utf8");
  issuers = await startIssuers();
  stack = await startStack();
  const env = { NODE_EXTRA_CA_CERTS: issuers.caFile, ISSUER_EGRESS_ALLOW: issuers.egressAllow };
  api = await startApiProcess({ databaseUrl: stack.databaseUrl, env });
});
afterAll(async () => {
  await api.stop();
  await stack[Symbol.asyncDispose]();
  await issuers[Symbol.asyncDispose]();
});

const ORGANIZATION = "0184990a-477b-4fa8-9968-496074483cee";
const PROJECT = "1c3a9b62-7f0e-4a58-9d7c-2f6b1e8d4a90";
const COMMIT = "5ab9a4b6d1b4a4b2b1a1c0a6f3b7f5b1e2d3c4b5";

/** The claims that Buildkite documents. Those of `optional` are in the token only if `--claim` names them. */
const BUILDKITE = {
  sub: `organization:acme:pipeline:payments:ref:refs/heads/main:commit:${COMMIT}:step:scan`,
  organization_slug: "acme",
  pipeline_slug: "payments",
  build_number: 1,
  build_branch: "main",
  build_tag: "",
  build_commit: COMMIT,
  build_source: "webhook",
  step_key: "scan",
  job_id: "0184990a-4782-42b5-afc1-16715b10b8ff",
  agent_id: "0184990a-4782-42b5-afc1-16715b10b1c0",
  runner_environment: "self-hosted",
};
const BUILDKITE_OPTIONAL: Readonly<Record<string, string>> = {
  organization_id: ORGANIZATION,
  pipeline_id: PROJECT,
};

/** The claims that CircleCI documents, with a list of contexts and a boolean. It sends no `jti` and no `nbf`. */
const CIRCLECI = {
  // Without a `jti`, tokens that are issued in one second differ by their pipeline alone.
  get "oidc.circleci.com/pipeline-id"() {
    return randomUUID();
  },
  sub: `org/${ORGANIZATION}/project/${PROJECT}/user/0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9`,
  jti: undefined,
  nbf: undefined,
  "oidc.circleci.com/project-id": PROJECT,
  "oidc.circleci.com/context-ids": ["c27d0b06-0e7f-4d27-8f0c-0f6d0b1e2a3c"],
  "oidc.circleci.com/vcs-origin": "github.com/acme/payments",
  "oidc.circleci.com/vcs-ref": "refs/heads/main",
  "oidc.circleci.com/ssh-rerun": false,
};

const KUBERNETES = {
  ...kubernetesClaims({ aud: undefined }),
  "kubernetes.io": {
    namespace: "ci",
    node: { name: "worker-1", uid: "517eb86e-b863-451b-bf70-86cb61439a3a" },
    pod: { name: "build-69cbfb9798-jv9gn", uid: "778a530c-b3f4-47c0-9cd5-ab018fb64f33" },
    serviceaccount: { name: "waymark", uid: "a087d5a0-e1dd-43ec-93ac-f13d89cd13af" },
    warnafter: 4_102_444_800,
  },
};

/** Reads the audience and the optional claims from the arguments of a CI system's program. */
type Asked = (args: readonly string[]) => { aud: unknown; claims: readonly string[] };

const ofBuildkite: Asked = (args) => {
  const after = (option: string) => args.flatMap((arg, at) => (args[at - 1] === option ? [arg] : []));
  return { aud: after("--audience")[0], claims: after("--claim").flatMap((names) => names.split(",")) };
};
const ofCircleci: Asked = (args) => {
  const json: unknown = JSON.parse(args[args.indexOf("--claims") + 1] ?? "");
  return { aud: (json as { aud: unknown }).aud, claims: [] };
};

/** Returns the lines of a CI system's example in the page. */
function exampleOf(name: string): string {
  const [, after = ""] = page.split(`**${name}**`);
  return /```yaml\n([^]*?)```/.exec(after)?.[1] ?? "";
}

interface Tried {
  name: string;
  program: string;
  asked: Asked;
  claims: Record<string, unknown>;
  optional: Readonly<Record<string, string>>;
  /** Returns the script of a job's YAML, as the CI system passes it to a shell. */
  scriptOf: (yaml: unknown) => string;
  conditions: readonly Record<string, string>[];
}

const COMMAND = ([step]: { command?: string; run?: string | { command: string } }[]): string =>
  step?.command ?? (typeof step?.run === "string" ? step.run : (step?.run?.command ?? ""));

const TRIED: readonly Tried[] = [
  {
    name: "Buildkite",
    program: "buildkite-agent",
    asked: ofBuildkite,
    claims: BUILDKITE,
    optional: BUILDKITE_OPTIONAL,
    // `$$` is Buildkite's own escape: the upload of the pipeline makes `$` of it.
    scriptOf: (yaml) => COMMAND((yaml as { steps: [] }).steps).replaceAll("$$", "$"),
    conditions: [
      { organization_slug: "acme", pipeline_slug: "payments", build_branch: "main" },
      { organization_id: ORGANIZATION },
    ],
  },
  {
    name: "CircleCI",
    program: "circleci",
    asked: ofCircleci,
    claims: CIRCLECI,
    optional: {},
    scriptOf: (yaml) => COMMAND(yaml as []),
    conditions: [
      { "oidc.circleci.com/project-id": PROJECT, "oidc.circleci.com/vcs-ref": "refs/heads/*" },
      { sub: `org/${ORGANIZATION}/project/${PROJECT}/user/*`, "oidc.circleci.com/project-id": PROJECT },
    ],
  },
];

/** Runs a script with the CI system's program, which gives the token that was asked for, and the command. */
async function runScript(
  script: string,
  { program, asked, claims, optional, issuer }: Tried & { issuer: Issuer },
) {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder.path, "bin"));
  const tool = async (name: string, text: string) => {
    const file = await folder.write(`bin/${name}`, `#!/bin/sh\n${text}\n`);
    await chmod(file, 0o755);
  };
  await folder.write("openapi.yaml", SPEC);
  await tool("waymark", `exec '${process.execPath}' '${root}/cli/bin/waymark.mjs' "$@"`);
  const env = {
    PATH: `${folder.path}/bin:${process.env["PATH"] ?? ""}`,
    HOME: folder.path,
    SERVICE_API_URL: api.baseUrl,
  };
  // First only the question, then the token for it.
  const file = path.join(folder.path, "asked");
  await tool(program, `printf '%s\\n' "$@" > '${file}'`);
  await run("sh", ["-c", script], { cwd: folder.path, env }).catch(() => undefined);
  const { aud, claims: named } = asked((await readFile(file, "utf8")).trimEnd().split("\n"));
  const wanted = Object.fromEntries(Object.entries(optional).filter(([name]) => named.includes(name)));
  const token = await issuer.token({ ...claims, ...wanted, aud });
  await writeFile(path.join(folder.path, "token"), token);
  await tool(program, `cat '${folder.path}/token'`);
  return run("sh", ["-ec", script], { cwd: folder.path, env });
}
type Issuer = Awaited<ReturnType<IssuerServer["add"]>>;

let count = 0;
async function createPolicy(
  issuer: Issuer,
  conditions: Record<string, string>,
): Promise<() => Promise<unknown>> {
  const settings = { audience: api.baseUrl, scopes: SCAN, name: `policy ${count++}`, issuer: issuer.issuer };
  const { status, body, text } = await stack.http.post<{ id: string }>("/api/trust-policies", {
    ...settings,
    conditions,
  });
  expect({ status, text }).toMatchObject({ status: 201 });
  return () => stack.http.request("DELETE", `/api/trust-policies/${body.id}`);
}

/** Returns the run that the output of a scan names, when it is stored. */
function storedRun(stdout: string) {
  return waitForRun(stack, /^Scan ingested: (\S+)$/m.exec(stdout)?.[1] ?? "");
}
const STORED = { serviceName: "orders", status: "completed" };

test.each(TRIED)("the example for $name scans with the claims that it sends", async (tried) => {
  const issuer = await issuers.add(`/${tried.program}`);
  const script = tried.scriptOf(parse(exampleOf(tried.name)));
  for (const conditions of tried.conditions) {
    const remove = await createPolicy(issuer, conditions);
    const { stdout } = await runScript(script, { ...tried, issuer });
    expect(await storedRun(stdout)).toMatchObject(STORED);
    await remove();
  }
});

test.each(TRIED)("the console's lines for $name scan, with the conditions of its form", async (tried) => {
  const issuer = await issuers.add(`/console/${tried.program}`);
  const system = Object.values(CI_SYSTEMS).find(({ label }) => label === tried.name);
  const sent = new Map<string, unknown>(Object.entries({ ...tried.claims, ...tried.optional }));
  const conditions = Object.fromEntries(
    system?.claims.map(({ name }) => [name, String(sent.get(name))]) ?? [],
  );
  expect(Object.values(conditions)).not.toContain("undefined");
  await createPolicy(issuer, conditions);
  const lines = system?.snippet({ apiUrl: api.baseUrl, audience: api.baseUrl }) ?? [];
  const script = tried.scriptOf(parse(lines.join("\n")));
  const { stdout } = await runScript(`export WAYMARK_AUDIENCE=${api.baseUrl}\n${script}`, {
    ...tried,
    issuer,
  });
  expect(await storedRun(stdout)).toMatchObject(STORED);
});

test("the examples for Kubernetes mount a token that scans", async () => {
  const issuer = await issuers.add("/cluster", "ES256");
  const lines = CI_SYSTEMS.kubernetes.snippet({ apiUrl: api.baseUrl, audience: api.baseUrl }).join("\n");
  for (const text of [exampleOf("Kubernetes"), lines]) {
    const { volumes, volumeMounts, env }: Pod = parse(text);
    const source = volumes[0]?.projected.sources[0]?.serviceAccountToken;
    const file = env.find(({ name }) => name === "WAYMARK_ID_TOKEN_FILE")?.value ?? "";
    expect(volumeMounts).toEqual([{ name: volumes[0]?.name, mountPath: path.posix.dirname(file) }]);
    expect(source?.path).toBe(path.posix.basename(file));
    for (const conditions of [
      { sub: "system:serviceaccount:ci:waymark" },
      { "/kubernetes.io/namespace": "ci", "/kubernetes.io/serviceaccount/name": "waymark" },
    ]) {
      const remove = await createPolicy(issuer, conditions);
      const folder = await temporaryFolder();
      await folder.write("openapi.yaml", SPEC);
      // The kubelet writes no line break, and a list of audiences.
      const mounted = await folder.write("token", await issuer.token({ ...KUBERNETES, aud: [api.baseUrl] }));
      const { stdout } = await run(
        process.execPath,
        [`${root}/cli/bin/waymark.mjs`, "scan", "--service", "orders", "--spec", "openapi.yaml"],
        {
          cwd: folder.path,
          env: { SERVICE_API_URL: api.baseUrl, WAYMARK_ID_TOKEN_FILE: mounted, HOME: folder.path },
        },
      );
      expect(await storedRun(stdout)).toMatchObject(STORED);
      await remove();
    }
  }
});

interface Pod {
  volumes: {
    name: string;
    projected: { sources: { serviceAccountToken: { path: string; audience: string } }[] };
  }[];
  volumeMounts: { name: string; mountPath: string }[];
  env: { name: string; value: string }[];
}
