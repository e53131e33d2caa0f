import { isObject, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { writeArtifact } from "@waymark/journeys/compile/artifact.ts";
import { openArtifact } from "@waymark/journeys/compile/open-artifact.ts";
import { compileJourney } from "@waymark/journeys/compile/compile-journey.ts";
import type { LoadedSource } from "@waymark/journeys/compile/unit.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { hasErrors } from "@waymark/journeys/document/problem.ts";
import { prepareJourney } from "@waymark/journeys/run/prepare.ts";
import { runJourney } from "@waymark/journeys/run/run-journey.ts";
import { fakeTransport, virtualClock } from "./fake.ts";
import type { FakeAnswer, FakeRequest } from "./fake.ts";

/** One verdict of the specification: a document, what its target answers, and what has to come of it. */
export interface Probe {
  /** Part of the specification's text that demands it. */
  section: string;
  name: string;
  /** Of the workflow `main`; or all `workflows`. */
  steps?: JsonValue[];
  workflows?: JsonValue[];
  /** Further fields of the workflow `main`. */
  workflow?: JsonObject;
  /** Further fields of the document. */
  document?: JsonObject;
  /** OpenAPI descriptions by source, instead of the one with the operations a to d. */
  openapi?: JsonObject;
  /** Arazzo documents by source; one named `self` is the probe's own document. */
  arazzo?: JsonObject;
  inputs?: JsonObject;
  /** By `METHOD /path`; a list is answered in turn. Everything else is 200 with `{}`. */
  answers?: Record<string, Answer | Answer[]>;
  expect: Expectation;
}

interface Answer {
  status?: number;
  body?: JsonValue;
  type?: string;
  headers?: Record<string, string>;
}

export interface Expectation {
  /** Code of an error that keeps the document from being compiled. */
  invalid?: string;
  status?: string;
  /** `METHOD /path?query` of each request. */
  sent?: string[];
  /** Of the last request. */
  body?: string;
  headers?: Record<string, string>;
  steps?: Record<string, string>;
  outputs?: JsonObject;
}

/** What came of a probe, as far as its expectation asks. */
export async function playProbe(probe: Probe): Promise<Expectation> {
  const text = JSON.stringify(documentOf(probe), undefined, 1);
  const parsed = parseDocument(text, { file: "probe.json" });
  const errors = parsed.problems.filter(({ severity }) => severity === "error");
  if (parsed.model === undefined || hasErrors(parsed.problems)) return { invalid: codeOf(errors, probe) };
  const document = { model: parsed.model, sourceOf: parsed.sourceOf };
  const built = await compileJourney({ document, sources: sourcesOf(probe, document) });
  if (!built.ok) return { invalid: codeOf(built.problems, probe) };
  const fromDocument = await runOnce(probe, built.artifact);
  const fromArtifact = await runOnce(probe, openArtifact(writeArtifact(built.artifact)));
  if (JSON.stringify(fromDocument.requests) !== JSON.stringify(fromArtifact.requests)) {
    throw new Error(
      `document and artifact send different requests: ${JSON.stringify([fromDocument.requests, fromArtifact.requests])}`,
    );
  }
  return observed(probe.expect, fromDocument);
}

function codeOf(problems: readonly { severity: string; code: string }[], { expect }: Probe): string {
  const codes = problems.filter(({ severity }) => severity === "error").map(({ code }) => code);
  return codes.find((code) => code === expect.invalid) ?? codes.join(", ");
}

function documentOf({ steps, workflows, workflow, document }: Probe): JsonObject {
  return {
    arazzo: "1.1.0",
    info: { title: "Probe", version: "1.0.0" },
    sourceDescriptions: [{ name: "api", url: "./api.yaml", type: "openapi" }],
    workflows: workflows ?? [{ workflowId: "main", steps: steps ?? [], ...workflow }],
    ...document,
  };
}

type Document = Extract<LoadedSource, { type: "arazzo" }>["document"];

function sourcesOf(probe: Probe, own: Document): Record<string, LoadedSource> {
  const sources: Record<string, LoadedSource> = {};
  for (const [name, document] of Object.entries(probe.openapi ?? { api: OPENAPI })) {
    sources[name] = { type: "openapi", url: "https://api.example/openapi.json", document };
  }
  for (const [name, value] of Object.entries(probe.arazzo ?? {})) {
    if (value === "self") {
      sources[name] = { type: "arazzo", document: own, sources };
      continue;
    }
    const parsed = parseDocument(JSON.stringify(value), { file: `${name}.json` });
    if (parsed.model === undefined) throw new Error(parsed.problems.map(({ message }) => message).join(" "));
    sources[name] = { type: "arazzo", document: { model: parsed.model, sourceOf: parsed.sourceOf }, sources };
  }
  return sources;
}

const OPENAPI: JsonObject = {
  openapi: "3.1.0",
  servers: [{ url: "https://api.example" }],
  paths: {
    ...Object.fromEntries(
      ["a", "b", "c", "d"].map((name) => [
        `/${name}`,
        { get: { operationId: name, responses: {} }, post: { operationId: `${name}Post`, responses: {} } },
      ]),
    ),
    "/items/{id}": {
      get: { operationId: "item", parameters: [{ name: "id", in: "path", required: true }], responses: {} },
    },
  },
};

type Ran = Awaited<ReturnType<typeof runOnce>>;

async function runOnce(probe: Probe, artifact: Parameters<typeof prepareJourney>[0]) {
  const counts = new Map<string, number>();
  const { transport, requests } = fakeTransport((request) => answerTo(probe, request, counts));
  const clock = virtualClock();
  const deps = { transport, clock, resolveSecret: () => undefined };
  const result = await runJourney(await prepareJourney(artifact), deps, { inputs: probe.inputs ?? {} });
  return { result, requests };
}

function answerTo({ answers = {} }: Probe, request: FakeRequest, counts: Map<string, number>): FakeAnswer {
  const key = `${request.method} ${new URL(request.url).pathname}`;
  const given = answers[key] ?? {};
  const n = counts.get(key) ?? 0;
  counts.set(key, n + 1);
  const answer = Array.isArray(given) ? (given[Math.min(n, given.length - 1)] ?? {}) : given;
  const { status = 200, body = {}, type, headers } = answer;
  return {
    status,
    body,
    ...(type === undefined ? {} : { type }),
    ...(headers === undefined ? {} : { headers }),
  };
}

function observed(expect: Expectation, { result, requests }: Ran): Expectation {
  const last = requests.at(-1);
  const sent = requests.map(({ method, url }) => `${method} ${url.slice(new URL(url).origin.length)}`);
  const seen: Expectation = {};
  if (expect.invalid !== undefined) seen.invalid = `compiled, and ${result.status}`;
  if (expect.status !== undefined) seen.status = result.status;
  if (expect.sent !== undefined) seen.sent = sent;
  if (expect.body !== undefined) seen.body = last?.body ?? "";
  if (expect.headers !== undefined) {
    seen.headers = Object.fromEntries(
      Object.keys(expect.headers).map((name) => [name, last?.headers[name] ?? "(none)"]),
    );
  }
  if (expect.steps !== undefined) {
    seen.steps = Object.fromEntries(
      Object.keys(expect.steps).map((id) => [
        id,
        result.steps.find((step) => step.id === id)?.status ?? "(none)",
      ]),
    );
  }
  if (expect.outputs !== undefined) seen.outputs = outputsOf(result.outputs, expect.outputs);
  return seen;
}

function outputsOf(outputs: Readonly<Record<string, unknown>>, expected: JsonObject): JsonObject {
  const all: JsonValue = JSON.parse(JSON.stringify(outputs));
  return Object.fromEntries(
    Object.keys(expected).map((name) => [name, isObject(all) ? (ownValue(all, name) ?? null) : null]),
  );
}
