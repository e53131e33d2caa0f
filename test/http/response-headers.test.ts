import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import type { ScanIngestionResult } from "@waymark/shared/scans/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRaw, parseAnswer } from "../faults/support/raw-client.ts";
import { createHttpClient } from "@waymark/test-support/http-client.ts";
import { scanPayload } from "@waymark/test-support/scan-payload.ts";
import { type Stack, startApi, startStack, type TestApi } from "@waymark/test-support/stack.ts";

const HTTPS_BASE = "https://waymark.example";

let stack: Stack;
/** Without settings, so that only the connection itself is trusted. */
let plain: TestApi;
/** Waits a second for headers. */
let impatient: TestApi;
/** Behind a proxy with TLS, which only PUBLIC_BASE_URL shows. */
let withBase: TestApi;
/** Behind a proxy that it trusts. */
let behindProxy: TestApi;
beforeAll(async () => {
  stack = await startStack();
  plain = stack.api;
  const start = (env: Record<string, string>) => startApi({ databaseUrl: stack.databaseUrl, env });
  impatient = await start({ HEADERS_TIMEOUT_MS: "1000" });
  withBase = await start({ PUBLIC_BASE_URL: `${HTTPS_BASE}/`, TRUST_PROXY: "loopback" });
  behindProxy = await start({ TRUST_PROXY: "loopback" });
});
afterAll(async () => {
  await impatient[Symbol.asyncDispose]();
  await withBase[Symbol.asyncDispose]();
  await behindProxy[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

interface RawHeaders {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Sends bytes as they are and reads the answer. */
async function exchange(api: TestApi, ...lines: string[]): Promise<RawHeaders> {
  const raw = await openRaw(api.baseUrl, lines.join("\r\n"));
  await raw.done;
  raw.socket.destroy();
  return readRaw(raw.answer());
}

function readRaw(text: string): RawHeaders {
  const answer = parseAnswer(text);
  if (answer === null) throw new Error(`no answer: ${text}`);
  const head = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n").slice(1);
  const pairs = head.map((line) => line.split(/: (.*)/, 2) as [string, string]);
  return { ...answer, headers: new Headers(pairs) };
}

const GET = (path: string) => `GET ${path} HTTP/1.1`;
const END = "\r\n";

describe("every response below /api has nosniff and no-store:", () => {
  const auth = () => `Authorization: Bearer ${stack.apiKey}`;
  const CASES: Record<string, { status: number; api?: () => TestApi; lines: () => string[] }> = {
    "a 200": { status: 200, lines: () => [GET("/api/limits"), "Host: w", auth(), END] },
    "a 401": { status: 401, lines: () => [GET("/api/services"), "Host: w", END] },
    "a 404 of an id": { status: 404, lines: () => [GET("/api/services/x"), "Host: w", auth(), END] },
    "a 404 of no route": { status: 404, lines: () => [GET("/api/nowhere"), "Host: w", END] },
    "an address that can't be decoded": { status: 400, lines: () => [GET("/api/%zz"), "Host: w", END] },
    "a parameter that is too long": {
      status: 404,
      lines: () => [GET(`/api/services/${"x".repeat(300)}`), "Host: w", END],
    },
    "a body that is left unread": {
      status: 413,
      lines: () => [
        "POST /api/scans/ingest HTTP/1.1",
        "Host: w",
        auth(),
        "Content-Type: application/json",
        `Content-Length: ${64 * 1024 ** 2}`,
        END,
      ],
    },
    "another media type": {
      status: 415,
      lines: () => [
        "POST /api/api-keys HTTP/1.1",
        "Host: w",
        auth(),
        "Content-Type: text/plain",
        "Content-Length: 1",
        "\r\nx",
      ],
    },
    "an OPTIONS": { status: 405, lines: () => ["OPTIONS /api/services HTTP/1.1", "Host: w", END] },
    "what is no HTTP": { status: 400, lines: () => ["GET /api/services HTTP/1.1 and more", END] },
    "headers that are too large": {
      status: 431,
      lines: () => [GET("/api/services"), "Host: w", `X-Large: ${"x".repeat(17_000)}`, END],
    },
    "headers that never end": {
      status: 408,
      api: () => impatient,
      lines: () => [GET("/api/services"), "Host: w", "X-"],
    },
    "no Host header": { status: 400, lines: () => [GET("/api/services"), auth(), END] },
    "an expectation that is not known": {
      status: 200,
      lines: () => [GET("/api/limits"), "Host: w", auth(), "Expect: a-miracle", END],
    },
  };

  it.each(Object.keys(CASES))("%s", async (name) => {
    const { status, api = () => plain, lines } = CASES[name] ?? { status: 0, lines: () => [] };
    const answer = await exchange(api(), ...lines());
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("strict-transport-security")).toBeNull();
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    if (status >= 400) ErrorResponse.parse(answer.body);
  });

  it("the last request on a connection to a process that is shutting down", async () => {
    const api = await startApi({ databaseUrl: stack.databaseUrl });
    const body = JSON.stringify(scanPayload({ serviceName: "last" }));
    const head = ["POST /api/scans/ingest HTTP/1.1", "Host: w", auth(), "Content-Type: application/json"];
    const rest = ["Expect: 100-continue", `Content-Length: ${Buffer.byteLength(body)}`];
    const raw = await openRaw(api.baseUrl, [...head, ...rest, `\r\n${body.slice(0, -1)}`].join("\r\n"));
    // "100 Continue": the request has begun.
    await raw.done;
    const stopped = api.stop();
    const statusOfNewConnections = () =>
      fetch(`${api.baseUrl}/healthz`).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(statusOfNewConnections).toBe(0);
    // A started request is finished, and one that a proxy sends on the same connection at that moment is served.
    raw.socket.write(body.slice(-1) + [GET("/api/limits"), "Host: w", auth(), END].join("\r\n"));
    await Promise.all([stopped, raw.closed]);
    const [, begun = "", last = ""] = raw.answer().split(/(?=HTTP\/1\.1 \d)/);
    expect(readRaw(begun).status).toBe(201);
    const answer = readRaw(last);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    expect(answer.headers.get("connection")).toBe("close");
  });
});

describe("the console, the documentation and the description", () => {
  it.each([
    ["/", "no-store"],
    ["/docs", "no-store"],
    ["/openapi.json", "no-store"],
    ["/healthz", "no-store"],
    ["/docs/static/swagger-ui.css", "public, max-age=0"],
    ["/favicon.svg", "max-age=86400"],
    ["/assets/nothing.js", "no-store"],
  ])("%s has nosniff and `%s`", async (path, cacheControl) => {
    const { headers } = await createHttpClient(plain.baseUrl).get(path);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe(cacheControl);
  });
});

describe("HSTS is sent", () => {
  const hsts = async (api: TestApi, path: string, headers: Record<string, string> = {}) =>
    (await createHttpClient(api.baseUrl).get(path, { headers })).headers.get("strict-transport-security");

  it.each(["/", "/docs", "/openapi.json", "/api/services", "/api/%zz", "/assets/nothing.js"])(
    "where PUBLIC_BASE_URL is https, and where a trusted proxy says so: %s",
    async (path) => {
      expect(await hsts(withBase, path)).toBe("max-age=31536000");
      // If an address can't be decoded, the framework doesn't read the forwarding headers.
      const forwarded = await hsts(behindProxy, path, { "x-forwarded-proto": "https" });
      expect(forwarded).toBe(path === "/api/%zz" ? null : "max-age=31536000");
      expect(await hsts(behindProxy, path)).toBeNull();
      expect(await hsts(plain, path, { "x-forwarded-proto": "https" })).toBeNull();
    },
  );

  it("also in a response to input that is no request", async () => {
    const answer = await exchange(withBase, "junk", END);
    expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000");
  });
});

describe("links to this server", () => {
  let seed = 0;
  async function resultUrl(api: TestApi, headers: Record<string, string> = {}): Promise<string> {
    const { body } = await createHttpClient(api.baseUrl, { key: stack.apiKey }).post<ScanIngestionResult>(
      "/api/scans/ingest",
      scanPayload({ seed: String(seed++) }),
      { headers },
    );
    return body.resultUrl;
  }
  const forwarded = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };

  it("start with PUBLIC_BASE_URL, regardless of the request and of a trusted proxy", async () => {
    expect(await resultUrl(withBase, forwarded)).toMatch(/^https:\/\/waymark\.example\/scan-runs\//);
  });

  it("start with the requested address, regardless of what an untrusted client forwards", async () => {
    expect(await resultUrl(plain, forwarded)).toMatch(new RegExp(`^${plain.baseUrl}/scan-runs/`));
    // An address at the start of the forwarding list doesn't make its sender trusted.
    const claims = {
      ...forwarded,
      "x-forwarded-for": "127.0.0.1",
      forwarded: "host=evil.example;proto=https",
    };
    expect(await resultUrl(plain, claims)).toMatch(new RegExp(`^${plain.baseUrl}/scan-runs/`));
  });

  it("start with what a trusted proxy forwards, and never with something other than http or https", async () => {
    expect(await resultUrl(behindProxy, forwarded)).toMatch(/^https:\/\/evil\.example\/scan-runs\//);
    const odd = { "x-forwarded-host": "waymark.example/a?b#", "x-forwarded-proto": "javascript" };
    expect(await resultUrl(behindProxy, odd)).toMatch(/^http:\/\/waymark\.example\/scan-runs\//);
  });
});

describe("a page of another site", () => {
  it("is allowed nothing: no response has a CORS header, and no preflight succeeds", async () => {
    const headers = {
      origin: "https://evil.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    };
    for (const api of [plain, withBase, behindProxy]) {
      const http = createHttpClient(api.baseUrl, { key: stack.apiKey });
      for (const path of ["/api/services", "/api/session", "/api/scans/ingest", "/openapi.json", "/"]) {
        const preflight = await http.request("OPTIONS", path, { key: null, headers });
        const answer = await http.get(path, { headers });
        expect([404, 405]).toContain(preflight.status);
        for (const sent of [preflight, answer]) {
          expect([...sent.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
        }
      }
    }
  });
});
