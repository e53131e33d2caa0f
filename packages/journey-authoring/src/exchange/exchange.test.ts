import { isObject } from "@waymark/openapi/json.ts";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WORKED_EXAMPLE } from "@waymark/test-support/documents.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import type { JourneyDocument } from "@waymark/journeys/document/parse.ts";
import { parseText } from "@waymark/journeys/document/parse-text.ts";
import { checkDocument } from "@waymark/journeys/rules/check-document.ts";
import { exportArazzo } from "./export-arazzo.ts";
import { importHar } from "./har.ts";
import type { ImportResult } from "./imported.ts";
import { importPostman } from "./postman.ts";

function journey(result: ImportResult): JourneyDocument & { notes: string[] } {
  if (!result.ok) throw new Error(result.message);
  const document = parseDocument(result.text, { file: "imported.journey.yaml" });
  expect(checkDocument(document)).toEqual([]);
  return { ...document, notes: result.notes };
}

const CANARY = "canary-7f3a9c51e2";

function entry(request: object, status: number, response: unknown, mimeType = "application/json"): object {
  const text = typeof response === "string" ? response : JSON.stringify(response);
  return { request: { headers: [], ...request }, response: { status, content: { mimeType, text } } };
}

const HAR = JSON.stringify({
  log: {
    entries: [
      entry({ method: "GET", url: "https://app.example.com/" }, 200, "<html>", "text/html; charset=utf-8"),
      entry({ method: "GET", url: "https://app.example.com/logo.png" }, 200, "", "image/png"),
      entry(
        {
          method: "POST",
          url: `https://api.example.com/v1/orders?api_key=${CANARY}2`,
          headers: [
            { name: "Authorization", value: `Bearer ${CANARY}` },
            { name: "User-Agent", value: "x" },
            { name: "X-Trace", value: "on" },
          ],
          postData: {
            mimeType: "application/json",
            text: `{"name":"a","password":"${CANARY}3","__proto__":{"x":1}}`,
          },
        },
        201,
        { order: { id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301" } },
      ),
      entry(
        {
          method: "PUT",
          url: "https://api.example.com/v1/orders/3f2504e0-4f89-41d3-9a0c-0305e82c3301",
          headers: [{ name: "authorization", value: `Bearer ${CANARY}` }],
          postData: { mimeType: "application/json", text: '{"of":"3f2504e0-4f89-41d3-9a0c-0305e82c3301"}' },
        },
        200,
        {},
      ),
      entry({ method: "OPTIONS", url: "https://api.example.com/v1/orders" }, 204, ""),
    ],
  },
});

describe("a recording", () => {
  const document = journey(importHar(HAR, { title: "Recorded" }));
  const workflow = document.model?.workflows[0];

  test("becomes a step per API call; pages, pictures and preflights stay out", () => {
    expect(workflow?.steps.map((step) => [step.stepId, step["x-operation"]?.method])).toEqual([
      ["post-orders", "POST"],
      ["put-orders", "PUT"],
    ]);
    expect(workflow?.steps[0]?.successCriteria).toEqual([
      { "x-id": "status", condition: "$statusCode == 201" },
    ]);
  });

  test("keeps no secret: headers, query and bodies refer to inputs, one per value", () => {
    expect(document.text).not.toContain(CANARY);
    expect(document.notes.join()).not.toContain(CANARY);
    expect(Object.keys(workflow?.["x-journey"]?.secrets ?? {})).toEqual([
      "api-key",
      "authorization",
      "password",
    ]);
    expect(workflow?.steps[1]?.parameters).toEqual([
      { name: "authorization", in: "header", value: "Bearer {$inputs.authorization}" },
    ]);
  });

  test("takes an id that a response gave from that response", () => {
    expect(workflow?.steps[0]?.outputs).toEqual({ id: "$response.body#/order/id" });
    expect(workflow?.steps[1]?.["x-operation"]?.url).toBe(
      "https://api.example.com/v1/orders/{$steps.post-orders.outputs.id}",
    );
    expect(workflow?.steps[1]?.requestBody?.payload).toEqual({ of: "$steps.post-orders.outputs.id" });
  });
});

const POSTMAN = JSON.stringify({
  info: { name: "Shop", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
  auth: { type: "bearer", bearer: [{ key: "token", value: "{{accessToken}}" }] },
  variable: [
    { key: "baseUrl", value: "https://shop.example.com" },
    { key: "unused", value: "x" },
    { key: "clientSecret", value: CANARY },
  ],
  item: [
    {
      name: "Orders",
      item: [
        {
          name: "Create order",
          request: {
            method: "POST",
            url: {
              raw: "{{baseUrl}}/orders?dry=1&off=2",
              query: [
                { key: "dry", value: "1" },
                { key: "off", value: "2", disabled: true },
              ],
            },
            header: [
              { key: "X-Secret", value: CANARY },
              { key: "Content-Type", value: "application/json" },
            ],
            body: {
              mode: "raw",
              raw: '{"id":"{{$guid}}","name":"{{name}} Ltd","secret":"{{clientSecret}}"}',
              options: { raw: { language: "json" } },
            },
          },
          event: [
            {
              listen: "test",
              script: {
                exec: [
                  'pm.test("created", () => pm.response.to.have.status(201));',
                  'pm.environment.set("orderId", json.data[0].id);',
                  "pm.expect(json.total).to.be.above(3);",
                ],
              },
            },
            { listen: "prerequest", script: { exec: ["doIt();"] } },
          ],
        },
        {
          name: "Get order",
          request: { auth: { type: "noauth" }, method: "GET", url: { raw: "{{baseUrl}}/orders/:orderId" } },
        },
      ],
    },
    {
      name: "Form",
      request: {
        method: "POST",
        url: "shop.example.com/form",
        body: { mode: "urlencoded", urlencoded: [{ key: "a", value: "1" }] },
      },
    },
    { name: "Odd", request: { method: "PURGE", url: "https://x/" } },
  ],
});

test("a body that can't be taken apart is kept with a warning when it may hold a secret", () => {
  const url = "https://api.example.com/x";
  const postData = { mimeType: "application/xml", text: "<login><password>x</password></login>" };
  const har = JSON.stringify({ log: { entries: [entry({ method: "POST", url, postData }, 200, {})] } });
  expect(journey(importHar(har, { title: "T" })).notes.join()).toContain("secret");
  const dollar = { mimeType: "application/json", text: '{"password":"$dollar-first"}' };
  const second = JSON.stringify({
    log: { entries: [entry({ method: "POST", url, postData: dollar }, 200, {})] },
  });
  expect(journey(importHar(second, { title: "T" })).text).not.toContain("dollar-first");
});

describe("a Postman collection", () => {
  const document = journey(importPostman(POSTMAN));
  const workflow = document.model?.workflows[0];
  const [create, get, form] = workflow?.steps ?? [];

  test("becomes steps in the order of its folders, its title kept", () => {
    expect(document.model?.info.title).toBe("Shop");
    expect(workflow?.steps.map((step) => [step.stepId, step["x-operation"]?.url])).toEqual([
      ["create-order", "{$inputs.baseUrl}/orders"],
      ["get-order", "{$inputs.baseUrl}/orders/{$steps.create-order.outputs.orderId}"],
      ["form", "http://shop.example.com/form"],
    ]);
  });

  test("turns variables into inputs, generators and outputs of earlier steps", () => {
    expect(create?.requestBody?.payload).toEqual({
      id: "$vars.guid",
      name: "{$inputs.name} Ltd",
      secret: "$inputs.clientSecret",
    });
    expect(create?.outputs).toEqual({ orderId: "$response.body#/data/0/id" });
    expect(workflow?.["x-journey"]?.vars).toEqual({ guid: { generate: "uuid" } });
    expect(workflow?.inputs).toMatchObject({
      required: ["x-secret", "accessToken", "name", "clientSecret"],
      properties: { baseUrl: { default: "https://shop.example.com" } },
    });
    expect(JSON.stringify(workflow?.inputs)).not.toContain("unused");
  });

  test("takes authentication from the nearest place, status tests as criteria, forms as maps", () => {
    expect(create?.parameters).toContainEqual({
      name: "Authorization",
      in: "header",
      value: "Bearer {$inputs.accessToken}",
    });
    expect(get?.parameters).toBeUndefined();
    expect(create?.successCriteria).toEqual([{ "x-id": "status", condition: "$statusCode == 201" }]);
    expect(form?.requestBody).toEqual({
      contentType: "application/x-www-form-urlencoded",
      payload: { a: "1" },
    });
  });

  test("keeps no secret and says what it left out", () => {
    expect(document.text).not.toContain(CANARY);
    expect(document.notes.toSorted()).toEqual([
      "Create order has a script that runs before it; it was left out.",
      "Create order has a test that wasn't recognized: write it as a criterion.",
      "Odd was left out: its method or URL can't be taken over.",
      "X-Secret is a secret: it is now the input x-secret, read from env:X_SECRET.",
    ]);
  });
});

test.each([
  ["no JSON", "<xml>"],
  ["another JSON", "{}"],
  ["no request", '{"info":{},"item":[],"log":{"entries":[]}}'],
])("a file with %s is refused with a reason", (_, text) => {
  for (const result of [importHar(text, { title: "T" }), importPostman(text)]) {
    expect(result.ok || result.message).toMatch(/not a (HAR|Postman)|no request/);
  }
});

const EXTENDED = `arazzo: 1.1.0
info: { title: T, version: 1.0.0, x-journey: { schema: 1, owner: me }, x-other: kept }
sourceDescriptions: [{ name: items, url: ./items.yaml }]
workflows:
  - workflowId: main
    inputs: { type: object, properties: { limit: { type: integer } } }
    steps:
      - stepId: call
        x-operation: { url: "https://hooks.example.com/a/{$vars.run}/b", method: POST }
      - stepId: wait
        operationId: getItem
        parameters: [{ name: limit, in: query, value: $vars.limit }]
        successCriteria: [{ x-id: ok, condition: $statusCode == 200 }]
        x-journey: { poll: { until: $response.body#/done == true, failWhen: $statusCode == 410, everyMs: 500, maxMs: 5000 } }
    x-journey:
      vars: { limit: 5, run: { generate: uuid } }
      teardown: [{ step: call }]
      acceptanceCriteria: [{ id: A, text: t, severity: must, provenBy: [wait#ok] }]
`;

describe("export to plain Arazzo", () => {
  const exported = exportArazzo(parseDocument(EXTENDED, { file: "t.yaml" }));
  const document = parseDocument(exported?.text ?? "", { file: "plain.yaml" });

  test("gives a document without our extensions that lints; other people's stay", () => {
    expect(checkDocument(document)).toEqual([]);
    expect(exported?.text).not.toMatch(/x-journey|x-id|x-operation|\$vars/);
    expect(document.raw?.["info"]).toEqual({ title: "T", version: "1.0.0", "x-other": "kept" });
  });

  test("lowers variables to inputs, polling to retries, foreign calls to a source of their own", () => {
    const workflow = document.model?.workflows[0];
    expect(workflow?.inputs).toHaveProperty("properties", {
      limit: { type: "integer" },
      "var-limit": { default: 5 },
      run: {},
    });
    expect(workflow?.steps[0]).toEqual({
      stepId: "call",
      operationId: "$sourceDescriptions.external.external-call",
      parameters: [{ name: "p1", in: "path", value: "$inputs.run" }],
    });
    expect(workflow?.steps[1]).toMatchObject({
      parameters: [{ value: "$inputs.var-limit" }],
      successCriteria: [{ condition: "$statusCode == 200" }, { condition: "$response.body#/done == true" }],
      onFailure: [
        { type: "end", criteria: [{ condition: "$statusCode == 410" }] },
        { type: "retry", retryAfter: 0.5, retryLimit: 10 },
      ],
    });
    const { value } = parseText(exported?.files[0]?.text ?? "", { file: "external.openapi.yaml" });
    expect(isObject(value) && value["paths"]).toMatchObject({
      "/a/{p1}/b": {
        post: { operationId: "external-call", servers: [{ url: "https://hooks.example.com" }] },
      },
    });
  });

  test("says what got lost", () => {
    expect(exported?.notes).toContain("main: acceptance criteria were left out.");
    expect(exported?.notes.join("\n")).toContain("teardown was left out");
    expect(exported?.notes.join("\n")).not.toContain("secret outputs");
    const marked = EXTENDED.replace(/x-journey:\s*\{ poll:/, (text) =>
      text.replace("poll:", "secretOutputs: [x], poll:"),
    );
    expect(marked).not.toBe(EXTENDED);
    expect(exportArazzo(parseDocument(marked, { file: "t.yaml" }))?.notes.join("\n")).toContain(
      "the marks of secret outputs were left out",
    );
  });

  test("says which steps call functions", () => {
    const calling = EXTENDED.replace("$vars.limit", "$fn.uuid()");
    expect(calling).not.toBe(EXTENDED);
    expect(exportArazzo(parseDocument(calling, { file: "t.yaml" }))?.notes.join("\n")).toMatch(
      /main: \w+ calls functions \(\$fn\.\), which other tools don't know\./,
    );
    expect(exported?.notes.join("\n")).not.toContain("functions");
  });

  test("a document with faults isn't exported", () => {
    expect(exportArazzo(parseDocument("arazzo: 1.1.0\n", { file: "t" }))).toBeUndefined();
  });
});

test("the worked example exports to plain Arazzo", () => {
  const exported = exportArazzo(
    parseDocument(readFileSync(WORKED_EXAMPLE.journey, "utf8"), { file: "w.yaml" }),
  );
  expect(checkDocument(parseDocument(exported?.text ?? "", { file: "plain.yaml" }))).toEqual([]);
  expect(exported?.files).toEqual([]);
});
