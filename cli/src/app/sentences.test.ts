import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { echoProject } from "../test-support/echo-journey.ts";
import { type Answer, answerJson, startFakeServer } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const SPEC = '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{}}}}';

/** Standard error of a scan. */
async function scan(
  args: readonly string[],
  { files = {}, ...options }: { files?: Record<string, string> } & Parameters<typeof runCaptured>[1] = {},
): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries({ "openapi.json": SPEC, ...files }))
    await folder.write(name, text);
  const basics = ["scan", "--service", "s", "--spec", "openapi.json", "--api-key", "k"];
  return (await runCaptured([...basics, ...args], { cwd: folder.path, ...options })).stderr;
}

async function scanTo(answer: Answer, options: Parameters<typeof runCaptured>[1] = {}) {
  const server = await startFakeServer(answer);
  const stderr = await scan(["--api-url", server.url], options);
  return { stderr: stderr.replaceAll(server.url, "SERVER"), requests: server.requests.length };
}

describe("a server that does not respond as it should", () => {
  test("a time is rounded", async () => {
    const { stderr } = await scanTo(() => undefined, { times: { attemptMs: 137.0201, attemptsMax: 1 } });
    expect(stderr).toContain("no response from SERVER: no complete response within 0.1 s.\n");
  });

  test("a proxy that can't be reached is named", async () => {
    const env = { HTTP_PROXY: "http://127.0.0.1:9" };
    const stderr = await scan(["--api-url", "http://waymark.example", "--allow-http"], { env });
    expect(stderr).toContain(
      "no response from http://waymark.example: the connection was refused (through the proxy 127.0.0.1:9).\n",
    );
  });

  test("a response that is too large is told so, and not asked for again", async () => {
    const { stderr, requests } = await scanTo((_request, response) => {
      response.end(Buffer.alloc(8 * 1024 * 1024 + 1));
    });
    expect(stderr).toBe(
      "scan ingestion failed: no response from SERVER: the response has more than 8388608 bytes.\n",
    );
    expect(requests).toBe(1);
  });

  test("a page instead of an error of the API is a fault of a server or gateway", async () => {
    const { stderr } = await scanTo((_request, response) => {
      response.writeHead(500).end("<html>");
    });
    expect(stderr).toContain(
      "scan ingestion failed: HTTP 500 from SERVER: server or gateway error. Try again later",
    );
  });

  test("an address that a journey can't reach is shown", async () => {
    const { run, server } = await echoProject();
    await server.close();
    const { stdout } = await run(["--input", "word=x"]);
    expect(stdout).toMatch(/✗ say {2}POST \/echo.*refused/);
    expect(stdout).toContain(new URL(server.url).host);
  });
});

describe("a file that can't be read", () => {
  test("of a reference is named with the place that refers to it", async () => {
    const files = { "openapi.json": '{"openapi":"3.1.0","paths":{"/a":{"$ref":"./nope/a.yaml"}}}' };
    expect(await scan(["--dry-run"], { files })).toMatch(
      /^Can't read \S*nope\/a\.yaml, to which paths\["\/a"\] refers: there is no such file\.\n/,
    );
  });

  test("of a ruleset is named as such", async () => {
    expect(await scan(["--dry-run", "--rules", "none.yaml"])).toMatch(
      /^Can't read the ruleset \S*none\.yaml: there is no such file\.\n/,
    );
  });

  test("at an address is to be downloaded first", async () => {
    expect(await scan(["--dry-run", "--spec", "https://example.test/a.yaml"])).toBe(
      "Can't read https://example.test/a.yaml: URLs aren't read; download the file first.\n",
    );
  });
});

test("a length over a limit is said once", async () => {
  const path = `/${"x".repeat(2_100)}`;
  const stderr = await scan(["--dry-run"], {
    files: { "openapi.json": JSON.stringify({ openapi: "3.1.0", paths: { [path]: { get: {} } } }) },
  });
  expect(stderr).toMatch(/must be at most \d+ characters long, is 2101: "/);
  expect(stderr.match(/2101/g)).toHaveLength(1);
});

test("an option of one letter is an unknown option", async () => {
  expect(await scan(["-s", "x"])).toMatch(/^Unknown option "-s"\. See waymark scan --help\.\n$/);
});

test("the help has no empty block, and says where all of it is", async () => {
  expect((await runCaptured(["completion", "--help"])).stdout).not.toMatch(/Options:\n\n/);
  const { stdout } = await runCaptured(["--help"]);
  const readme = /^Documentation: (\S+README\.md)$/m.exec(stdout)?.[1] ?? "";
  expect(readFileSync(readme, "utf8")).toMatch(/^# waymark\n/);
});

test("each sentence of a help ends in the line or the paragraph that it begins in", async () => {
  const { stdout } = await runCaptured(["journey", "edit", "--help"]);
  expect(stdout).not.toMatch(/[a-z,]\n\n +[a-z]/);
});

test("a refusal of the server keeps its own words", async () => {
  const { stderr } = await scanTo((_request, response) =>
    answerJson(response, 422, { error: { code: "validation_failed", message: "Not this." } }),
  );
  expect(stderr).toBe("scan ingestion failed: HTTP 422 validation_failed: Not this.\n");
});
