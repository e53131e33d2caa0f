import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type FakeApi, startFakeApi } from "../test-support/fake-api.ts";
import { type Answer, answerJson } from "../test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const SPEC = '{"openapi":"3.1.0","paths":{"/a":{"get":{}}}}';
const UNAVAILABLE = { error: { code: "service_unavailable", message: "Later." } };

function scan(server: { url: string }, args: string[] = [], options: Parameters<typeof runCaptured>[1] = {}) {
  return runCaptured(["scan", "--service", "s", "--spec", "-", "--api-url", server.url, ...args], {
    stdin: SPEC,
    ...options,
    env: { SERVICE_API_KEY: "k", ...options.env },
  });
}

/** A server that stores a scan and then fails, for the first ingests. */
function faulty(times: number, fault: Answer): Promise<FakeApi> {
  let left = times;
  return startFakeApi({
    intercept: (request, response, raw) => {
      if (left === 0) return false;
      left--;
      fault(request, response, raw);
      return true;
    },
  });
}

/** Longer than an attempt takes on a busy machine: where one has to take too long, the fault lets the time pass. */
const ATTEMPT_MS = 60_000;

const faults: [name: string, fault: Answer][] = [
  ["a reset connection", (_, response) => response.destroy()],
  ["429 with Retry-After", (_, response) => answerJson(response, 429, UNAVAILABLE, { "retry-after": "0" })],
  ["502 of a proxy", (_, response) => response.writeHead(502).end("<html>bad gateway</html>")],
  ["503 with Retry-After", (_, response) => answerJson(response, 503, UNAVAILABLE, { "retry-after": "0" })],
  ["504", (_, response) => response.writeHead(504).end()],
  [
    "409 request_in_progress",
    (_, response) => answerJson(response, 409, { error: { code: "request_in_progress", message: "Wait." } }),
  ],
  ["500 of a proxy", (_, response) => response.writeHead(500).end("<html>")],
  [
    "500 internal_error",
    (_, response) => answerJson(response, 500, { error: { code: "internal_error", message: "Broken." } }),
  ],
  [
    "half a response",
    (_, response) => {
      response.writeHead(201, { "content-length": "500" }).write('{"scanRunId":');
      setImmediate(() => response.destroy());
    },
  ],
  ["a hang", () => void vi.advanceTimersByTime(ATTEMPT_MS)],
  [
    "a slow drip",
    (_, response) => {
      response.writeHead(201, { "content-length": "500" });
      let written = 0;
      const timer = setInterval(() => {
        response.write("x");
        if (++written === 3) vi.advanceTimersByTime(ATTEMPT_MS);
      }, 20);
      response.on("close", () => clearInterval(timer));
    },
  ],
];

const times = { attemptMs: ATTEMPT_MS, totalMs: 600_000, attemptsMax: 3, firstDelayMs: 1 };

describe("a server with temporary failures", () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true }),
  );
  afterEach(() => void vi.useRealTimers());

  test.each(faults)(
    "%s: the scan is tried again under one Idempotency-Key and is one run",
    async (_, fault) => {
      const server = await faulty(2, fault);
      const result = await scan(server, [], { times });
      expect(result).toMatchObject({ exitCode: 0 });
      expect(result.stderr).toMatch(/^(?:[^\n]+; trying again in 0\.0 s\.\n){2}$/);
      expect(server.requests).toHaveLength(3);
      expect(new Set(server.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
      expect(server.runs.size).toBe(1);
    },
  );

  test.each(faults)("a permanent %s: exit code 4 after the last attempt", async (_, fault) => {
    const server = await faulty(Infinity, fault);
    const result = await scan(server, [], { times });
    expect(result).toMatchObject({ exitCode: 4, stdout: "" });
    expect(result.stderr).toMatch(/^scan ingestion failed: /m);
    expect(server.requests).toHaveLength(3);
  });

  test("is not waited for longer than the limit: a larger Retry-After ends the command immediately", async () => {
    const server = await faulty(Infinity, (_, response) => {
      answerJson(response, 503, UNAVAILABLE, { "retry-after": "3600" });
    });
    const result = await scan(server, [], { times });
    expect(result.exitCode).toBe(4);
    expect(server.requests).toHaveLength(1);
  });

  test.each([400, 401, 403, 413, 422])("a refusal is final: %i is not retried", async (status) => {
    const server = await faulty(1, (_, response) => {
      answerJson(response, status, { error: { code: "some_refusal", message: "No." } });
    });
    expect((await scan(server, [], { times })).exitCode).toBeGreaterThan(1);
    expect(server.requests).toHaveLength(1);
  });
});

test("a server that doesn't say what the key may do delays the scan by a moment only", async () => {
  const server = await startFakeApi({ intercept: ({ url }) => url === "/api/api-keys/self" });
  const begin = performance.now();
  const result = await scan(server, ["--fail-on", "critical"], { times: { checkMs: 50 } });
  expect(result.exitCode).toBe(0);
  expect(server.runs.size).toBe(1);
  expect(performance.now() - begin).toBeLessThan(10_000);
});

describe("the body", () => {
  const large = JSON.stringify({
    openapi: "3.1.0",
    paths: Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`/path/${i}`, { get: {} }])),
  });

  test("is gzip above 64 KB and plain below", async () => {
    const server = await startFakeApi();
    await scan(server);
    const result = await scan(server, [], { stdin: large });
    expect(result.stdout).toContain("Endpoints: 1500;");
    expect(server.requests.map(({ headers }) => headers["content-encoding"])).toEqual([undefined, "gzip"]);
  });

  test("is sent plain, under the same Idempotency-Key, to a server that responds with 415", async () => {
    const server = await startFakeApi({
      intercept: (request, response) => {
        if (request.headers["content-encoding"] === undefined) return false;
        answerJson(response, 415, { error: { code: "unsupported_media_type", message: "Plain, please." } });
        return true;
      },
    });
    const result = await scan(server, [], { stdin: large });
    expect(result.stdout).toContain("Endpoints: 1500;");
    const [first, second] = server.requests;
    expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
  });

  test("is sent once where it is plain and the server responds with 415", async () => {
    const server = await startFakeApi({
      intercept: (_, response) => {
        answerJson(response, 415, { error: { code: "unsupported_media_type", message: "No JSON, please." } });
        return true;
      },
    });
    const result = await scan(server);
    expect(result.stderr).toContain("No JSON, please.");
    expect(server.requests).toHaveLength(1);
  });
});

describe("--spool", () => {
  const down = { url: "http://127.0.0.1:9" };
  const scansIn = async (folder: string) =>
    (await readdir(folder)).filter((name) => name.endsWith(".scan.json")).toSorted();

  test("stores a scan that could not be sent, readable only by its owner and without the key", async () => {
    const folder = await temporaryFolder();
    const spool = path.join(folder.path, "spool");
    const result = await scan(down, ["--spool", spool], { env: { SERVICE_API_KEY: "the-secret-key" } });
    expect(result).toMatchObject({ exitCode: 4, stdout: "" });
    expect(result.stderr).toContain(`waymark flush --spool ${spool}`);
    const [name = ""] = await scansIn(spool);
    expect((await stat(path.join(spool, name))).mode & 0o777).toBe(0o600);
    const content = await readFile(path.join(spool, name), "utf8");
    expect(content).not.toContain("the-secret-key");
    expect(JSON.parse(content).payload.endpoints).toHaveLength(1);
  });

  test("with --on-upload-error warn the pipeline continues with a warning; a refusal still fails it", async () => {
    const folder = await temporaryFolder();
    const args = ["--spool", folder.path, "--on-upload-error", "warn"];
    const result = await scan(down, args);
    expect(result).toMatchObject({ exitCode: 0, stdout: "" });
    expect(result.stderr).toMatch(/^Warning: scan ingestion failed: no response/m);
    const refusing = await faulty(1, (_, response) => {
      answerJson(response, 403, { error: { code: "permission_denied", message: "No." } });
    });
    expect(await scan(refusing, args)).toMatchObject({ exitCode: 3 });
    expect(await scansIn(folder.path)).toHaveLength(1);
  });

  test("waymark flush sends the spooled scans unchanged, oldest first", async () => {
    const folder = await temporaryFolder();
    await scan(down, ["--spool", folder.path]);
    await scan(down, ["--spool", folder.path]);
    const names = await scansIn(folder.path);
    const kept = await Promise.all(
      names.map(async (name) => JSON.parse(await readFile(path.join(folder.path, name), "utf8"))),
    );
    const server = await startFakeApi();
    const flush = ["flush", "--spool", folder.path, "--api-key", "k", "--api-url", server.url];
    const result = await runCaptured(flush);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toMatch(/^(Scan ingested: \S+\n){2}Sent: 2 scans\n$/);
    expect([...server.runs].map(([key, { scannedAt }]) => [key, scannedAt])).toEqual(
      kept.map(({ idempotencyKey, scannedAt }) => [idempotencyKey, scannedAt]),
    );
    expect(await readdir(folder.path)).toEqual([]);
    expect(await runCaptured(flush)).toMatchObject({ exitCode: 0, stdout: "Sent: 0 scans\n" });
  });

  test("a flush of a folder that isn't there is an error", async () => {
    const { path: folder } = await temporaryFolder();
    const spool = path.join(folder, "wrong");
    expect(await runCaptured(["flush", "--spool", spool, "--api-key", "k"])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `Can't read the spool ${spool}: there is no such folder.\n`,
    });
  });

  test("a flush sends the scan of a pull request without making it current, with its source", async () => {
    const folder = await temporaryFolder();
    const spec = await folder.write("openapi.json", SPEC);
    const args = ["scan", "--service", "s", "--spec", spec, "--spool", folder.path, "--no-promote"];
    const env = {
      CI_PROJECT_URL: "https://gitlab.example",
      CI_COMMIT_REF_NAME: "größe",
      CI_COMMIT_AUTHOR: "Mira Žák <mira@shop.example>",
      CI_MERGE_REQUEST_IID: "812",
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
    };
    await runCaptured([...args, "--api-key", "k", "--api-url", down.url], { cwd: folder.path, env });
    const server = await startFakeApi();
    await runCaptured(["flush", "--spool", folder.path, "--api-key", "k", "--api-url", server.url]);
    expect(server.requests[0]?.headers).toMatchObject({
      "waymark-branch": "gr%C3%B6%C3%9Fe",
      "waymark-pull-request": "812",
      "waymark-base-branch": "main",
      "waymark-author": "Mira%20%C5%BD%C3%A1k",
      "waymark-repository": "https%3A%2F%2Fgitlab.example%2F",
    });
    expect([...server.runs.values()].map(({ promoted }) => promoted)).toEqual([false]);
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "keeps the scan of a command that %s ends while it sends",
    async (signal) => {
      const folder = await temporaryFolder();
      const spool = path.join(folder.path, "spool");
      const spec = await folder.write("openapi.json", SPEC);
      const main = path.resolve(import.meta.dirname, "../main.ts");
      const server = await startFakeApi({ intercept: () => true });
      const args = ["scan", "--service", "s", "--spec", spec, "--spool", spool, "--api-url", server.url];
      const child = spawn(process.execPath, [main, ...args], { env: { SERVICE_API_KEY: "k" } });
      let stderr = "";
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 60_000 });
      child.kill(signal);
      const [code, endedBy] = await once(child, "close");
      expect({ code, endedBy }).toEqual({ code: null, endedBy: signal });
      expect(stderr).toContain(`Interrupted while sending. The scan is kept in ${spool}`);
      const [name = ""] = await scansIn(spool);
      const kept = JSON.parse(await readFile(path.join(spool, name), "utf8"));
      expect(kept.idempotencyKey).toBe(server.requests[0]?.headers["idempotency-key"]);
    },
  );

  test("a flush that can't send keeps everything; a refused or foreign file doesn't block the others", async () => {
    const folder = await temporaryFolder();
    await scan(down, ["--spool", folder.path]);
    const args = (url: string) => ["flush", "--spool", folder.path, "--api-key", "k", "--api-url", url];
    expect(await runCaptured(args(down.url))).toMatchObject({ exitCode: 4, stdout: "" });
    expect(await scansIn(folder.path)).toHaveLength(1);

    // A pull request can put files into a spool in the checkout.
    const [kept = ""] = await scansIn(folder.path);
    const spooled = JSON.parse(await readFile(path.join(folder.path, kept), "utf8"));
    await folder.write("0000.scan.json", "{}");
    await folder.write("0001.scan.json", JSON.stringify({ ...spooled, idempotencyKey: "a\r\nX-Other: b" }));
    const server = await startFakeApi();
    const result = await runCaptured(args(server.url));
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain("0000.scan.json is not a spooled scan");
    expect(result.stderr).toContain("0001.scan.json is not a spooled scan");
    expect(server.runs.size).toBe(1);
    expect((await readdir(folder.path)).toSorted()).toEqual(["0000.scan.json", "0001.scan.json"]);
  });
});
