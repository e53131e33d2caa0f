import { gzipSync } from "node:zlib";
import type { ServerResponse } from "node:http";
import { criterion, journey, oneStep } from "./case.ts";
import type { CommandScenario, End, HostileCase } from "./case.ts";

/** A login whose token is used, so that everything it is in has to be searched for it. */
function withToken(body: () => unknown): End {
  const workflows = `
  - workflowId: main
    steps:
      - { stepId: one, operationId: a, outputs: { token: $response.body#/token, all: $response.body#/all } }
      - { stepId: two, operationId: b, parameters: [{ name: Authorization, in: header, value: "Bearer {$steps.one.outputs.token}" }, { name: all, in: query, value: $steps.one.outputs.token }] }`;
  return journey({ workflows, answer: () => ({ status: 200, body: body() }) });
}

/** A case that only a real server can produce; `answer` is the nearest that a fake can, for tests without a server. */
function served(respond: (response: ServerResponse) => void, answer: CommandScenario["answer"]): End {
  const workflows = oneStep("successCriteria: [{ condition: $response.body#/x == 1 }]");
  return journey({ workflows, answer, respond });
}

const JSON_HEAD = { "content-type": "application/json" };
const large = () => ({ status: 200, body: `"${"x".repeat(6_000_000)}"` });

function writeForEver(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, "[");
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.writeHead(200, JSON_HEAD).on("drain", write);
  write();
}

function writeSlowly(response: ServerResponse): void {
  response.writeHead(200, JSON_HEAD);
  const timer = setInterval(() => response.write(" "), 100);
  response.on("close", () => {
    clearInterval(timer);
  });
}

/** Ten megabytes of zeros a hundred times: members of one file, which are decoded one after the other. */
function writeCompressed(response: ServerResponse): void {
  const member = gzipSync(Buffer.alloc(10_000_000, "0"));
  response.writeHead(200, { ...JSON_HEAD, "content-encoding": "gzip" });
  response.end(Buffer.concat(Array.from({ length: 100 }, () => member)));
}

function writeHeaders(response: ServerResponse): void {
  const { socket } = response;
  socket?.write("HTTP/1.1 200 OK\r\n");
  const timer = setInterval(() => socket?.write(`x-more: ${"y".repeat(4_000)}\r\n`), 1);
  socket
    ?.on("error", () => {})
    .on("close", () => {
      clearInterval(timer);
    });
}

export const ANSWERS: HostileCase[] = [
  {
    what: "answer, 200,000 brackets",
    end: criterion(
      "simple",
      "$response.body#/0/0 == null",
      () => `${"[".repeat(200_000)}${"]".repeat(200_000)}`,
    ),
  },
  {
    what: "answer, 6 MB in one text",
    end: criterion("simple", "$response.body == 'x'", () => `"${"x".repeat(6_000_000)}"`),
  },
  {
    what: "answer, 1 MB of small numbers",
    end: criterion("jsonpath", "$[?@ == 2]", () => `[${"1,".repeat(500_000)}1]`),
  },
  {
    what: "answer, a number of a million digits",
    end: criterion("simple", "$response.body#/n == 1", () => `{"n": ${"9".repeat(1_000_000)}}`),
  },
  {
    what: "answer, 100,000 numbers beyond 2^53",
    end: criterion("jsonpath", "$[?@ == 1]", () => `[${"12345678901234567890,".repeat(100_000)}1]`),
  },
  {
    what: "answer, 100,000 names",
    end: criterion("simple", "$response.body#/n99999/x == 2", () =>
      Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`n${n}`, { x: 1 }])),
    ),
  },
  {
    what: "answer, 50,000 headers",
    end: journey({
      workflows: oneStep("successCriteria: [{ condition: $response.header.x9 == 'b' }]"),
      answer: () => ({
        status: 200,
        headers: Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`x${n}`, "a"])),
      }),
    }),
  },
  {
    what: "answer, prototypes as names",
    end: criterion(
      "simple",
      "$response.body#/__proto__/x == 2",
      () => '{"__proto__": {"x": 1}, "constructor": {"prototype": {"x": 2}}}',
    ),
  },
  { what: "answer, one that never ends", end: served(writeForEver, large) },
  { what: "answer, one that never ends, slowly", waits: true, end: served(writeSlowly, () => "silence") },
  { what: "answer, 1 GB in 1 MB of gzip", end: served(writeCompressed, large) },
  { what: "answer, headers that never end", end: served(writeHeaders, () => "refused") },
  {
    what: "answer, 4 MB of escapes beside a token",
    end: withToken(() => ({ token: "a-token-of-mine", all: "%2525".repeat(800_000) })),
  },
  {
    what: "answer, 4 MB of HTML entities beside a token",
    end: withToken(() => ({ token: "a-token-of-mine", all: "&amp;#x26;".repeat(400_000) })),
  },
  {
    what: "answer, 4 MB of base64 beside a token",
    end: withToken(() => ({ token: "a-token-of-mine", all: "YS10b2tlbi1vZi1taW".repeat(200_000) })),
  },
  {
    what: "answer, 50,000 tokens",
    end: withToken(() => ({
      token: "a-token-of-mine",
      all: Array.from({ length: 50_000 }, (_, n) => ({ access_token: `token-number-${n}` })),
    })),
  },
  { what: "answer, a token of 1 MB", end: withToken(() => ({ token: "t".repeat(1_000_000), all: "t" })) },
];
