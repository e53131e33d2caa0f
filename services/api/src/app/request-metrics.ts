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

/** Counts requests by the pattern of their route: never by an address, so that the labels stay few. */
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
    /** A request whose address could not be routed: no hook runs for it. */
    unrouted: (method: string, status: number): void =>
      metrics.requests.inc({ method, route: "unmatched", status }),
    /** Something that was answered and never became a request: there is neither a method nor a route. */
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

/** Bytes of request bodies that the process holds, and how many it may hold. */
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
    "Bytes of request bodies that may be in memory at once; what comes above that is answered 503.",
    () => bodyBytesInFlightMax,
  );
}

/** Announcements to the queue that failed: their runs wait for the reconciler. */
export function createAnnouncementMetrics(registry: Registry): { failed: () => void } {
  const failures = new Counter({
    name: "waymark_announcements_failed_total",
    help: "Accepted scan runs that the queue was not told about; the reconciler finds them.",
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
    help: "Time to answer an accepted scan, by how it was taken: new, repeated or replayed.",
    labelNames: ["path"],
    buckets: SECONDS,
    registers,
  });
  // From zero on, so that the first refusal is a rise that an alert can see.
  for (const code of BODY_CODES) bodies.inc({ code }, 0);
  for (const code of KEY_CODES) keys.inc({ code }, 0);
  for (const path of ["new", "repeated", "replayed"]) ingest.zero({ path });
  return {
    bodies,
    keys,
    ingest,
    aborted: new Counter({
      name: "waymark_http_requests_aborted_total",
      help: "Requests that their client, or a time limit, ended before they had arrived whole.",
      registers,
    }),
    requests: new Counter({
      name: "waymark_http_requests_total",
      help: "Requests answered, by route pattern.",
      labelNames: ["method", "route", "status"],
      registers,
    }),
    duration: new Histogram({
      name: "waymark_http_request_duration_seconds",
      help: "Time to answer a request, by route pattern.",
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
