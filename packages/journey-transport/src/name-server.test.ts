import { createSocket } from "node:dgram";
import { Resolver } from "node:dns";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callsThrough } from "@waymark/test-support/transport-calls.ts";
import { createEgress, parseEgressAllowances } from "./egress.ts";
import type { NameLookup } from "./guarded-lookup.ts";
import { createHttpTransport } from "./http-transport.ts";

/** An open address and one that is not, both of this machine, and what connected to each. */
const OPEN = "127.0.0.1";
const CANARY = "127.0.0.2";
const seen: string[] = [];
const server = createServer((_, response) => response.end("ok")).on("connection", ({ localAddress }) =>
  seen.push(localAddress ?? ""),
);
let port = 0;

/** A name server of IPv4 addresses. It gives the lists in their order, and then the last one for ever. */
const names = createSocket("udp4");
let answers: string[][] = [];
let questions = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  names.on("message", (question, { address: client, port: clientPort }) => {
    const addresses = answers[Math.min(questions++, answers.length - 1)] ?? [];
    names.send(answerTo(question, addresses), clientPort, client);
  });
  await new Promise<void>((resolve) => names.bind(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  names.close();
});

/** RFC 1035: the head with the number of answers, the question, and a record of type A for each address, without time to live. */
function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question.subarray(0, 12));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  const end = question.indexOf(0, 12) + 5;
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)]),
  );
  return Buffer.concat([head, question.subarray(12, end), ...records]);
}

/** Asks that name server, over UDP. */
const lookup: NameLookup = (name, _options, callback) => {
  const resolver = new Resolver();
  const { port: namesPort } = names.address();
  resolver.setServers([`127.0.0.1:${namesPort}`]);
  resolver.resolve4(name, (error, addresses) =>
    callback(error, error === null ? addresses.map((address) => ({ address, family: 4 })) : []),
  );
};

/** Sends so many requests to one name, each on a new connection. Gives the failures. */
async function sendTo(given: string[][], times: number): Promise<string[]> {
  [answers, questions] = [given, 0];
  seen.length = 0;
  const url = new URL(`http://rebinding.example:${port}/`);
  const { allowsAddress } = createEgress({
    allowedHosts: [url.host],
    operatorAllows: parseEgressAllowances(`${OPEN}:${port}`),
    own: [],
  });
  const failures: string[] = [];
  for (let n = 0; n < times; n++) {
    using http = createHttpTransport({ allowsAddress, lookup });
    await callsThrough(http.transport)(url.href).catch((error: unknown) => failures.push(String(error)));
  }
  return failures;
}

it("connects to the address that was checked: a name that leads elsewhere from its second answer on is refused then", async () => {
  const failures = await sendTo([[OPEN], [CANARY]], 3);
  expect(failures).toEqual([
    expect.stringContaining(`${CANARY} is no public address`),
    expect.stringContaining(`${CANARY} is no public address`),
  ]);
  expect(seen).toEqual([OPEN]);
  // One question for each connection: nothing asks again between the check and the connection.
  expect(questions).toBe(3);
});

it.each([[[[CANARY]]], [[[OPEN, CANARY]]], [[[CANARY, OPEN]]], [[["0.0.0.0"]]], [[["169.254.169.254"]]]])(
  "refuses a name with one address that is refused: %j",
  async (given) => {
    expect(await sendTo(given, 2)).toHaveLength(2);
    expect(seen).toEqual([]);
  },
);
