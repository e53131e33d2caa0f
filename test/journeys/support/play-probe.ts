import { isObject, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { parseDocument as parseDescription } from "@waymark/openapi/parse/parse-document.ts";
import { writeArtifact } from "@waymark/journeys/compile/artifact.ts";
import { openArtifact } from "@waymark/journeys/compile/open-artifact.ts";
import { compileJourney } from "@waymark/journeys/compile/compile-journey.ts";
import type { CompileResult } from "@waymark/journeys/compile/compile-journey.ts";
import type { LoadedSource } from "@waymark/journeys/compile/unit.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { hasErrors } from "@waymark/journeys/document/problem.ts";
import { compileLoaded } from "@waymark/journeys/load/compile-loaded.ts";
import { loadJourney } from "@waymark/journeys/load/load-journey.ts";
import { prepareJourney } from "@waymark/journeys/run/prepare.ts";
import { runJourney } from "@waymark/journeys/run/run-journey.ts";
import type { Transport } from "@waymark/journeys/run/transport.ts";
import { fakeTransport, virtualClock } from "./fake.ts";
import type { FakeAnswer } from "./fake.ts";
import { answersTo, documentOf, OPENAPI, textsOf } from "./probe.ts";
import type { Answer, Expectation, Probe } from "./probe.ts";

/** The outcome of a probe, as far as its expectation covers it. */
export async function playProbe(probe: Probe): Promise<Expectation> {
  const built = await (probe.files === undefined ? compileProbe(probe) : compileFiles(probe.files));
  if (!built.ok) return { invalid: codeOf(built.problems, probe) };
  const fromDocument = await runOnce(probe, built.artifact);
  const fromArtifact = await runOnce(probe, openArtifact(writeArtifact(built.artifact)));
  if (JSON.stringify(fromDocument.wire) !== JSON.stringify(fromArtifact.wire)) {
    throw new Error(
      `document and artifact send different requests: ${JSON.stringify([fromDocument.wire, fromArtifact.wire])}`,
    );
  }
  return observed(probe.expect, fromDocument);
}

async function compileProbe(probe: Probe): Promise<CompileResult> {
  const text = JSON.stringify(documentOf(probe), undefined, 1);
  const { model, sourceOf, problems } = parseDocument(text, { file: "probe.json" });
  if (model === undefined || hasErrors(problems)) return { ok: false, problems };
  const document = { model, sourceOf };
  return compileJourney({ document, sources: sourcesOf(probe, document) });
}

/** Reads a journey from files, as the command does. */
async function compileFiles(files: JsonObject): Promise<CompileResult> {
  const texts = textsOf(files);
  const [file = ""] = texts.keys();
  const access = {
    read: async (path: string) => {
      const text = texts.get(path);
      return text === undefined ? undefined : new TextEncoder().encode(text);
    },
    parse: parseDescription,
  };
  return compileLoaded(await loadJourney(access, { file, overlays: [], given: new Map() }));
}

function codeOf(problems: readonly { severity: string; code: string }[], { expect }: Probe): string {
  const codes = problems.filter(({ severity }) => severity === "error").map(({ code }) => code);
  return codes.find((code) => code === expect.invalid) ?? codes.join(", ");
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

type Ran = Awaited<ReturnType<typeof runOnce>>;

async function runOnce(probe: Probe, artifact: Parameters<typeof prepareJourney>[0]) {
  const answer = answersTo(probe);
  const { transport, requests } = fakeTransport((request) => fakeAnswer(answer(request)));
  /** Names of headers as they are written, their order, and bodies byte by byte. */
  const wire: unknown[] = [];
  const recording: Transport = (request) => {
    const { method, url, headers, body } = request;
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    wire.push({ method, url: url.href, headers, body: bytes === undefined ? null : [...bytes] });
    return transport(request);
  };
  const clock = virtualClock();
  const deps = { transport: recording, clock, resolveSecret: () => undefined };
  const options = { inputs: probe.inputs ?? {}, seed: "probe" };
  const result = await runJourney(prepareJourney(artifact), deps, options);
  return { result, requests, wire, elapsedMs: clock.elapsed() };
}

function fakeAnswer({ silent, status = 200, body = {}, type, headers }: Answer): FakeAnswer {
  if (silent === true) return "silence";
  return {
    status,
    body,
    ...(type === undefined ? {} : { type }),
    ...(headers === undefined ? {} : { headers }),
  };
}

function observed(expect: Expectation, { result, requests, elapsedMs }: Ran): Expectation {
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
  if (expect.elapsedMs !== undefined) seen.elapsedMs = elapsedMs;
  if (expect.outputs !== undefined) seen.outputs = outputsOf(result.outputs, expect.outputs);
  return seen;
}

function outputsOf(outputs: Readonly<Record<string, unknown>>, expected: JsonObject): JsonObject {
  const all: JsonValue = JSON.parse(JSON.stringify(outputs));
  return Object.fromEntries(
    Object.keys(expected).map((name) => [name, isObject(all) ? (ownValue(all, name) ?? null) : null]),
  );
}
