import { expect, test } from "vitest";
import type { Transport } from "@waymark/journeys/run/transport.ts";
import { play } from "./support/fake.ts";

const SECRET = "kq7Zx3Wm9Tb5kq7Z";

function target(type: string, body: Uint8Array): Transport {
  return () => Promise.resolve({ status: 200, headers: [["Content-Type", type]], body });
}

async function stepOf(criteria: string, transport: Transport) {
  const workflows = `
  - workflowId: main
    inputs: { type: object, properties: { key: { type: string } } }
    x-journey: { secrets: { key: { ref: env:KEY } } }
    steps:
      - stepId: one
        operationId: a
        parameters: [{ name: X-Key, in: header, value: $inputs.key }]
        successCriteria: [${criteria}]
        outputs: { text: $response.body }`;
  const answer = () => ({ status: 500 });
  const { result } = await play({ workflows, answer, deps: { transport }, secret: SECRET });
  return { step: result.steps[0], text: JSON.stringify(result) };
}

const latin = (text: string) => Buffer.from(text, "latin1");

test("criteria, outputs and evidence have the letters of the response's charset", async () => {
  const regex = "{ context: $response.body, type: regex, condition: '^Café Zürich$' }";
  const { step } = await stepOf(regex, target("text/plain; charset=iso-8859-1", latin("Café Zürich")));
  expect(step).toMatchObject({
    status: "passed",
    outputs: { text: "Café Zürich" },
    evidence: { response: { body: "Café Zürich", bodyBytes: 11 } },
  });
  expect(step?.notes).toBeUndefined();
});

test("an XML declaration names the charset where Content-Type does not", async () => {
  const xml = '<?xml version="1.0" encoding="ISO-8859-1"?><ort>Köln</ort>';
  const xpath = `{ context: $response.body, type: { type: xpath, version: xpath-10 }, condition: "/ort = 'Köln'" }`;
  expect((await stepOf(xpath, target("application/xml", latin(xml)))).step?.status).toBe("passed");
});

test("bytes that can't be read are told, and the step goes on", async () => {
  const body = latin('{"name":"Zürich"}');
  const { step } = await stepOf("{ condition: $statusCode == 200 }", target("application/json", body));
  expect(step?.status).toBe("passed");
  expect(step?.notes).toEqual([expect.stringContaining("its byte 11 is 0xFC")]);
});

test.each(["application/hal+json", "model/gltf+json", "application/json, application/json"])(
  "a body of %s is JSON",
  async (type) => {
    const condition = "{ condition: $response.body#/name == 'Köln' }";
    const { step } = await stepOf(condition, target(type, Buffer.from('{"name":"Köln"}')));
    expect(step?.status).toBe("passed");
  },
);

test("a charset does not turn an echoed secret into another text", async () => {
  const body = latin(`you sent ${SECRET}.`);
  const { step, text } = await stepOf(
    "{ condition: $statusCode == 200 }",
    target("text/plain; charset=utf-16le", body),
  );
  expect(step?.notes).toEqual([expect.stringContaining("contains a secret, so it was read as UTF-8")]);
  expect(text).not.toContain(new TextDecoder("utf-16le").decode(body).slice(4, 8));
  expect(text).not.toContain(SECRET);
});

async function sendingOf(contentType: string, payload: string) {
  const workflows = `
  - workflowId: main
    steps:
      - stepId: one
        operationId: aPost
        requestBody: { contentType: '${contentType}', payload: '${payload}' }`;
  const { result, requests } = await play({ workflows, answer: () => ({ status: 200 }) });
  return { reason: result.steps[0]?.reason, sent: requests.map(({ body }) => body) };
}

test.each([
  ["text/plain; charset=iso-8859-1", "é"],
  ['application/xml; charset="ISO-8859-1"', "<a>é</a>"],
  ["text/plain;charset=utf-16", "e"],
])("a body of %s that would be sent in UTF-8 is an error", async (contentType, payload) => {
  const { reason, sent } = await sendingOf(contentType, payload);
  expect(reason).toMatch(/names the charset (?:iso-8859-1|utf-16), and it would be sent in UTF-8/i);
  expect(sent).toEqual([]);
});

test.each([
  ["text/plain; charset=UTF-8", "é"],
  ["text/plain; charset=us-ascii", "e"],
  ["application/json; charset=iso-8859-1", '{"a":"é"}'],
])("a body of %s is sent", async (contentType, payload) => {
  expect((await sendingOf(contentType, payload)).sent).toEqual([payload]);
});
