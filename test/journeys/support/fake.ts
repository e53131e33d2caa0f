import type { LoadedSource } from "@waymark/journeys/compile/unit.ts";
import type { Evaluator } from "@waymark/journeys/evaluation/evaluator.ts";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import type { RunOptions } from "@waymark/journeys/run/state.ts";
import { TransportError } from "@waymark/journeys/run/transport.ts";
import type { Clock, RunDependencies, Transport } from "@waymark/journeys/run/transport.ts";
import { buildText } from "./build.ts";
import { run } from "./run.ts";

export interface FakeRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** The body, if it was sent as bytes. */
  bytes?: Uint8Array;
}

/** The behaviour of a fake: a response, no response ever, or no connection. */
export type FakeAnswer =
  | { status: number; body?: unknown; headers?: Record<string, string>; type?: string }
  | "silence"
  | "refused";

/** A target that is a function from requests to responses. */
export function fakeTransport(answer: (request: FakeRequest, n: number) => FakeAnswer): {
  transport: Transport;
  requests: FakeRequest[];
} {
  const requests: FakeRequest[] = [];
  const transport: Transport = async ({ method, url, headers, body }) => {
    const request: FakeRequest = {
      method,
      url: url.href,
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      body: body instanceof Uint8Array ? Buffer.from(body).toString("latin1") : body,
      ...(body instanceof Uint8Array ? { bytes: body } : {}),
    };
    requests.push(request);
    const answered = answer(request, requests.length);
    if (answered === "silence") return new Promise(() => {});
    if (answered === "refused") throw new TransportError("unreachable", "connect ECONNREFUSED 127.0.0.1:9");
    const { status, body: content, headers: extra = {}, type = "application/json" } = answered;
    const text = content === undefined ? "" : typeof content === "string" ? content : JSON.stringify(content);
    return {
      status,
      headers: [
        ...(text === "" ? [] : [["content-type", type] as [string, string]]),
        ...Object.entries(extra),
      ],
      body: content instanceof Uint8Array ? content : new TextEncoder().encode(text),
    };
  };
  return { transport, requests };
}

/** Virtual time, which passes only when nothing else is left to do. */
export function virtualClock(): Clock & { elapsed: () => number } {
  const start = Date.UTC(2026, 0, 1);
  let time = 0;
  let timers: { at: number; callback: () => void }[] = [];
  const tick = () => {
    const [next] = timers.toSorted((a, b) => a.at - b.at);
    if (next === undefined) return;
    timers = timers.filter((timer) => timer !== next);
    time = Math.max(time, next.at);
    next.callback();
  };
  return {
    now: () => start + time,
    monotonic: () => time,
    elapsed: () => time,
    after: (ms, callback) => {
      const timer = { at: time + ms, callback };
      timers.push(timer);
      setImmediate(tick);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
}

export const SOURCE: LoadedSource = {
  type: "openapi",
  url: "https://api.example/openapi.json",
  document: {
    openapi: "3.1.0",
    servers: [{ url: "https://api.example" }],
    paths: Object.fromEntries(
      ["a", "b", "c", "d"].map((name) => [
        `/${name}`,
        { get: { operationId: name, responses: {} }, post: { operationId: `${name}Post`, responses: {} } },
      ]),
    ),
  },
};

export interface Scenario {
  /** The workflows, as YAML below `workflows:`. */
  workflows: string;
  answer: (request: FakeRequest, n: number) => FakeAnswer;
  source?: unknown;
  options?: RunOptions;
  secret?: string;
  deps?: Partial<RunDependencies>;
  evaluator?: Evaluator;
}

/** The document of a scenario. */
export function documentText({ workflows }: Pick<Scenario, "workflows">): string {
  const head =
    "arazzo: 1.1.0\ninfo: { title: T, version: 1.0.0 }\nsourceDescriptions: [{ name: api, url: x, type: openapi }]\n";
  return `${head}workflows:\n${workflows}`;
}

/** Builds and runs workflows against a fake target in virtual time. Operations `a`–`d` and `aPost`–`dPost` exist. */
export async function play(
  scenario: Scenario,
): Promise<{ result: JourneyResult; requests: FakeRequest[]; elapsed: number }> {
  const text = documentText(scenario);
  const source: LoadedSource =
    scenario.source === undefined
      ? SOURCE
      : { type: "openapi", url: "https://api.example/", document: scenario.source };
  const evaluation = scenario.evaluator === undefined ? {} : { evaluator: scenario.evaluator };
  const built = await buildText(text, { file: "t.yaml", sources: { api: source }, ...evaluation });
  if (!built.ok) throw new Error(built.problems.map(({ line, message }) => `${line}: ${message}`).join("\n"));
  const { transport, requests } = fakeTransport(scenario.answer);
  const clock = virtualClock();
  const deps = { transport, clock, ...scenario.deps };
  const secret = scenario.secret === undefined ? {} : { secret: scenario.secret };
  const result = await run(built.artifact, { ...scenario.options, ...secret, ...evaluation, deps });
  return { result, requests, elapsed: clock.elapsed() };
}
