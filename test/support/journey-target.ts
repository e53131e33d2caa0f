import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { waitUntil } from "./wait-until.ts";

/** One request that the target has got. */
export interface TargetRequest {
  run: string;
  step: string;
  method: string;
  /** When it arrived, on the clock of `performance.now()`. */
  at: number;
}

export interface Hold {
  /** Resolves when so many requests of the step have arrived. */
  reached: (requests?: number) => Promise<void>;
  /** Answers them, and lets later ones pass. */
  release: () => void;
}

export interface JourneyTarget extends AsyncDisposable {
  url: string;
  port: number;
  /** In the order of their arrival. */
  requests: TargetRequest[];
  /** Makes the thing of an id, as if a run had done so. */
  make: (id: string) => void;
  /** Things that were made and not removed: the runs that made them. */
  left: () => string[];
  /** Answers take so long from now on. */
  delayMs: number;
  /** Requests of this step get no answer until they are released. A step times out after two minutes. */
  hold: (step: string) => Hold;
  /** How many requests were under way at a time, at most. */
  concurrencyMax: number;
}

/**
 * An api on the loopback address that counts. `POST /things` makes a thing, `POST /things/{id}/events` adds to it, `DELETE
 * /things/{id}` removes it; the query says which run and step a request is of.
 */
export async function startJourneyTarget({ delayMs = 0 } = {}): Promise<JourneyTarget> {
  const things = new Map<string, string>();
  const requests: TargetRequest[] = [];
  const held = new Map<string, Promise<void>>();
  let made = 0;
  let underWay = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://target");
    const run = url.searchParams.get("run") ?? "";
    const step = url.searchParams.get("step") ?? "";
    requests.push({ run, step, method: request.method ?? "", at: performance.now() });
    target.concurrencyMax = Math.max(target.concurrencyMax, ++underWay);
    response.once("close", () => underWay--);
    const id = url.pathname.split("/")[2] ?? "";
    const answer = (status: number, body: unknown) => {
      const send = () => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      void (held.get(step) ?? Promise.resolve()).then(() => setTimeout(send, target.delayMs));
    };
    request.resume();
    if (request.method === "POST" && id === "") {
      const thing = `t${++made}`;
      things.set(thing, run);
      answer(201, { id: thing, token: `token-of-${thing}` });
    } else if (!things.has(id)) answer(404, {});
    else if (request.method === "DELETE") {
      things.delete(id);
      answer(200, {});
    } else answer(200, { id });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const target: JourneyTarget = {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    make: (id) => void things.set(id, ""),
    left: () => [...things.values()],
    delayMs,
    concurrencyMax: 0,
    hold(step) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(step, promise);
      return {
        reached: (count = 1) =>
          waitUntil(
            `${count} requests of ${step}`,
            () => requests.filter((request) => request.step === step).length >= count,
          ),
        release() {
          held.delete(step);
          resolve();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return target;
}

const OPENAPI = `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    post: { operationId: create, parameters: [&run { name: run, in: query, schema: { type: string } }, &step { name: step, in: query, schema: { type: string } }], responses: { "201": { description: made } } }
  /things/{id}:
    parameters: [&id { name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: read, parameters: [*run, *step], responses: { "200": { description: there } } }
    delete: { operationId: remove, parameters: [*run, *step], responses: { "200": { description: gone } } }
  /things/{id}/events:
    parameters: [*id]
    post: { operationId: add, parameters: [*run, *step], responses: { "200": { description: added } } }
`;

/** A journey over that api: it makes a thing, adds to it several times, reads it, and removes it in its teardown. */
export function thingsJourney({ events = 3 } = {}): Record<string, string> {
  const parameters = (step: string, id = true) =>
    `[{ name: run, in: query, value: $inputs.run }, { name: step, in: query, value: ${step} }${id ? ", { name: id, in: path, value: $steps.create.outputs.id }" : ""}]`;
  const ok = (status: number) =>
    `timeout: 120000, successCriteria: [{ condition: $statusCode == ${status} }]`;
  const adds = Array.from(
    { length: events },
    (_, n) =>
      `      - { stepId: add${n}, operationId: add, parameters: ${parameters(`add${n}`)}, ${ok(200)} }`,
  );
  return {
    "things.openapi.yaml": OPENAPI,
    "things.journey.yaml": `arazzo: 1.1.0
info: { title: Things, version: 1.0.0 }
sourceDescriptions: [{ name: things, type: openapi, url: things.openapi.yaml }]
workflows:
  - workflowId: main
    inputs: { type: object, properties: { run: { type: string } }, required: [run] }
    steps:
      - { stepId: create, operationId: create, parameters: ${parameters("create", false)}, ${ok(201)}, outputs: { id: $response.body#/id, token: $response.body#/token } }
${adds.join("\n")}
      - { stepId: read, operationId: read, parameters: ${parameters("read")}, ${ok(200)} }
      - { stepId: remove, operationId: remove, parameters: ${parameters("remove")}, ${ok(200)} }
    x-journey: { teardown: [{ step: remove, when: $steps.create.outputs.id != null }] }
`,
  };
}

/** A journey that reads a thing that is not there: its runs fail until `repair` makes it. */
export function failingJourney(target: Pick<JourneyTarget, "url" | "make">) {
  const id = randomUUID();
  const text = `arazzo: 1.1.0
info: { title: Failing, version: 1.0.0 }
sourceDescriptions: []
workflows:
  - workflowId: main
    inputs: { type: object, properties: { a: { type: string } } }
    steps:
      - stepId: read
        x-operation: { url: "${target.url}/things/${id}", method: get }
        successCriteria: [{ condition: $statusCode == 200 }]
`;
  return { text, repair: () => target.make(id) };
}
