import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { LoadedSource } from "@waymark/journeys/compile/unit.ts";
import { isObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import { ARAZZO_DOCUMENTS } from "@waymark/test-support/documents.ts";
import { artifactOf } from "./support/build.ts";
import { fakeTransport, virtualClock } from "./support/fake.ts";
import type { FakeAnswer, FakeRequest } from "./support/fake.ts";
import { run } from "./support/run.ts";

const FOLDER = join(import.meta.dirname, "documents");

/** The parts of an external description that a document uses. */
const ELSEWHERE: Record<string, unknown> = {
  museum: {
    openapi: "3.1.0",
    servers: [{ url: "https://museum.example" }],
    paths: {
      "/entry": { get: { operationId: "enter", responses: {} } },
      "/rooms/open": { get: { operationId: "openRooms", responses: {} } },
      "/exit": { post: { operationId: "leave", responses: {} } },
    },
  },
};

interface Example {
  file: string;
  workflow: string;
  inputs: Record<string, unknown>;
  /** The target's responses where the description has no suitable example. */
  answers: Record<string, FakeAnswer>;
  requests: string[];
}

const EXAMPLES: Example[] = [
  {
    file: "visit.arazzo.yaml",
    workflow: "visit",
    inputs: { name: "n", ticket: "t" },
    answers: { "GET /entry": { status: 200, body: "badge-1", type: "text/plain" } },
    requests: ["GET /entry?name=n&ticket=t", "GET /rooms/open?floor=2", "POST /exit"],
  },
  {
    file: "tokens.arazzo.yaml",
    workflow: "renew",
    inputs: { app: "a", appSecret: "s", returnTo: "https://me.example" },
    answers: {
      "GET /authorize": { status: 200, body: { code: "code-1" } },
      "POST /token": { status: 200, body: { token: "t", renewal: "r", tokens: [{ token: "t" }] } },
    },
    requests: [
      "GET /authorize?client=a&returnTo=https%3A%2F%2Fme.example&kind=code&state=0042",
      "POST /token",
      "POST /token",
    ],
  },
  {
    file: "library.arazzo.yaml",
    workflow: "borrow-by-topic",
    inputs: { topics: ["bees", "honey"] },
    answers: {
      "GET /books/search": { status: 200, body: [{ isbn: "7" }] },
      "GET /books/7/reservation": { status: 200, body: { code: "R" } },
      "POST /loans": { status: 201, body: { id: 99 } },
    },
    requests: ["GET /books/search?topics=bees&topics=honey", "GET /books/7/reservation", "POST /loans"],
  },
  {
    file: "signed-order.arazzo.yaml",
    workflow: "order",
    inputs: { buyer: "b", draft: { lines: ["one"] }, note: "n" },
    answers: {
      "POST /drafts": { status: 201, body: { draft: "urn:1" } },
      "GET /confirmation": { status: 302, body: { code: "k" } },
    },
    requests: [
      "POST /drafts?buyer=b&method=urn%3Adesk%3Asigned",
      "GET /confirmation?draft=urn%3A1&buyer=b",
      "POST /orders?buyer=b",
    ],
  },
  {
    file: "instalments.arazzo.yaml",
    workflow: "checkout",
    inputs: {
      customer: { uri: "https://credit.example/customers/1" },
      products: [{ sku: "p-1", amount: 12.5 }],
    },
    answers: {
      "POST /eligibility": {
        status: 200,
        body: { refused: false, products: [{ sku: "p-1", amount: 12.5 }] },
      },
      "POST /acceptances": { status: 201, body: {} },
    },
    requests: ["POST /eligibility", "POST /acceptances", "GET /plan"],
  },
];

describe("Arazzo documents without extensions", () => {
  test("are all known here", () => {
    expect(EXAMPLES.map(({ file }) => file).toSorted()).toEqual(
      ARAZZO_DOCUMENTS.map((file) => basename(file)).toSorted(),
    );
  });

  test.each(EXAMPLES)("$file compiles, every workflow of it", async ({ file }) => {
    const document: unknown = parse(readFileSync(join(FOLDER, file), "utf8"));
    const workflows = ownValue(document, "workflows");
    for (const workflow of Array.isArray(workflows) ? workflows : []) {
      const id = ownString(workflow, "workflowId") ?? "";
      const artifact = await artifactOf({
        file: join(FOLDER, file),
        workflow: id,
        sources: sourcesOf(document, file),
      });
      expect(artifact.id).toMatch(/^sha256:/);
    }
  });

  test.each(EXAMPLES)("$file runs against a mock", async (example) => {
    const document: unknown = parse(readFileSync(join(FOLDER, example.file), "utf8"));
    const artifact = await artifactOf({
      file: join(FOLDER, example.file),
      workflow: example.workflow,
      sources: sourcesOf(document, example.file),
    });
    const servers = Object.fromEntries(
      Object.keys(sourcesOf(document, example.file)).map((name) => [name, "https://mock.example"]),
    );
    const { transport, requests } = fakeTransport((request) => answerTo(example, request));
    const result = await run(artifact, {
      inputs: example.inputs,
      servers,
      deps: { transport, clock: virtualClock() },
    });
    expect(
      requests.map(({ method, url }) => `${method} ${url.slice("https://mock.example".length)}`),
    ).toEqual(example.requests);
    expect(result.steps.filter(({ status }) => !["passed", "skipped"].includes(status))).toEqual([]);
    expect(result.status).toBe("passed");
  });
});

function answerTo(example: Example, request: FakeRequest): FakeAnswer {
  return example.answers[`${request.method} ${new URL(request.url).pathname}`] ?? { status: 200, body: {} };
}

function sourcesOf(document: unknown, file: string): Record<string, LoadedSource> {
  const sources: Record<string, LoadedSource> = {};
  const listed = ownValue(document, "sourceDescriptions");
  for (const source of Array.isArray(listed) ? listed : []) {
    if (!isObject(source)) continue;
    const name = ownString(source, "name") ?? "";
    const url = ownString(source, "url") ?? "";
    const near = join(FOLDER, file, "..", url);
    const found: unknown = existsSync(near) ? parse(readFileSync(near, "utf8")) : ELSEWHERE[name];
    sources[name] = { type: "openapi", url, document: found };
  }
  return sources;
}
