import { ERROR_KINDS, type ErrorCode } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { BodyBudget } from "../lib/body-budget.ts";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BODY_CODES = [
  "malformed_json",
  "payload_too_large",
  "unsupported_media_type",
  "validation_failed",
] as const;
const KEY_CODES = codesWithStatus(401, 403, 429);

/** Counts requests by route pattern, not by address, so that the number of labels stays small. */
export function createRequestMetrics(registry: Registry) {
  const metrics = createMetrics(registry);
  return {
    register(app: FastifyInstance): void {
      app.addHook("onResponse", (request, reply, done) => {
        countRequest(metrics, request, reply);
        done();
      });
      app.addHook("onRequestAbort", (request, done) => {
        if (request.refusedWith === null) metrics.aborted.inc();
        done();
      });
    },
    /** Counts a request that could not be routed: no hook runs for it. */
    unrouted: (method: string, status: number): void =>
      metrics.requests.inc({ method, route: "unmatched", status }),
    /** Counts a response to input that the parser refused: it has neither method nor route. */
    unparsed: (status: number): void =>
      metrics.requests.inc({ method: "unparsed", route: "unparsed", status }),
  };
}

function countRequest(
  metrics: ReturnType<typeof createMetrics>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { method, refusedWith, ingested } = request;
  const route = request.is404 ? "unmatched" : (request.routeOptions.url ?? "unmatched");
  const seconds = reply.elapsedTime / 1000;
  metrics.requests.inc({ method, route, status: reply.statusCode });
  metrics.duration.observe({ method, route }, seconds);
  if (ingested !== null) metrics.ingest.observe({ path: ingested.path }, seconds);
  if (refusedWith !== null)
    countRefusal(metrics, refusedWith, { hasBody: method !== "GET" && method !== "HEAD" });
}

/** The bytes of request bodies in memory, and their maximum. */
export function registerBodyBudgetMetrics(
  registry: Registry,
  budget: BodyBudget,
  { bodyBytesInFlightMax }: { bodyBytesInFlightMax: number },
): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge("waymark_body_bytes_in_flight", "Bytes of request bodies in memory, decoded.", () =>
    budget.bytesInFlight(),
  );
  gauge(
    "waymark_body_bytes_in_flight_max",
    "Maximum bytes of request bodies in memory at once; requests above it get 503.",
    () => bodyBytesInFlightMax,
  );
}

/** Failed announcements to the queue: their runs wait for the reconciler. */
export function createAnnouncementMetrics(registry: Registry): { failed: () => void } {
  const failures = new Counter({
    name: "waymark_announcements_failed_total",
    help: "Accepted scan runs whose announcement to the queue failed; the reconciler finds them.",
    registers: [registry],
  });
  return { failed: () => failures.inc() };
}

function createMetrics(registry: Registry) {
  const registers = [registry];
  const bodies = new Counter({
    name: "waymark_bodies_refused_total",
    help: "Request bodies that were refused, by error code.",
    labelNames: ["code"],
    registers,
  });
  const keys = new Counter({
    name: "waymark_key_refusals_total",
    help: "Requests refused for their API key, its permissions or its rate, by error code.",
    labelNames: ["code"],
    registers,
  });
  const ingest = new Histogram({
    name: "waymark_ingest_duration_seconds",
    help: "Time to respond to an accepted scan, by path: new, repeated or replayed.",
    labelNames: ["path"],
    buckets: SECONDS,
    registers,
  });
  // Starts at zero, so that alerts see the first refusal as an increase.
  for (const code of BODY_CODES) bodies.inc({ code }, 0);
  for (const code of KEY_CODES) keys.inc({ code }, 0);
  for (const path of ["new", "repeated", "replayed"]) ingest.zero({ path });
  return {
    bodies,
    keys,
    ingest,
    aborted: new Counter({
      name: "waymark_http_requests_aborted_total",
      help: "Requests that the client or a time limit ended before they had arrived completely.",
      registers,
    }),
    requests: new Counter({
      name: "waymark_http_requests_total",
      help: "Requests with a response, by route pattern.",
      labelNames: ["method", "route", "status"],
      registers,
    }),
    duration: new Histogram({
      name: "waymark_http_request_duration_seconds",
      help: "Time to respond to a request, by route pattern.",
      labelNames: ["method", "route"],
      buckets: SECONDS,
      registers,
    }),
  };
}

function countRefusal(
  metrics: ReturnType<typeof createMetrics>,
  code: ErrorCode,
  { hasBody }: { hasBody: boolean },
): void {
  if (KEY_CODES.includes(code)) metrics.keys.inc({ code });
  else if (hasBody && BODY_CODES.some((known) => known === code)) metrics.bodies.inc({ code });
}

function codesWithStatus(...statuses: number[]): string[] {
  return Object.entries(ERROR_KINDS).flatMap(([code, kind]) =>
    statuses.includes(kind.httpStatus) ? [code] : [],
  );
}
