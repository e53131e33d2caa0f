import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { hostname, networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFreePort } from "../../../scripts/postgres/free-port.ts";
import { type JourneyStack, startJourneyStack } from "./support/journey-stack.ts";

/** On all addresses of this machine, IPv4 and IPv6: whatever it is asked in, a connection is counted. */
const canary = { connections: 0, port: 0 };
const canaryServer = createServer((socket) => {
  canary.connections++;
  socket.destroy();
});
/** The one address that the operator opens. It leads to the canary. */
const target = { requests: 0, port: 0 };
const targetServer = createHttpServer((_, response) => {
  target.requests++;
  response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/` }).end();
});
let stack: JourneyStack;

beforeAll(async () => {
  canary.port = await listen(canaryServer, "::");
  target.port = await listen(targetServer, "127.0.0.1");
  stack = await startJourneyStack({ allow: `127.0.0.1:${target.port}` });
  // Each process that is started costs more than all runs of this file.
  await stack.startWorker({ WORKER_JOURNEY_CONCURRENCY: "2" });
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  for (const server of [canaryServer, targetServer]) server.close();
});

async function listen(server: Server, host: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

const journey = (step: string, { inputs = "{}", sources = "[]" } = {}) => ({
  "api.openapi.yaml": `openapi: 3.1.0
info: { title: A, version: '1' }
servers: [{ url: "http://{host}:{port}", variables: { host: { default: "127.0.0.1" }, port: { default: "${canary.port}" } } }]
paths: { /: { get: { operationId: get, responses: { "200": { description: ok } } } } }
`,
  "egress.journey.yaml": `arazzo: 1.1.0
info: { title: Egress, version: 1.0.0 }
sourceDescriptions: ${sources}
workflows:
  - workflowId: main
    inputs: { type: object, properties: ${inputs} }
    steps: [{ stepId: go, ${step}, successCriteria: [{ x-id: any, condition: $statusCode > 0 }] }]
`,
});
const call = (url: string, more = "") => `x-operation: { url: "${url}", method: get }${more}`;

/** How a run of a journey ended, where the environment allows what its author asks for. */
async function outcomeOf(
  files: Record<string, string>,
  { allowedHosts, inputs = {}, on = stack }: { allowedHosts: string[]; inputs?: object; on?: JourneyStack },
): Promise<string> {
  const addRun = await on.addJourney(files, { allowedHosts });
  const row = await on.ended(await addRun({ ...inputs }));
  return `${row.status} ${row.error_code} ${row.error_message}`;
}

const ownAddresses = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter(({ internal, family }) => !internal && family === "IPv4")
  .map(({ address }) => address);

const HOSTS = [
  ["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001"],
  ["127.255.255.254", "127.0.0.2", "0.0.0.0", "0", "localhost", "LOCALHOST", "localhost.", "１２７.0.0.1"],
  ["[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]"],
  ["[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[64:ff9b::169.254.169.254]", "[2002:7f00:1::]"],
  ["[2001:0:7f00:1::]", "[::ffff:0:127.0.0.1]", "[fe80::1]", "[fec0::1]", "[fd00::1]", "[fd00:ec2::254]"],
  ["10.0.0.1", "172.16.0.1", "192.168.0.1", "100.64.0.1", "169.254.169.254", "100.100.100.200"],
  ["168.63.129.16", "198.18.0.1", "224.0.0.1", "255.255.255.255", hostname(), ...ownAddresses],
].flat();

describe("a journey in the worker makes no connection", () => {
  it(`to this machine, its networks and metadata services in ${HOSTS.length} notations`, async () => {
    const outcomes = await Promise.all(
      HOSTS.map(async (host) => {
        const url = `http://${host}:${canary.port}/`;
        const allowedHosts = [new URL(url).host];
        return `${host}: ${await outcomeOf(journey(call(url)), { allowedHosts })}`;
      }),
    );
    for (const outcome of outcomes)
      expect(outcome).toMatch(
        /: error (forbidden .*(no public address|metadata service)|unreachable .*no such host)/,
      );
    expect(canary.connections).toBe(0);
  });

  it("by a server of a description, a server's variable, a value of the run, or one that looks like another", async () => {
    const { port } = canary;
    const sources = "[{ name: api, type: openapi, url: api.openapi.yaml }]";
    const allowedHosts = [`127.0.0.1:${port}`, `127.0.0.1:${target.port}`];
    const inputs = "{ at: { type: string } }";
    const at = (url: string, value: string) =>
      outcomeOf(journey(call(url), { inputs }), { allowedHosts, inputs: { at: value } });
    const outcomes = await Promise.all([
      outcomeOf(journey("operationId: get", { sources }), { allowedHosts }),
      at("http://{$inputs.at}/", `127.0.0.1:${port}`),
      at("{$inputs.at}", `http://127.0.0.1:${port}/`),
      at(`http://127.0.0.1:${target.port}{$inputs.at}`, `@127.0.0.1:${port}/`),
      at(`http://127.0.0.1{$inputs.at}`, `:${port}/`),
      at("{$inputs.at}", `http:\\\\127.0.0.1:${port}/`),
      at("{$inputs.at}", `http://127。0。0。1:${port}/`),
    ]);
    for (const outcome of outcomes) expect(outcome).toMatch(/^error forbidden .*no public address/);
    expect(await at("{$inputs.at}", `file:///etc/passwd`)).toMatch(/^error /);
    expect(canary.connections).toBe(0);
  });

  it("to a host or a port that the environment does not list", async () => {
    const outcome = await outcomeOf(journey(call(`http://127.0.0.1:${target.port}/`)), {
      allowedHosts: [`127.0.0.1:${canary.port}`, "127.0.0.1", "*.0.0.1", `localhost:${target.port}`],
    });
    expect(outcome).toMatch(/^error forbidden .*not among the allowed hosts/);
    expect([canary.connections, target.requests]).toEqual([0, 0]);
  });

  it("by the header Host to another site of an allowed address, nor by a redirect, which is the answer", async () => {
    const url = `http://127.0.0.1:${target.port}/`;
    const allowedHosts = [`127.0.0.1:${target.port}`, `127.0.0.1:${canary.port}`];
    const header = ", parameters: [{ name: Host, in: header, value: other.example }]";
    expect(await outcomeOf(journey(call(url, header)), { allowedHosts })).toMatch(
      /^error forbidden .*names the host other\.example/,
    );
    expect(target.requests).toBe(0);
    expect(await outcomeOf(journey(call(url)), { allowedHosts })).toMatch(/^passed/);
    expect([canary.connections, target.requests]).toEqual([0, 1]);
  });

  it("to database, Redis, api and metrics of the server, though the operator opens their ports", async () => {
    await using own = await startJourneyStack({ queue: "redis" });
    const urls = [own.databaseUrl, own.redisUrl ?? "redis://none"];
    const metrics = await findFreePort();
    const ports = [...urls.map((url) => Number(new URL(url).port || 5432)), metrics, canary.port];
    const hosts = ports.flatMap((port) => [`127.0.0.1:${port}`, `[::1]:${port}`]);
    await own.startWorker({
      JOURNEY_EGRESS_ALLOW: hosts.join(","),
      METRICS_PORT: String(metrics),
      WORKER_JOURNEY_CONCURRENCY: "1",
      // The canary stands where the api is.
      PORT: String(canary.port),
    });
    for (const host of [...hosts, `localhost:${canary.port}`, `[::ffff:127.0.0.1]:${canary.port}`]) {
      const files = journey(call(`http://${host}/`));
      const allowedHosts = [new URL(`http://${host}`).host];
      expect(await outcomeOf(files, { allowedHosts, on: own })).toMatch(
        /^error forbidden .*no public address/,
      );
    }
    expect(canary.connections).toBe(0);
  });
});
