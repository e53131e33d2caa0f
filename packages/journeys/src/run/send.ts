import { readingsOf } from "../expressions/bytes.ts";
import type { RunBudget } from "./run-budget.ts";
import type { BuiltRequest } from "./request.ts";
import { isStream } from "./open-stream.ts";
import { redirected } from "./redirect.ts";
import { RunAborted, timeIsUp } from "./limits.ts";
import type { Run } from "./state.ts";
import { TransportError } from "./transport.ts";
import type { Policy, PolicyVerdict, TransportRequest, TransportResponse } from "./transport.ts";

/** The outcome of one request. */
export type Sent =
  | { kind: "response"; response: TransportResponse; request: BuiltRequest; ms: number; notes?: string[] }
  | { kind: "timedOut"; ms: number; partial?: TransportResponse }
  | {
      kind: "error";
      code: "unreachable" | "forbidden";
      message: string;
      ms: number;
      partial?: TransportResponse;
    };

/**
 * Sends a request, and follows redirects where the run asks for it. The policy is asked before every hop.
 *
 * @throws RunAborted when a limit of the run is reached or it was cancelled
 */
export function send(run: Run, request: BuiltRequest, timeoutMs: number): Promise<Sent> {
  const start = run.deps.clock.monotonic();
  if (run.options.followRedirects === true) return follow(run, request, { timeoutMs, start });
  return sendOnce(run, request, { left: timeoutMs, start });
}

async function follow(
  run: Run,
  request: BuiltRequest,
  { timeoutMs, start }: { timeoutMs: number; start: number },
): Promise<Sent> {
  const { clock } = run.deps;
  let current = request;
  const notes: string[] = [];
  for (let hop = 0; ; hop++) {
    const left = timeoutMs - (clock.monotonic() - start);
    const sent = await sendOnce(run, current, { left, start });
    if (sent.kind !== "response") return sent;
    const { next, note } = redirected(run.known, current, sent.response);
    if (note !== undefined) notes.push(note);
    if (next === undefined) return notes.length === 0 ? sent : { ...sent, notes };
    if (hop >= run.budget.limits.redirects) {
      throw new RunAborted(
        "limit",
        `More than ${run.budget.limits.redirects} redirects followed one request.`,
      );
    }
    current = next;
  }
}

async function sendOnce(
  run: Pick<Run, "budget" | "deps" | "known" | "options">,
  request: BuiltRequest,
  time: { left: number; start: number },
): Promise<Sent> {
  const { clock, policy, transport } = run.deps;
  const elapsed = () => clock.monotonic() - time.start;
  run.budget.startRequest();
  const untilDeadline = run.budget.deadline - clock.monotonic();
  const ms = Math.min(time.left, untilDeadline);
  if (ms <= 0) return expired(run.budget, untilDeadline, elapsed());
  let arrived: (() => TransportResponse) | undefined;
  const onResponse = (response: () => TransportResponse) => {
    arrived = response;
  };
  // The policy may have to resolve a name; that counts as the request's time.
  const bounded = await withinTime(run, ms, (signal) =>
    policy === undefined
      ? transport(transportRequest(run, request, { signal, onResponse }))
      : askAndSend(run, policy, { request, signal, onResponse }),
  );
  switch (bounded.kind) {
    case "done":
      if ("reason" in bounded.value) return forbidden(bounded.value.reason, elapsed());
      return { kind: "response", response: capped(run.budget, bounded.value), request, ms: elapsed() };
    case "time":
      return cutOff(run, request, { arrived, ms: elapsed() });
    case "cancelled":
      throw new RunAborted("cancelled", "The run was cancelled.");
    default:
      return failure(run.budget, bounded.error, { arrived, ms: elapsed() });
  }
}

type Reading = Pick<TransportRequest, "signal" | "onResponse">;

async function askAndSend(
  run: Pick<Run, "budget" | "deps" | "known">,
  policy: Policy,
  { request, ...reading }: { request: BuiltRequest } & Reading,
): Promise<TransportResponse | Extract<PolicyVerdict, { allowed: false }>> {
  const verdict = await policy({ url: request.url, method: request.method });
  return verdict.allowed ? run.deps.transport(transportRequest(run, request, reading)) : verdict;
}

function forbidden(reason: string, ms: number): Sent {
  return { kind: "error", code: "forbidden", message: `The target is not allowed: ${reason}`, ms };
}

function transportRequest(
  { budget, known }: Pick<Run, "budget" | "known">,
  request: BuiltRequest,
  reading: Reading,
): TransportRequest {
  const madeOf = known.shield.sources.secretsIn(() => sentTexts(request));
  return {
    method: request.method,
    url: request.url,
    headers: request.headers,
    ...(request.body === undefined ? {} : { body: request.body }),
    responseBytesMax: budget.limits.responseBytes,
    ...(madeOf.length === 0 ? {} : { madeOf }),
    ...reading,
  };
}

function sentTexts({ url, headers, body = "" }: BuiltRequest): string[] {
  return [url.href, ...headers.flat(), ...(typeof body === "string" ? [body] : readingsOf(body))];
}

/** The end of a request without a complete response, of which a part may have arrived. */
interface Cut {
  arrived: (() => TransportResponse) | undefined;
  ms: number;
}

/** The time is over while a response arrives. A stream need not end: what arrived of it is the response. */
function cutOff(run: Pick<Run, "budget" | "deps">, request: BuiltRequest, { arrived, ms }: Cut): Sent {
  const sent = expired(run.budget, run.budget.deadline - run.deps.clock.monotonic(), ms);
  if (arrived === undefined) return sent;
  const partial = capped(run.budget, arrived());
  if (!isStream(partial)) return { kind: "timedOut", ms, partial };
  const response = { ...partial, truncated: true, isOpen: true };
  return { kind: "response", response, request, ms };
}

/** The step's time is over, or the run's. */
function expired(budget: RunBudget, untilDeadline: number, ms: number): Sent {
  if (untilDeadline > 0) return { kind: "timedOut", ms };
  throw timeIsUp(budget);
}

function failure(budget: RunBudget, error: unknown, { arrived, ms }: Cut): Sent {
  if (!(error instanceof TransportError)) throw error;
  const code = error.code === "forbidden" ? "forbidden" : "unreachable";
  const partial = arrived === undefined ? {} : { partial: capped(budget, arrived()) };
  return { kind: "error", code, message: error.message, ms, ...partial };
}

/** Cuts the body of a transport that ignores the limit. */
function capped(budget: RunBudget, response: TransportResponse): TransportResponse {
  const max = budget.limits.responseBytes;
  if (response.body.length <= max) return response;
  return { ...response, body: response.body.subarray(0, max), truncated: true };
}

type Bounded<T> =
  | { kind: "done"; value: T }
  | { kind: "error"; error: unknown }
  | { kind: "time" }
  | { kind: "cancelled" };

/** Waits for the work up to the limit, even if it ignores its signal. A cancellation of the run applies in its main phase. */
export function withinTime<T>(
  run: Pick<Run, "budget" | "deps" | "options">,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Bounded<T>> {
  const controller = new AbortController();
  const cancellation = run.budget.phase === "main" ? run.options.signal : undefined;
  if (cancellation?.aborted === true) return Promise.resolve({ kind: "cancelled" });
  return new Promise((resolve) => {
    const settle = (outcome: Bounded<T>) => {
      cancelTimer();
      cancellation?.removeEventListener("abort", onCancel);
      resolve(outcome);
      if (outcome.kind === "time" || outcome.kind === "cancelled") controller.abort();
    };
    const onCancel = () => {
      settle({ kind: "cancelled" });
    };
    const cancelTimer = run.deps.clock.after(ms, () => {
      settle({ kind: "time" });
    });
    cancellation?.addEventListener("abort", onCancel, { once: true });
    begin(work, controller.signal).then(
      (value) => {
        settle({ kind: "done", value });
      },
      (error: unknown) => {
        settle({ kind: "error", error });
      },
    );
  });
}

function begin<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return work(signal);
  } catch (error) {
    return Promise.reject(error);
  }
}
