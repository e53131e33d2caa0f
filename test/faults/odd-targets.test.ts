import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, type IncomingHttpHeaders, request as httpRequest } from "node:http";
import path from "node:path";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { createKey } from "@waymark/test-support/keys.ts";
import { registeredRoutes } from "@waymark/test-support/registered-routes.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { recordFigures } from "./support/figures.ts";
import { type OddRequest, oddRequest, type TargetMaterial } from "./support/odd-targets.ts";
import { openRaw, parseAnswer } from "./support/raw-client.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { inParallel } from "./support/submit.ts";

const REQUESTS = scaled({ short: 1_500, long: 10_000 });
const DIST = path.join(root, "web/dist");
/** Beside the assets' folder: a file that `../` would reach. */
const CANARY = `canary-${process.pid}.txt`;
const CANARY_TEXT = `canary ${process.pid} must never be served`;
/** The content of files that no address serves. */
const FORBIDDEN_TEXTS = [
  CANARY_TEXT,
  "__CSP_NONCE__",
  '"name": "@waymark/web"',
  "root:x:0:0",
  '"@fastify/swagger-ui"',
];

let stack: Stack;
/** For requests that change something, because the key may revoke itself. */
let otherKey: string;
let material: TargetMaterial;
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
beforeAll(async () => {
  announceSeed();
  writeFileSync(path.join(DIST, CANARY), CANARY_TEXT);
  const off = { RATE_LIMIT_KEY_PER_MINUTE: "off", RATE_LIMIT_FAILED_AUTH_PER_MINUTE: "off" };
  stack = await startStack({ apiEnv: off });
  otherKey = await createKey(stack, ["*"]);
  material = await describeAddresses();
});
afterAll(async () => {
  agent.destroy();
  rmSync(path.join(DIST, CANARY), { force: true });
  await stack[Symbol.asyncDispose]();
});

async function describeAddresses(): Promise<TargetMaterial> {
  const patterns = [...new Set((await registeredRoutes(stack.databaseUrl)).map((route) => route.url))];
  const assets = readdirSync(path.join(DIST, "assets")).map((file) => `/assets/${file}`);
  // If this fails, a route has moved, and the requests below would miss it.
  expect(patterns).toEqual(
    expect.arrayContaining([
      "/",
      "/api/scans/ingest",
      "/assets/*",
      "/docs/static/*",
      "/readyz",
      "/openapi.json",
    ]),
  );
  return {
    patterns: ["/", ...patterns],
    known: [
      "/docs/static/swagger-ui.css",
      ...assets.slice(0, 5),
      ...patterns.filter((pattern) => !/[:*]/.test(pattern)),
    ],
    forbiddenFiles: [
      CANARY,
      `../${CANARY}`,
      "../index.html",
      "../../package.json",
      "../package.json",
      "../../../../../../etc/passwd",
      "../../../../../etc/passwd",
    ],
  };
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Null for a HEAD that Node's parser refused. */
function send({ method, target }: OddRequest): Promise<Answer | null> {
  const isRead = method === "GET" || method === "HEAD";
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      stack.api.baseUrl,
      {
        agent,
        method,
        path: target,
        timeout: 30_000,
        headers: {
          authorization: `Bearer ${isRead ? stack.apiKey : otherKey}`,
          "accept-encoding": "gzip;q=0",
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    request.on("error", (error: NodeJS.ErrnoException) =>
      // An invalid HEAD request gets a body, because the parser doesn't know that it is a HEAD.
      error.code === "HPE_CLOSED_CONNECTION" && method === "HEAD" ? resolve(null) : reject(error),
    );
    request.on("timeout", () => request.destroy(new Error("no answer within 30 s")));
    request.end();
  });
}

/** Returns what is wrong with a response, or null. */
function complaintAbout({ method, target }: OddRequest, answer: Answer | null): string | null {
  if (answer === null) return null;
  const { status, headers, text } = answer;
  if (status >= 500) return `status ${status}`;
  if (/\bat \S+ \(|node_modules|\.ts:\d/.test(text) && status >= 400) return "a stack";
  const forbidden = FORBIDDEN_TEXTS.find((part) => text.includes(part));
  if (forbidden !== undefined) return `a file that is not to be served: ${forbidden}`;
  if (headers.location !== undefined && !/^\/[^/]/.test(headers.location))
    return `sent to ${headers.location}`;
  if (headers["x-content-type-options"] !== "nosniff") return "no nosniff";
  if (!/^(https?:\/\/[^/?#]*)?\/api\//.test(target)) return null;
  if (headers["cache-control"] !== "no-store") return "no no-store";
  if (status < 400 || method === "HEAD") return null;
  if (headers["content-type"] !== "application/json; charset=utf-8") return String(headers["content-type"]);
  return ErrorResponse.safeParse(JSON.parse(text)).success ? null : "no ErrorResponse";
}

describe("a request target", () => {
  it(
    `however odd, ${REQUESTS} times: no 5xx, no stack, an ErrorResponse on /api, and no file but those of the console`,
    { timeout: 600_000 },
    async () => {
      const random = createRandom("odd targets");
      const statuses: Record<string, number> = {};
      const complaints: string[] = [];
      await inParallel({ total: REQUESTS, atOnce: 8 }, async () => {
        const request = oddRequest(random, material);
        const answer = await send(request);
        const status = String(answer?.status ?? "none");
        statuses[status] = (statuses[status] ?? 0) + 1;
        const complaint = complaintAbout(request, answer);
        if (complaint !== null) {
          complaints.push(
            `${complaint}: ${request.method} ${request.target.slice(0, 200)}: ${answer?.text.slice(0, 200)}`,
          );
        }
      });
      recordFigures("Odd request targets", {
        requests: REQUESTS,
        ...Object.fromEntries(
          Object.entries(statuses).map(([status, count]) => [`answers ${status}`, count]),
        ),
        "5xx, crashes, or refusals in another shape": complaints.length,
      });
      expect(complaints.slice(0, 20)).toEqual([]);
      // Some are accepted, and some are refused.
      for (const status of ["200", "400", "404"]) expect(statuses[status]).toBeGreaterThan(REQUESTS / 100);
      expect(stack.api.logLines().filter((line) => Number(line["level"]) >= 50)).toEqual([]);
    },
  );

  // Known attacks, by name.
  it.each([
    "/assets/%00",
    "/assets//etc/passwd",
    "/assets/..%2f..%2fpackage.json",
    "/assets/%2e%2e/index.html",
    "/assets/..%5c",
    "/docs/static/%00",
    "/docs/static//etc/passwd",
    "/docs/static/..%5c",
    "/docs/static/%2e%2e%2fpackage.json",
  ])("GET %s is a 4xx, and leaves no error in the log", async (target) => {
    const answer = await send({ method: "GET", target });
    expect(answer?.status).toBeGreaterThanOrEqual(400);
    expect(answer?.status).toBeLessThan(500);
    ErrorResponse.parse(JSON.parse(answer?.text ?? ""));
    expect(stack.api.logLines().filter((line) => Number(line["level"]) >= 50)).toEqual([]);
  });

  it.each([
    ["raw spaces", "GET /api/ services HTTP/1.1"],
    ["raw NUL", "GET /api/\0 HTTP/1.1"],
    ["raw line feed", "GET /api/\n HTTP/1.1"],
    ["raw escape", "GET /assets/\u001b[2J HTTP/1.1"],
    ["no target", "GET  HTTP/1.1"],
    ["CONNECT", "CONNECT evil.example:443 HTTP/1.1"],
    ["another protocol", "PRI * HTTP/2.0"],
    ["an unknown version", "GET /api/services HTTP/9.9"],
  ])("with %s is refused, or the connection is closed", async (_name, line) => {
    const raw = await openRaw(stack.api.baseUrl, `${line}\r\nHost: waymark\r\nConnection: close\r\n\r\n`);
    await raw.done;
    raw.socket.destroy();
    expect(complaintAboutRaw(raw.answer())).toBeNull();
    expect((await stack.http.get("/healthz")).status).toBe(200);
  });
});

/** Returns what is wrong with the response to an invalid request, or null. No response is fine. */
function complaintAboutRaw(text: string): string | null {
  const answer = parseAnswer(text);
  if (answer === null) return null;
  if (answer.status < 400 || answer.status >= 500) return `status ${answer.status}`;
  if (!/^x-content-type-options: nosniff\r$/im.test(text)) return "no nosniff";
  if (!/^cache-control: no-store\r$/im.test(text)) return "no no-store";
  return ErrorResponse.safeParse(answer.body).success ? null : "no ErrorResponse";
}

it("the console's page is served with its nonce, so the search above would find the file itself", () => {
  expect(readFileSync(path.join(DIST, "index.html"), "utf8")).toContain("__CSP_NONCE__");
  expect(readFileSync(path.join(DIST, CANARY), "utf8")).toBe(CANARY_TEXT);
});
