import { createServer } from "node:http";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { play, type FakeAnswer, type FakeRequest } from "./support/fake.ts";

/** A picture that is no UTF-8, also where a decoder replaces what it can't read. */
const PICTURE = Buffer.from("89504e470d0a1a0a0000000dff00feefbbbf80c3", "hex");
/** Other bytes that read as the same text. */
const LOOKALIKE = Buffer.from("89504e470d0a1a0a0000000dff00feefbbbf81c3", "hex");

const download = (uses: string, criteria = "") => `
  - workflowId: main
    steps:
      - { stepId: one, operationId: a, outputs: { file: $response.body } }
      - stepId: two
        operationId: bPost
        ${uses}${criteria === "" ? "" : `\n        successCriteria: [${criteria}]`}`;

async function playWith(
  workflows: string,
  { type = "image/png", body = PICTURE, other }: { type?: string; body?: Buffer; other?: Buffer } = {},
) {
  const answer = ({ url }: FakeRequest): FakeAnswer => ({
    status: 200,
    type,
    body: url.endsWith("/a") ? body : (other ?? body),
  });
  return play({ workflows, answer });
}

const upload = (contentType: string, payload: string) =>
  `requestBody: { contentType: ${contentType}, payload: ${payload} }`;

describe("a body that is no text", () => {
  test("is sent again as it came, with the media type of the step", async () => {
    const { result, requests } = await playWith(download(upload("image/png", "$steps.one.outputs.file")));
    expect(result.status).toBe("passed");
    expect(requests[1]?.headers["content-type"]).toBe("image/png");
    expect(Buffer.from(requests[1]?.bytes ?? []).equals(PICTURE)).toBe(true);
  });

  test("is a part of a form, with a file name and the type that it came with", async () => {
    const { requests } = await playWith(
      download(upload("multipart/form-data", "{ title: Köln, file: $steps.one.outputs.file }")),
    );
    const sent = Buffer.from(requests[1]?.bytes ?? []);
    expect(sent.includes(PICTURE)).toBe(true);
    expect(sent.toString()).toContain("\r\n\r\nKöln\r\n");
    expect(sent.toString()).toContain(
      'Content-Disposition: form-data; name="file"; filename="file"\r\nContent-Type: image/png\r\n\r\n',
    );
  });

  test("is shown by its size, in outputs as in the result of the journey", async () => {
    const { result } = await playWith(download(upload("image/png", "$steps.one.outputs.file")));
    expect(result.steps[0]?.outputs).toEqual({ file: "(20 bytes)" });
    expect(JSON.stringify(result)).not.toContain("PNG");
  });

  test.each([
    [
      "JSON",
      upload("application/json", "{ file: $steps.one.outputs.file }"),
      "bytes can't be written as application/json",
    ],
    [
      "JSON, as the whole body",
      upload("application/json", "$steps.one.outputs.file"),
      "bytes can't be written as application/json",
    ],
    [
      "a form",
      upload("application/x-www-form-urlencoded", "{ file: $steps.one.outputs.file }"),
      "bytes can't be written",
    ],
    ["a text", upload("text/plain", '"file: {$steps.one.outputs.file}"'), "a text can't contain bytes"],
    [
      "a parameter",
      "parameters: [{ name: f, in: query, value: $steps.one.outputs.file }]",
      'The parameter "f" can\'t contain bytes',
    ],
  ])("is refused in %s instead of being sent broken", async (_place, uses, message) => {
    const { result, requests } = await playWith(download(uses));
    expect(requests).toHaveLength(1);
    expect(result.steps[1]).toMatchObject({ status: "error", reason: expect.stringContaining(message) });
  });

  test.each([
    ["the same bytes", PICTURE, "==", "passed"],
    ["bytes that read as the same text", LOOKALIKE, "==", "failed"],
    ["bytes that read as the same text", LOOKALIKE, "!=", "passed"],
  ] as const)("compared with %s: %#", async (_name, other, operator, status) => {
    const criterion = `{ condition: $response.body ${operator} $steps.one.outputs.file }`;
    const { result } = await playWith(download("parameters: []", criterion), { other });
    expect(result.steps[1]?.status).toBe(status);
  });

  test("is searched by patterns as text", async () => {
    const criterion = "{ context: $response.body, type: regex, condition: PNG }";
    const { result } = await playWith(download("parameters: []", criterion));
    expect(result.steps[1]?.status).toBe("passed");
  });

  test("that was cut is not sent as if it were whole", async () => {
    const { result, requests } = await play({
      workflows: download(upload("image/png", "$steps.one.outputs.file")),
      answer: () => ({ status: 200 }),
      deps: {
        transport: () =>
          Promise.resolve({
            status: 200,
            headers: [["Content-Type", "image/png"]],
            body: PICTURE,
            truncated: true,
          }),
      },
    });
    expect(requests).toHaveLength(0);
    expect(result.steps[1]?.reason).toContain("was cut after 20 of them");
  });

  test.each([
    ["UTF-8 without a mark", Buffer.from("Köln"), "Köln"],
    ["UTF-8 with a mark, which reading removes", Buffer.from("\ufeffKöln"), "(8 bytes)"],
  ])("of application/octet-stream with %s", async (_name, body, shown) => {
    const { result, requests } = await playWith(
      download(upload("application/octet-stream", "$steps.one.outputs.file")),
      { type: "application/octet-stream", body },
    );
    expect(result.steps[0]?.outputs).toEqual({ file: shown });
    const sent = requests[1]?.bytes ?? Buffer.from(requests[1]?.body ?? "");
    expect(Buffer.from(sent).equals(body)).toBe(true);
  });

  test("shows no secret that is among its bytes, and no condition looks at it", async () => {
    const secret = "kq7Zx3Wm9Tb5kq7Z";
    const body = Buffer.concat([PICTURE, Buffer.from(secret)]);
    const { result } = await play({
      workflows: `
  - workflowId: main
    inputs: { type: object, properties: { key: { type: string } } }
    x-journey: { secrets: { key: { ref: env:KEY } } }
    steps:
      - stepId: one
        operationId: a
        parameters: [{ name: X-Key, in: header, value: $inputs.key }]
        successCriteria: [{ context: $response.body, type: regex, condition: "kq7Z" }]
        outputs: { file: $response.body }`,
      answer: () => ({ status: 200, type: "image/png", body }),
      secret,
    });
    expect(result.steps[0]?.status).toBe("failed");
    expect(JSON.stringify(result)).not.toContain(secret);
  });

  test("that was cut in a secret shows no part of it to a condition", async () => {
    const secret = "kq7Zx3Wm9Tb5kq7Z";
    const body = Buffer.concat([PICTURE, Buffer.from(secret.slice(0, 9))]);
    const answer = { status: 200, headers: [["Content-Type", "image/png"] as [string, string]], body };
    const { result } = await play({
      workflows: `
  - workflowId: main
    inputs: { type: object, properties: { key: { type: string } } }
    x-journey: { secrets: { key: { ref: env:KEY } } }
    steps:
      - stepId: one
        operationId: a
        parameters: [{ name: X-Key, in: header, value: $inputs.key }]
        successCriteria: [{ context: $response.body, type: regex, condition: "x3W" }]`,
      answer: () => ({ status: 500 }),
      secret,
      deps: { transport: () => Promise.resolve({ ...answer, truncated: true }) },
    });
    expect(result.steps[0]?.status).toBe("failed");
    expect(JSON.stringify(result.steps[0]?.assertions[0]?.actual)).not.toContain("kq7");
  });

  test("arrives over HTTP as it was", async () => {
    const received: Buffer[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        received.push(Buffer.concat(chunks));
        response.writeHead(200, { "content-type": "image/png" }).end(PICTURE);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const { nodeTransport } = await import("./support/node-transport.ts");
    const { systemClock } = await import("@waymark/journeys/run/system-clock.ts");
    const { result } = await play({
      workflows: download(upload("image/png", "$steps.one.outputs.file")),
      answer: () => "refused",
      options: { servers: { api: `http://127.0.0.1:${address.port}` } },
      deps: { transport: nodeTransport, clock: systemClock },
    });
    expect(result.status).toBe("passed");
    expect(received[1]?.equals(PICTURE)).toBe(true);
  });
});
