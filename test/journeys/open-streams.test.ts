import { expect, test } from "vitest";
import { TransportError } from "@waymark/journeys/run/transport.ts";
import type { Transport } from "@waymark/journeys/run/transport.ts";
import { play } from "./support/fake.ts";

/** A target whose response never ends, of which this part arrives. */
function openTarget(type: string, body: string | Uint8Array, headers: [string, string][] = []): Transport {
  return ({ onResponse }) => {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    onResponse?.(() => ({
      status: 200,
      headers: [["content-type", type], ...headers],
      body: bytes,
      truncated: true,
    }));
    return new Promise(() => {});
  };
}

async function stepOf(
  criteria: string,
  transport: Transport,
  { more = "", secret }: { more?: string; secret?: string } = {},
) {
  const workflows = `
  - workflowId: main
    ${more}
    steps: [{ stepId: one, operationId: a, timeout: 1500, successCriteria: [${criteria}] }]`;
  const played = await play({
    workflows,
    answer: () => "silence",
    deps: { transport },
    ...(secret === undefined ? {} : { secret }),
  });
  const [step] = played.result.steps;
  return { step, elapsed: played.elapsed, text: JSON.stringify(played.result) };
}

const regex = (pattern: string) => `{ context: $response.body, type: regex, condition: '${pattern}' }`;

test.each<[string, string, string, string]>([
  ["text/event-stream", "event: ready\ndata: {}\n\n: keep\n\n", "event: ready", "1 event."],
  ["text/event-stream; charset=utf-8", "data: 1\r\n\r\ndata: 2\r\n\r\n", "data: 2", "2 events."],
  ["text/event-stream", "\uFEFFdata: 1\r\rdata: 2\r\r", "^data: 1", "2 events."],
  ["application/x-ndjson", '{"n":1}\n{"n":2}\n', '"n":2', "2 lines."],
  ["application/json-seq", '\u001E{"n":1}\n', '"n":1', "1 line."],
])(
  "criteria on an open stream of %s see what arrived within the step's timeout",
  async (type, body, pattern, count) => {
    const criteria = `{ condition: $statusCode == 200 }, ${regex(pattern)}`;
    const { step, elapsed } = await stepOf(criteria, openTarget(type, body));
    expect(elapsed).toBe(1500);
    expect(step).toMatchObject({
      status: "passed",
      assertions: [{ status: "passed" }, { status: "passed" }],
    });
    expect(step?.notes).toEqual([
      `The stream was still open when the time of the step was over. The criteria see what had arrived: ${count}`,
    ]);
    expect(step?.evidence).toMatchObject({ truncated: true, response: { status: 200 } });
  },
);

test("a criterion that no event meets fails, and the events are in the evidence", async () => {
  const { step } = await stepOf(regex("event: done"), openTarget("text/event-stream", "event: ready\n\n"));
  expect(step?.status).toBe("failed");
  expect(step?.evidence?.response?.body).toContain("event: ready");
});

test("half an event is no event", async () => {
  const open = openTarget("text/event-stream", "event: a\n\nevent: ready\n");
  expect((await stepOf(regex("event: ready"), open)).step?.status).toBe("failed");
  const { step } = await stepOf(regex("a"), openTarget("text/event-stream", "data: a\n"));
  expect(step?.status).toBe("failed");
  expect(step?.notes?.[0]).toContain(
    "8 bytes had arrived, but no complete event, which ends with an empty line",
  );
});

test("another response that does not end is timedOut, and says what had arrived", async () => {
  const { step, elapsed } = await stepOf(regex("a"), openTarget("application/json", '{"a":[1,'));
  expect(elapsed).toBe(1500);
  expect(step).toMatchObject({
    status: "timedOut",
    reason: "The response was not complete within 1500 ms: the status 200 and 8 bytes had arrived.",
    assertions: [{ status: "notRun" }],
    evidence: { truncated: true, response: { status: 200, bodyBytes: 8 } },
  });
});

test("the part of a response whose connection ended is in the evidence of the error", async () => {
  const open: Transport = (request) => {
    void openTarget("application/json", '{"a":[1,')(request);
    return Promise.reject(new TransportError("unreachable", "The connection was closed."));
  };
  const { step } = await stepOf(regex("a"), open);
  expect(step).toMatchObject({
    status: "error",
    reason: "The connection was closed.",
    evidence: { truncated: true, response: { status: 200, bodyBytes: 8 } },
  });
});

test.each([
  ["text/event-stream", 'data: {"access_token":"tok-1234567890"}\n\n'],
  ["application/x-ndjson", '{"access_token":"tok-1234567890"}\n'],
  ["application/json", '{"a":1,"access_token":"tok-1234567890"'],
  ["application/json", '{"a":1,"access_token":"tok-1234567890'],
])("a token in an open response of %s is redacted", async (type, body) => {
  const { step, text } = await stepOf(regex("a"), openTarget(type, body));
  expect(step?.evidence?.response?.body).toContain("[redacted]");
  expect(text).not.toContain("tok-12345");
});

const SECRET_INPUT =
  "inputs: { type: object, properties: { key: { type: string } } }\n    x-journey: { secrets: { key: { ref: env:KEY } } }";

test("a run with a secret sees the events too, but no beginning of the secret", async () => {
  const body = "data: 1\n\ndata: kq7Zx3Wm9T";
  const { step, text } = await stepOf(regex("data: 1"), openTarget("text/event-stream", body), {
    more: SECRET_INPUT,
    secret: "kq7Zx3Wm9Tb5",
  });
  expect(step?.status).toBe("passed");
  expect(text).not.toContain("kq7Zx3Wm9T");
});

test("the events of an open stream in UTF-16 are counted in its charset", async () => {
  const body = new Uint8Array(Buffer.from("data: 1\n\ndata: 2\n\n", "utf16le"));
  const open = openTarget("text/event-stream; charset=utf-16le", body);
  const { step } = await stepOf(regex("data: 2"), open);
  expect(step?.status).toBe("passed");
  expect(step?.notes).toEqual([expect.stringContaining("The criteria see what had arrived: 2 events.")]);
});

test("an event that may end with a part of a secret of several lines is neither seen nor counted", async () => {
  const body = `data: 1\n\ndata: 2\n\ndata: ${"x".repeat(2_000)}\n\n`;
  const options = { more: SECRET_INPUT, secret: "kq7Zx3Wm9Tb5\nhP2vLs8Yd4Rc" };
  const { step } = await stepOf(regex("data: 2\\n\\n$"), openTarget("text/event-stream", body), options);
  expect(step?.status).toBe("passed");
  expect(step?.notes).toEqual([
    "The stream was still open when the time of the step was over. The criteria see what had arrived: 2 events. " +
      "The end was left out, because it may be a part of a secret.",
  ]);
});

test("no more of an open stream is kept than of any response", async () => {
  const huge = new Uint8Array(6 * 1024 * 1024).fill(0x0a);
  const { step } = await stepOf("{ condition: $statusCode == 200 }", openTarget("text/event-stream", huge));
  expect(step).toMatchObject({ status: "passed", evidence: { response: { bodyBytes: 5 * 1024 * 1024 } } });
});
