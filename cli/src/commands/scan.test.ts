import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { answerJson, RUN_ID, startFakeServer, type FakeServer } from "../test-support/fake-server.ts";
import { createRepository } from "../test-support/git-repository.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const SPEC = [
  "openapi: 3.0.3",
  "info: { title: Orders, version: 1.10 }",
  "paths:",
  "  /orders/{id}:",
  "    get:",
  "      operationId: getOrder",
  "      tags: [orders, 7]",
  "      summary: One order",
  "      responses: {}",
  "    delete: { responses: {} }",
  "",
].join("\n");

const KEY = "wmk_test_not-a-real-key";

async function scan(server: FakeServer, args: string[] = [], env: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  const spec = await folder.write("orders.yaml", SPEC);
  return await runCaptured(["scan", "--service", "orders", "--spec", spec, ...args], {
    env: { SERVICE_API_KEY: KEY, SERVICE_API_URL: server.url, ...env },
  });
}

describe("an accepted scan", () => {
  test("prints exactly the three lines of the specification and exits with 0", async () => {
    const server = await startFakeServer();
    const result = await scan(server, ["--api-url", `${server.url}/`]);
    expect(result).toEqual({
      exitCode: 0,
      stdout: `Scan ingested: ${RUN_ID}\nResult URL: ${server.url}/scan-runs/${RUN_ID}\nEndpoints: 2; findings: 0\n`,
      stderr: "",
    });
  });

  test("sends the normalized spec, the key as bearer token and a new Idempotency-Key", async () => {
    const server = await startFakeServer();
    await scan(server);
    await scan(server);
    const [first, second] = server.requests;
    expect(first?.method).toBe("POST");
    expect(first?.url).toBe("/api/scans/ingest");
    expect(first?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
    });
    expect(first?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(second?.headers["idempotency-key"]).not.toBe(first?.headers["idempotency-key"]);
    expect(JSON.parse(first?.body ?? "")).toEqual({
      service: { name: "orders" },
      spec: {
        hash: createHash("sha256").update(SPEC).digest("hex"),
        format: "openapi",
        version: "1.10",
        title: "Orders",
      },
      endpoints: [
        {
          method: "GET",
          path: "/orders/{id}",
          operationId: "getOrder",
          tags: ["orders", "7"],
          summary: "One order",
        },
        { method: "DELETE", path: "/orders/{id}", operationId: null, tags: [], summary: null },
      ],
      findings: [],
    });
  });

  test.each([
    {
      where: "a pull request on GitHub",
      env: {
        GITHUB_ACTIONS: "true",
        GITHUB_SERVER_URL: "https://github.example",
        GITHUB_REPOSITORY: "acme/shop",
        GITHUB_RUN_ID: "7",
        GITHUB_SHA: "beef1",
        GITHUB_REF_NAME: "7/merge",
        GITHUB_HEAD_REF: "feature/größe",
      },
      event: {
        pull_request: { number: 7, head: { ref: "feature/größe", sha: "c0ffee1" }, base: { ref: "main" } },
      },
      sent: ["feature%2Fgr%C3%B6%C3%9Fe", "c0ffee1", "https://github.example/acme/shop/actions/runs/7"],
    },
    {
      where: "a merge request on GitLab",
      env: {
        CI_PROJECT_URL: "https://gitlab.example/acme/shop",
        CI_JOB_URL: "https://gitlab.example/acme/shop/-/jobs/7",
        CI_COMMIT_SHA: "c0ffee2",
        CI_COMMIT_REF_NAME: "feature",
      },
      sent: ["feature", "c0ffee2", "https://gitlab.example/acme/shop/-/jobs/7"],
    },
    {
      where: "a build whose address has a password",
      env: { JENKINS_URL: "https://ci.example", BUILD_URL: "https://ci:password@ci.example/job/7/" },
      sent: [undefined, undefined, "https://ci.example/job/7/"],
    },
    { where: "no build and no repository", env: {}, sent: [undefined, undefined, undefined] },
    {
      where: "a build whose values the server would refuse",
      env: {
        CI_PROJECT_URL: "x",
        CI_JOB_URL: "javascript:1",
        CI_COMMIT_SHA: "main",
        CI_COMMIT_REF_NAME: "a\nb",
      },
      sent: [undefined, undefined, undefined],
    },
  ])("says its branch, commit and build: $where", async ({ env, event, sent }) => {
    const { url, requests } = await startFakeServer();
    const { path: cwd, write } = await temporaryFolder();
    const eventFile = event && { GITHUB_EVENT_PATH: await write("event.json", JSON.stringify(event)) };
    const spec = await write("orders.yaml", SPEC);
    const args = [
      "scan",
      "--service",
      "orders",
      "--spec",
      spec,
      "--api-key",
      KEY,
      "--api-url",
      url,
      "--promote",
    ];
    expect(await runCaptured(args, { cwd, env: { ...env, ...eventFile } })).toMatchObject({ exitCode: 0 });
    const { headers = {} } = requests[0] ?? {};
    expect([headers["waymark-branch"], headers["waymark-commit"], headers["waymark-build-url"]]).toEqual(
      sent,
    );
  });

  test("says the branch and commit of a repository on this machine", async () => {
    const { url, requests } = await startFakeServer();
    const { folder: cwd, git, write } = await createRepository({ branch: "main" });
    const spec = await write("orders.yaml", SPEC);
    await runCaptured(["scan", "--service", "s", "--spec", spec, "--api-key", KEY, "--api-url", url], {
      cwd,
      env: { PATH: process.env["PATH"] },
    });
    expect(requests[0]?.headers).toMatchObject({
      "waymark-branch": "main",
      "waymark-commit": git("rev-parse", "HEAD"),
    });
  });

  test("reads the spec from standard input when --spec is -", async () => {
    const server = await startFakeServer();
    const result = await runCaptured(["scan", "--service", "orders", "--spec", "-"], {
      env: { SERVICE_API_KEY: KEY, SERVICE_API_URL: server.url },
      stdin: SPEC,
    });
    expect(result.stdout).toContain("Endpoints: 2; findings: 0\n");
  });

  test("lists on standard error which operations it left out", async () => {
    const server = await startFakeServer();
    const spec = {
      openapi: "3.2.0",
      paths: { "/s": { query: {}, get: {}, additionalOperations: { COPY: {} } } },
    };
    const result = await runCaptured(["scan", "--service", "s", "--spec", "-"], {
      env: { SERVICE_API_KEY: KEY, SERVICE_API_URL: server.url },
      stdin: JSON.stringify(spec),
    });
    expect(result.stdout).toContain("Endpoints: 1; findings: 0\n");
    expect(result.stderr).toMatch(/^Note: 2 operations left out.*: QUERY \/s, COPY \/s\.\n$/);
  });
});

describe("the sources of the key and the address", () => {
  test("options take precedence over the environment, and SERVICE_API_URL over SERVICE_BASE_URL", async () => {
    const used = await startFakeServer();
    const unused = await startFakeServer();
    await scan(unused, ["--api-url", used.url, "--api-key", "from-the-option"]);
    await scan(used, [], { SERVICE_BASE_URL: unused.url });
    await scan(used, [], { SERVICE_API_URL: "", SERVICE_BASE_URL: used.url });
    expect(unused.requests).toHaveLength(0);
    expect(used.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer from-the-option",
      `Bearer ${KEY}`,
      `Bearer ${KEY}`,
    ]);
  });

  test("a newline around a key is removed", async () => {
    const server = await startFakeServer();
    await scan(server, [], { SERVICE_API_KEY: `${KEY}\n` });
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test("a malformed key and a malformed address are refused without showing the key", async () => {
    const server = await startFakeServer();
    const results = [
      await scan(server, ["--api-key", "secret with space"]),
      await scan(server, ["--api-url", "ftp://example.com"]),
      await scan(server, ["--api-url", "http://user:secret@example.com"]),
      await scan(server, ["--api-url", "example.com"]),
    ];
    for (const { exitCode, stdout, stderr } of results) {
      expect(exitCode).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).not.toContain("secret");
      expect(stderr).toMatch(/API key contains a character|--api-url must/);
    }
    expect(server.requests).toHaveLength(0);
  });
});

describe("missing settings", () => {
  test("are named all at once, in the specification's words, with exit code 2", async () => {
    const result = await runCaptured(["scan"]);
    expect(result.exitCode).toBe(2);
    expect(result.stdout).toBe("");
    expect(result.stderr).toMatch(/^API key required: /);
    expect(result.stderr).toContain("--spec is required: ");
    expect(result.stderr).toContain("--service is required: ");
  });

  test.each([
    [["--spec", "x", "--service", "s"], /^API key required: [^\n]*\n$/],
    [["--api-key", "k", "--service", "s"], /^--spec is required: [^\n]*\n$/],
    [["--api-key", "k", "--spec", "x", "--service", " "], /^--service is required: [^\n]*\n$/],
  ])("one missing setting is the only message: %j", async (args, message) => {
    const result = await runCaptured(["scan", ...args]);
    expect(result).toEqual({ exitCode: 2, stdout: "", stderr: expect.stringMatching(message) });
  });
});

describe("a refused scan", () => {
  test.each([
    [400, "validation_failed", 2],
    [401, "invalid_api_key", 3],
    [403, "permission_denied", 3],
    [413, "payload_too_large", 2],
    [503, "service_unavailable", 4],
    [401, "a_code_of_tomorrow", 3],
    [500, "a_code_of_tomorrow", 4],
  ])("shows status, code, message and details: %i %s exits with %i", async (status, code, exitCode) => {
    const server = await startFakeServer((_, response) => {
      const details = [{ path: "endpoints[0].path", message: "is odd" }];
      answerJson(response, status, { error: { code, message: "Do this.", details, requestId: "r-1" } });
    });
    const result = await scan(server, ["--quiet"]);
    expect(result).toEqual({
      exitCode,
      stdout: "",
      stderr: `scan ingestion failed: HTTP ${status} ${code}: Do this.\n  endpoints[0].path: is odd\n  request id: r-1\n`,
    });
  });

  test("by another server than Waymark is distinguished, and a redirect is not followed", async () => {
    const page = await startFakeServer((_, response) => response.writeHead(502).end("<html>\u001b[2J"));
    const redirect = await startFakeServer((_, response) => {
      response.writeHead(308, { location: "https://elsewhere.example/" }).end();
    });
    const wrong = await startFakeServer((_, response) => response.writeHead(200).end("hello"));
    expect(await scan(page)).toMatchObject({ exitCode: 4, stderr: expect.stringContaining("HTTP 502") });
    expect(await scan(redirect)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("redirected to https://elsewhere.example/"),
    });
    expect(await scan(wrong)).toMatchObject({ exitCode: 4, stdout: "" });
    expect(redirect.requests).toHaveLength(1);
  });

  test("control characters of a server's message don't reach the terminal", async () => {
    const server = await startFakeServer((_, response) => {
      answerJson(response, 400, {
        error: { code: "validation_failed", message: "a\u001b[31m\nScan ingested: 1" },
      });
    });
    const { stderr } = await scan(server);
    expect(stderr).toBe(
      String.raw`scan ingestion failed: HTTP 400 validation_failed: a\u{1b}[31m\nScan ingested: 1` + "\n",
    );
  });
});

describe("a server that does not respond", () => {
  test("refused, reset and interrupted connections end with exit code 4 and name the address", async () => {
    const gone = await startFakeServer();
    await gone.close();
    const reset = await startFakeServer((_, response) => response.destroy());
    const half = await startFakeServer((_, response) => {
      response.writeHead(201, { "content-length": "1000" }).write("{");
      setImmediate(() => response.destroy());
    });
    for (const server of [gone, reset, half]) {
      const result = await scan(server);
      expect(result).toMatchObject({ exitCode: 4, stdout: "" });
      expect(result.stderr).toContain(`scan ingestion failed: no response from ${server.url}`);
    }
  });
});

test("a spec over 10 MB is refused by its size, before any request", async () => {
  const server = await startFakeServer();
  const folder = await temporaryFolder();
  const limit = 10 * 1024 * 1024;
  const exact = await folder.write("exact.json", '{"openapi":"3.1.0","paths":{}}'.padEnd(limit));
  const over = await folder.write("over.json", Buffer.alloc(limit + 1, " "));
  const args = (spec: string) => [
    "scan",
    "--service",
    "s",
    "--spec",
    spec,
    "--api-key",
    "k",
    "--api-url",
    server.url,
  ];
  expect(await runCaptured(args(exact))).toMatchObject({ exitCode: 0 });
  expect(await runCaptured(args(over))).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `OpenAPI spec is too large: ${over} has 10485761 bytes, the limit is 10485760 (10 MB). Make it smaller with waymark minify, which leaves out white space and examples, and with --include-path, --exclude-path or --tag all but a part of its operations, or split it into several specs. Scan each part as a service of its own.\n`,
  });
  const piped = await runCaptured(args("-"), { stdin: Buffer.alloc(limit + 1, " ") });
  expect(piped).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(/^OpenAPI spec is too large: /) });
  expect(server.requests).toHaveLength(1);
});
