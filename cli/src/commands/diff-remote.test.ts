import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type FakeApiOptions, NO_CHANGES, startFakeApi } from "../test-support/fake-api.ts";
import { type Answer, startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const RUN = NO_CHANGES.against;
const BASE = `openapi: 3.0.3
info: { title: T, version: "1" }
paths:
  /a: { get: { responses: { "200": { description: d } } } }
  /b: { get: { responses: { "200": { description: d } } } }
`;
const HEAD = BASE.replace(/ {2}\/b.*\n/, "");
const LINES = "Endpoints: 0 added, 1 removed, 0 changed\n  removed  GET /b\nBreaks clients: 1 change\n";

async function diff(
  args: string[],
  { api = {}, files = {} }: { api?: FakeApiOptions; files?: Record<string, string> } = {},
) {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries({ "head.yaml": HEAD, ...files })) await folder.write(name, text);
  const server = await startFakeApi({ current: { scanRunId: RUN, description: BASE }, ...api });
  const env = { SERVICE_API_URL: server.url, SERVICE_API_KEY: "k" };
  const result = await runCaptured(["diff", ...args], { cwd: folder.path, env });
  return { ...result, server };
}

describe("waymark diff with what the server has", () => {
  test.each([
    ["the current run", ["current", "head.yaml", "--service", "locks"], "current:5"],
    ["the current run of the service in waymark.yaml", ["current", "head.yaml"], "current:5"],
    ["a run", [RUN, "head.yaml"], `${RUN}:5`],
  ])("compares with %s", async (_, args, place) => {
    const files = args.includes("--service") || args[0] === RUN ? {} : { "waymark.yaml": "service: locks\n" };
    const { stdout, stderr, exitCode, server } = await diff([...args, "--fail-on", "breaking"], { files });
    expect(exitCode).toBe(1);
    expect(stdout).toContain(LINES);
    expect(stdout).toContain(`(${place})`);
    expect(stderr).toContain("GET /b was removed");
    expect(server.descriptions[0]?.headers).toMatchObject({ authorization: "Bearer k" });
  });

  test("compares with a run as the head", async () => {
    const { stdout, exitCode } = await diff(["head.yaml", RUN, "--fail-on", "breaking"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Endpoints: 1 added, 0 removed, 0 changed");
  });

  test("names places in a stored description of one line by their pointers", async () => {
    const bundle = JSON.stringify({
      openapi: "3.0.3",
      info: { title: "T", version: "1" },
      paths: {
        "/a": { get: { responses: { "200": { description: "d" } } } },
        "/b": { get: { responses: { "200": { description: "d" } } } },
      },
    });
    const api = { current: { scanRunId: RUN, description: `${bundle}\n` } };
    const { stdout } = await diff([RUN, "head.yaml"], { api });
    expect(stdout).toContain(`GET /b was removed: every call to it fails. (${RUN}#/paths/~1b/get)`);
    const verdict = JSON.parse((await diff([RUN, "head.yaml", "--json"], { api })).stdout).verdicts[0];
    expect(verdict.base).toEqual({ file: RUN, pointer: "/paths/~1b/get" });
    const files = { "base.yaml": BASE.replace("/b:", "/c:") };
    const asHead = async (format: string) =>
      (await diff(["base.yaml", RUN, "--format", format], { api, files })).stdout;
    expect(await asHead("junit")).toContain(`${RUN}#/paths: GET /c was removed`);
    expect(JSON.parse(await asHead("sarif")).runs[0].results[0].locations).toEqual([
      { physicalLocation: { artifactLocation: { uri: "." }, region: { startLine: 1 } } },
    ]);
    expect(await asHead("github")).toMatch(/^::error title=operation-removed::GET \/c was removed/);
  });

  test("reads the server's text however it is sent", async () => {
    const describeRun: Answer = ({ headers }, response) => {
      expect(headers["accept-encoding"]).toContain("gzip");
      response
        .writeHead(200, { "content-type": "application/yaml", "content-encoding": "gzip" })
        .end(gzipSync(`${BASE}# ${"x".repeat(9_000_000)}\n`));
    };
    expect(await diff([RUN, "head.yaml"], { api: { describeRun } })).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(LINES),
    });
  });

  test("takes no file for the current run: a pull request could add it", async () => {
    const files = { current: HEAD, "head.yaml": HEAD };
    const { exitCode } = await diff(["current", "head.yaml", "--service", "l", "--fail-on", "breaking"], {
      files,
    });
    expect(exitCode).toBe(1);
    expect(await diff(["./current", "head.yaml", "--fail-on", "breaking"], { files })).toMatchObject({
      exitCode: 0,
    });
  });

  test.each<[string, string[], FakeApiOptions, string]>([
    ["no service", ["current", "head.yaml"], {}, "name it with --service"],
    [
      "an unknown service",
      ["current", "head.yaml", "--service", "x"],
      { current: undefined },
      'no service "x"',
    ],
    [
      "a run without a description",
      [RUN, "head.yaml"],
      { current: { scanRunId: RUN, description: "missing" } },
      "has no stored description. Scan again",
    ],
    ["an unknown run", [RUN.replace(/a$/, "c"), "head.yaml"], {}, "there is no such run"],
    [
      "a page of a proxy",
      [RUN, "head.yaml"],
      {
        describeRun: (_request, response) =>
          response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      },
      "the response is not that of a Waymark server",
    ],
  ])("says what is wrong with %s", async (_, args, api, message) => {
    const { exitCode, stdout, stderr } = await diff(args, { api });
    expect(exitCode).toBeGreaterThan(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(message);
  });

  test("needs a key", async () => {
    const { exitCode, stderr } = await runCaptured(["diff", RUN, RUN], {
      env: { SERVICE_API_URL: "http://127.0.0.1:9" },
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("API key required");
  });
});

describe("waymark diff with an address", () => {
  async function diffAddress(
    answer: Answer,
    args: string[] = ["--allow-url"],
    path = "/api.yaml?token=secret",
  ) {
    const server = await startFakeServer(answer);
    const folder = await temporaryFolder();
    await folder.write("head.yaml", HEAD);
    const result = await runCaptured(["diff", `${server.url}${path}`, "head.yaml", ...args], {
      cwd: folder.path,
      env: { SERVICE_API_KEY: "wmk_k" },
      times: { attemptsMax: 1 },
    });
    return { ...result, server };
  }
  const serve: Answer = (_, response) => response.end(BASE);
  const redirect =
    (location: (host: string) => string): Answer =>
    ({ url, headers }, response) => {
      if (url === "/moved.yaml") response.end(BASE);
      else response.writeHead(302, { location: location(headers.host ?? "") }).end();
    };

  test("reads it with --allow-url only, without the key, and hides its query", async () => {
    const refused = await diffAddress(serve, []);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("pass --allow-url") });
    expect(refused.server.requests).toEqual([]);
    const { exitCode, stdout, stderr, server } = await diffAddress(serve);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(LINES);
    expect(server.requests[0]?.url).toContain("token=secret");
    expect(JSON.stringify(server.requests[0]?.headers)).not.toContain("wmk_k");
    expect(stdout).not.toContain("secret");
  });

  test("follows a redirect on the same host, and no other one", async () => {
    expect(await diffAddress(redirect(() => "/moved.yaml"))).toMatchObject({ exitCode: 0 });
    const other = await diffAddress(redirect(() => "http://127.0.0.2:9/x?token=secret"));
    expect(other).toMatchObject({ exitCode: 2, stdout: "" });
    expect(other.stderr).toContain("redirects to another host, http://127.0.0.2:9/x, which is not followed");
    expect(other.stderr).not.toContain("secret");
    const endless = await diffAddress(redirect(() => "/again"));
    expect(endless).toMatchObject({ exitCode: 4, stderr: expect.stringContaining("more than 5 redirects") });
  });

  test.each<[string, Answer, number, string]>([
    ["a refusal", (_, response) => response.writeHead(404).end(), 2, "HTTP 404"],
    ["a fault", (_, response) => response.writeHead(503).end(), 4, "HTTP 503"],
    ["no response", (_, response) => response.destroy(), 4, "failed: "],
    ["something else", (_, response) => response.end("<html>"), 2, "is not an OpenAPI description"],
    [
      "references to other files",
      (_, response) => response.end("openapi: 3.0.3\npaths: { /a: { $ref: other.yaml } }\n"),
      2,
      "only the file itself is read",
    ],
  ])("says what is wrong: %s", async (_, answer, code, message) => {
    const { exitCode, stdout, stderr } = await diffAddress(answer);
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: "" });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("secret");
  });

  test.each([
    ["http://example.com/a.yaml", "is not read over http://"],
    ["https://user:pw@example.com/a.yaml", "has a user or a password, which is not sent"],
  ])("refuses %s before any request", async (address, message) => {
    const { exitCode, stderr } = await runCaptured(["diff", address, address, "--allow-url"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("pw");
  });
});
