import type { IncomingMessage, ServerResponse } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { REPORT_FORMATS } from "@waymark/journeys/report/formats.ts";
import { encodingsOf, unescaped } from "./support/secret.ts";
import { serve } from "./support/serve.ts";
import { temporaryFolder, waymark } from "./support/waymark.ts";

/** The server's values, which are unknown before the run. */
const CANARIES = {
  /** Under a neutral name; it is sent as Authorization three steps and a workflow later. */
  ticket: `t1cket/+="&%<>'canary`,
  /** With the name of a secret, and never used. */
  access_token: "n4med-by-the-field.canary/0+1",
  /** Declared in the document. */
  link: "d3clared canary & more",
  /** In the value of Set-Cookie. */
  cookie: "s%3Ac00kie-canary.A/b+c=",
  /** In a custom header that a security scheme names. */
  pass: "sch3me-canary-0123456789",
};

/** Only the last response has it under the name of a secret; earlier outputs are cleaned when the run ends. */
const LATE = "l4te-canary-9876543210";

const DOCUMENT = (url: string, other: string): string => `arazzo: 1.1.0
info: { title: Canary, version: 1.0.0, x-journey: { schema: 1 } }
sourceDescriptions: [{ name: api, url: ./api.openapi.json, type: openapi }]
workflows:
  - workflowId: main
    steps:
      - stepId: login
        x-operation: { method: POST, url: "${url}/login" }
        requestBody: { contentType: application/json, payload: { user: u, password: "l1teral-canary-pw" } }
        outputs: { ticket: $response.body#/ticket, link: $response.body#/link, all: $response.body, late: $response.body#/late,
          text: "<{$response.body#/ticket}>", cookie: $response.header.set-cookie, pass: $response.body#/pass }
        x-journey: { secretOutputs: [link] }
      - { stepId: pause, x-operation: { method: GET, url: "${url}/nothing" } }
      - stepId: inside
        workflowId: sub
        parameters: [{ name: given, value: $steps.login.outputs.ticket }]
        onFailure: [{ name: on, type: goto, stepId: scheme }]
      - stepId: scheme
        operationId: scheme
        parameters: [{ name: X-Pass, in: header, value: $steps.login.outputs.pass }, { name: sid, in: cookie, value: $steps.login.outputs.ticket }]
        successCriteria: [{ x-id: regex, context: $response.body, type: regex, condition: "^nothing$" }]
        onFailure: [{ name: on, type: goto, stepId: away }]
      - stepId: away
        x-operation: { method: POST, url: "${url}/away?to=${encodeURIComponent(other)}" }
        parameters: [{ name: Authorization, in: header, value: "Bearer {$steps.login.outputs.ticket}" }]
        requestBody: { contentType: text/plain, payload: "{$steps.login.outputs.ticket}" }
        onFailure: [{ name: on, type: goto, stepId: refused }]
        successCriteria: [{ condition: $statusCode == 500 }]
      - stepId: refused
        x-operation: { method: GET, url: "http://127.0.0.1:1/{$steps.login.outputs.ticket}" }
        onFailure: [{ name: on, type: goto, stepId: invalid }]
      - stepId: invalid
        x-operation: { method: GET, url: "{$steps.login.outputs.ticket}" }
        onFailure: [{ name: on, type: goto, stepId: last }]
      - stepId: last
        x-operation: { method: GET, url: "${url}/last" }
    outputs: { all: $steps.login.outputs.all, ticket: $steps.login.outputs.ticket }
  - workflowId: sub
    inputs: { type: object, properties: { given: { type: string } } }
    steps:
      - stepId: echo
        x-operation: { method: GET, url: "${url}/echo?q={$inputs.given}" }
        parameters: [{ name: Authorization, in: header, value: "Bearer {$inputs.given}" }]
        successCriteria: [{ x-id: raw, condition: $response.body == 'nothing' }, { x-id: path, context: $response.body, type: jsonpath, condition: "$[?@.nothing == 1]" }]
        outputs: { body: $response.body, head: $response.header.x-echo }
`;

const OPENAPI = (url: string): unknown => ({
  openapi: "3.1.0",
  info: { title: "Canary", version: "1" },
  servers: [{ url }],
  paths: {
    "/scheme": {
      get: {
        operationId: "scheme",
        security: [{ pass: [] }],
        responses: {
          200: {
            description: "ok",
            content: { "application/json": { schema: { type: "object", maxProperties: 1 } } },
          },
        },
      },
    },
  },
  components: { securitySchemes: { pass: { type: "apiKey", in: "header", name: "X-Pass" } } },
});

test("no output contains the secrets that a run obtains, in any encoding", async () => {
  const seen: { path: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const url = await serveSeen(seen, answer);
  const other = await serveSeen(seen, (_request, response) => response.end("elsewhere"));
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "canary.journey.yaml"), DOCUMENT(url, other));
  writeFileSync(join(cwd, "api.openapi.json"), JSON.stringify(OPENAPI(url)));
  const reports = REPORT_FORMATS.flatMap((format) => ["--report", `${format}=report.${format}`]);
  const args = ["journey", "run", "canary.journey.yaml", "--verbose", "--follow-redirects", ...reports];
  const ended = await waymark(args, { cwd });
  expect(seen.map(({ path }) => path)).toEqual([
    "/login",
    "/nothing",
    expect.stringContaining("/echo?q=t1cket"),
    "/scheme",
    expect.stringContaining("/away"),
    "/last",
  ]);
  expect(seen[2]?.headers.authorization).toBe(`Bearer ${CANARIES.ticket}`);
  expect(ended.stdout).toContain("was not followed: the body that it asks for holds a secret");

  const files = REPORT_FORMATS.map((format) => readFileSync(join(cwd, `report.${format}`), "utf8"));
  for (const [at, output] of [ended.stdout + ended.stderr, ...files].entries()) {
    // Printed while it ran, the late one is the only one that can be seen.
    const hidden = [...Object.values(CANARIES), "l1teral-canary-pw", ...(at === 0 ? [] : [LATE])];
    for (const canary of hidden) expectWithout(output, canary);
  }
  expect(files[0]).toContain("[redacted]");
  expect(files[0]).toContain("ordinary text");
});

function expectWithout(output: string, canary: string): void {
  for (const [name, written] of Object.entries(encodingsOf(canary))) {
    for (const form of [written, JSON.stringify(written).slice(1, -1)]) {
      expect([output.includes(form), name, canary]).toEqual([false, name, canary]);
      expect([unescaped(output).includes(form), name, canary]).toEqual([false, name, canary]);
    }
  }
  // Nor a part of it at a cut.
  expect(output).not.toContain(canary.slice(0, 8));
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = new URL(request.url ?? "", "http://x").pathname;
  const all = Object.values(CANARIES);
  const echo = Object.fromEntries(all.map((canary, at) => [`c${at}`, encodingsOf(canary)]));
  switch (path) {
    case "/login":
      response.setHeader("set-cookie", [`sid=${CANARIES.cookie}; Path=/; HttpOnly`]);
      sendJson(response, 200, { ...CANARIES, late: LATE, word: "ordinary text" });
      return;
    case "/away":
      response
        .writeHead(307, { location: new URL(request.url ?? "", "http://x").searchParams.get("to") ?? "" })
        .end();
      return;
    case "/last":
      sendJson(response, 200, { api_key: LATE });
      return;
    case "/nothing":
      sendJson(response, 200, {});
      return;
    default:
      response.setHeader("x-echo", encodingsOf(CANARIES.ticket)["jsonInBase64"] ?? "");
      sendJson(response, 200, { ...echo, nested: JSON.stringify(echo), long: CANARIES.ticket.repeat(2_000) });
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Serves requests, and keeps what they send. */
function serveSeen(
  seen: { path: string; headers: IncomingMessage["headers"]; body: string }[],
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  return serve((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      seen.push({ path: request.url ?? "", headers: request.headers, body });
      handle(request, response);
    });
  });
}
