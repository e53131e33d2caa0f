import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** An api whose answers depend on the request alone, and on how often `/after/{n}/{key}` was asked since `reset`. */
export async function startEchoServer() {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://echo");
    const [, what = "", first = "", second = ""] = url.pathname.split("/");
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const json = (status: number, body: unknown) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      const echo = {
        method: request.method,
        query: Object.fromEntries(url.searchParams),
        body: Buffer.concat(chunks).toString(),
        authorization: request.headers.authorization ?? null,
        list: [{ id: 1 }, { id: 2, deep: { name: "b" } }],
        token: "derived-token-of-the-answer",
      };
      if (what === "status") json(Number(first), echo);
      else if (what === "after") {
        const count = (asked.get(second) ?? 0) + 1;
        asked.set(second, count);
        json(count > Number(first) ? 200 : 503, { count, state: count > Number(first) ? "done" : "open" });
      } else if (what === "redirect") {
        response.writeHead(302, { location: "/status/200" });
        response.end();
      } else if (what === "xml") {
        response.writeHead(200, { "content-type": "application/xml" });
        response.end("<list><item n='1'>a</item><item n='2'>b</item></list>");
      } else if (what === "never") return;
      else json(200, echo);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    reset: () => asked.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const OPENAPI = `openapi: 3.1.0
info: { title: Echo, version: 1.0.0 }
components: { securitySchemes: { bearer: { type: http, scheme: bearer } } }
paths:
  /echo:
    get: { operationId: echo, parameters: [{ name: q, in: query, schema: { type: string } }], responses: { "200": { description: ok, content: { application/json: { schema: { type: object, required: [method], properties: { method: { type: string } } } } } } } }
    post: { operationId: send, requestBody: { content: { application/json: { schema: { type: object } } } }, responses: { "200": { description: ok } } }
  /secure:
    get: { operationId: secure, security: [{ bearer: [] }], responses: { "200": { description: ok } } }
  /status/{code}:
    get: { operationId: status, parameters: [{ name: code, in: path, required: true, schema: { type: integer } }], responses: { "200": { description: ok } } }
  /after/{n}/{key}:
    get: { operationId: after, parameters: [{ name: n, in: path, required: true, schema: { type: integer } }, { name: key, in: path, required: true, schema: { type: string } }], responses: { "200": { description: ok }, "503": { description: busy } } }
  /redirect:
    get: { operationId: redirect, responses: { "200": { description: ok } } }
  /xml:
    get: { operationId: xml, responses: { "200": { description: ok } } }
  /never:
    get: { operationId: never, responses: { "200": { description: ok } } }
`;

const OK = "successCriteria: [{ x-id: ok, condition: $statusCode == 200 }]";
const echo = (id: string, more = OK) => `      - { stepId: ${id}, operationId: echo, ${more} }`;
const after = (id: string, n: number, more: string) =>
  `      - { stepId: ${id}, operationId: after, parameters: [{ name: n, in: path, value: ${n} }, { name: key, in: path, value: KEY }], ${more} }`;
const status = (id: string, code: number, more = OK) =>
  `      - { stepId: ${id}, operationId: status, parameters: [{ name: code, in: path, value: ${code} }], ${more} }`;
const criterion = (text: string) => `successCriteria: [{ x-id: it, ${text} }]`;

/** Steps by what they show. `KEY` becomes the name of the journey. */
const STEPS: Record<string, string> = {
  "one-step": echo("a"),
  functions: `      - stepId: a
        operationId: send
        parameters: [{ name: X-Signature, in: header, value: "{$fn.hmac('sha256', 'key', $fn.requestBody())}" }]
        requestBody: { payload: { id: "{$fn.uuid()}", by: "{$fn.firstName()}", n: "$fn.randomInt(1, 1000000)" } }
        ${OK}
        outputs: { sent: $request.header.x-signature, id: $fn.uuid(), size: $fn.length($request.body) }`,
  "no-criteria": "      - { stepId: a, operationId: echo }",
  "three-steps": [echo("a"), echo("b"), echo("c")].join("\n"),
  fails: [status("a", 500), echo("b")].join("\n"),
  "fails-late": [echo("a"), status("b", 404)].join("\n"),
  "undocumented-status": status("a", 418, criterion("condition: $statusCode == 418")),
  "retry-passes": after(
    "a",
    2,
    `${OK}, onFailure: [{ name: again, type: retry, retryAfter: 0.01, retryLimit: 3 }]`,
  ),
  "retry-fails": after(
    "a",
    9,
    `${OK}, onFailure: [{ name: again, type: retry, retryAfter: 0.01, retryLimit: 2 }]`,
  ),
  "poll-passes": after(
    "a",
    3,
    `x-journey: { poll: { until: "$response.body#/state == 'done'", everyMs: 10, maxMs: 60000 } }`,
  ),
  "goto-forward": [
    `      - { stepId: a, operationId: echo, ${OK}, onSuccess: [{ name: on, type: goto, stepId: c }] }`,
    echo("b"),
    echo("c"),
  ].join("\n"),
  "goto-failure": [
    status("a", 500, `${OK}, onFailure: [{ name: on, type: goto, stepId: c }]`),
    echo("b"),
    echo("c"),
  ].join("\n"),
  "ends-early": [
    `      - { stepId: a, operationId: echo, ${OK}, onSuccess: [{ name: stop, type: end }] }`,
    echo("b"),
  ].join("\n"),
  regex: echo("a", criterion(`context: $response.body#/method, type: regex, condition: '^G.T$'`)),
  "regex-fails": echo("a", criterion(`context: $response.body#/method, type: regex, condition: '^P'`)),
  "regex-evil": echo(
    "a",
    criterion(`context: $response.body#/token, type: regex, condition: '^(([a-z-])+.)+[A-Z]$'`),
  ),
  jsonpath: echo("a", criterion(`context: $response.body, type: jsonpath, condition: '$.list[?@.id == 2]'`)),
  "jsonpath-fails": echo(
    "a",
    criterion(`context: $response.body, type: jsonpath, condition: '$.list[?@.id == 9]'`),
  ),
  xpath: `      - { stepId: a, operationId: xml, ${criterion(`context: $response.body, type: { type: xpath, version: xpath-31 }, condition: "//item[@n='2']"`)} }`,
  "xpath-fails": `      - { stepId: a, operationId: xml, ${criterion(`context: $response.body, type: { type: xpath, version: xpath-31 }, condition: "//item[@n='7']"`)} }`,
  outputs: [
    echo("a", `${OK}, outputs: { name: $response.body#/list/1/deep/name, all: $response.body }`),
    `      - { stepId: b, operationId: echo, parameters: [{ name: q, in: query, value: $steps.a.outputs.name }], ${criterion("condition: $response.body#/query/q == 'b'")} }`,
  ].join("\n"),
  "missing-output": [
    echo("a", `${OK}, outputs: { none: $response.body#/nothing }`),
    `      - { stepId: b, operationId: echo, parameters: [{ name: q, in: query, value: $steps.a.outputs.none }], ${OK} }`,
  ].join("\n"),
  "sends-a-body": `      - { stepId: a, operationId: send, requestBody: { contentType: application/json, payload: { name: x, list: [1, 2.5, null], big: 9007199254740991 } }, ${OK} }`,
  "sends-text": `      - { stepId: a, operationId: send, requestBody: { contentType: text/plain, payload: "grüße {$inputs.title}" }, ${OK} }`,
  "derived-token": [
    echo("a", `${OK}, outputs: { access_token: $response.body#/token }`),
    `      - { stepId: b, operationId: echo, parameters: [{ name: Authorization, in: header, value: "Bearer {$steps.a.outputs.access_token}" }], ${OK} }`,
  ].join("\n"),
  "external-call": `      - { stepId: a, x-operation: { url: "URL/echo?q=1", method: get }, ${OK} }`,
  "redirect-is-the-answer": `      - { stepId: a, operationId: redirect, ${criterion("condition: $statusCode == 302")} }`,
  "times-out": `      - { stepId: a, operationId: never, timeout: 200, ${OK} }`,
  "depends-on": [echo("a"), `      - { stepId: b, operationId: echo, dependsOn: [a], ${OK} }`].join("\n"),
  "empty-input": `      - { stepId: a, operationId: echo, parameters: [{ name: q, in: query, value: "" }], ${OK} }`,
  "query-of-inputs": `      - { stepId: a, operationId: echo, parameters: [{ name: q, in: query, value: $inputs.title }], ${OK} }`,
  "two-criteria": echo(
    "a",
    "successCriteria: [{ x-id: ok, condition: $statusCode == 200 }, { x-id: get, condition: $response.body#/method == 'GET' }]",
  ),
  "second-criterion-fails": echo(
    "a",
    "successCriteria: [{ x-id: ok, condition: $statusCode == 200 }, { x-id: post, condition: $response.body#/method == 'POST' }]",
  ),
  "header-of-answer": echo("a", criterion("condition: $response.header.content-type == 'application/json'")),
  "negated-condition": echo("a", criterion("condition: '!($statusCode == 500) && $statusCode < 300'")),
};

/** Whole workflows, for what steps alone don't show. */
const WORKFLOWS: Record<string, string> = {
  "calls-a-workflow": `
  - workflowId: main
    steps:
      - { stepId: call, workflowId: other, outputs: { m: $outputs.m } }
${echo("b")}
  - workflowId: other
    steps:
${echo("inner", `${OK}, outputs: { m: $response.body#/method }`)}
    outputs: { m: $steps.inner.outputs.m }`,
  "call-fails": `
  - workflowId: main
    steps:
      - { stepId: call, workflowId: other }
${echo("b")}
  - workflowId: other
    steps:
${status("inner", 500)}`,
  "teardown-runs": `
  - workflowId: main
    steps:
${echo("a")}
${status("b", 500)}
${echo("clean")}
    x-journey: { teardown: [{ step: clean }] }`,
  "acceptance-criteria": `
  - workflowId: main
    steps:
${echo("a")}
${status("b", 500)}
    x-journey:
      acceptanceCriteria:
        - { id: AC-1, text: Echoes, severity: must, provenBy: [a#ok] }
        - { id: AC-2, text: Works, severity: should, provenBy: [b#ok] }
        - { id: AC-3, text: Open, severity: could, provenBy: [] }`,
  "workflow-outputs": `
  - workflowId: main
    steps:
${echo("a", `${OK}, outputs: { m: $response.body#/method }`)}
    outputs: { m: $steps.a.outputs.m, status: $statusCode }`,
  "generated-variables": `
  - workflowId: main
    steps:
      - { stepId: a, operationId: echo, parameters: [{ name: q, in: query, value: $vars.id }], ${OK} }
    x-journey: { vars: { id: { generate: uuid } } }`,
};

const HEAD = (name: string) => `arazzo: 1.1.0
info: { title: ${name}, version: 1.0.0 }
sourceDescriptions: [{ name: echo, type: openapi, url: ./echo.openapi.yaml }]
workflows:`;

const INPUTS = `
    inputs: { type: object, properties: { title: { type: string, default: Groceries } } }`;

/** Journeys by their file, with their description. */
export function parityJourneys(url: string): Record<string, string> {
  const ofSteps = Object.entries(STEPS).map(
    ([name, steps]) => [name, `\n  - workflowId: main${INPUTS}\n    steps:\n${steps}`] as const,
  );
  const files = [...ofSteps, ...Object.entries(WORKFLOWS)].map(([name, workflows]) => [
    `${name}.journey.yaml`,
    `${HEAD(name)}${workflows}\n`.replaceAll("KEY", name).replaceAll("URL", url),
  ]);
  return { "echo.openapi.yaml": OPENAPI, ...Object.fromEntries(files) };
}
