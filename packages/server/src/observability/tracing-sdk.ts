import { setTimeout as sleep } from "node:timers/promises";
import {
  context,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { parseTraceParent, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { SpanOptions, TraceSpan, Tracing, TracingOptions } from "./tracing.ts";

const KINDS = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

const propagator = new W3CTraceContextPropagator();

/** How long a closing process waits for the collector. */
const CLOSE_MS = 2_000;

/** OpenTelemetry's SDK over OTLP/HTTP. Import this module only if there is a collector, because it loads the packages. */
export function createTracing({ service, sampleRatio }: TracingOptions): Tracing {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override the default name.
    resource: resourceFromAttributes({ "service.name": `waymark-${service}` }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    // The exporter itself reads address, headers and time limit from the OTEL_EXPORTER_OTLP_ variables.
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: 1_000 }),
    ],
  });
  const tracer = provider.getTracer("waymark");
  const spans = new WeakMap<TraceSpan, Span>();

  return {
    start(name, options) {
      const parent = remoteContext(options.parent) ?? context.active();
      const span = tracer.startSpan(name, toSpanOptions(options), parent);
      const traced = describe(span);
      spans.set(traced, span);
      return traced;
    },
    within(traced, work) {
      const span = spans.get(traced);
      return span === undefined ? work() : context.with(trace.setSpan(context.active(), span), work);
    },
    activeTraceParent() {
      const active = trace.getActiveSpan()?.spanContext();
      return active === undefined ? undefined : traceParentOf(active);
    },
    async close() {
      await Promise.race([provider.shutdown(), sleep(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}

function remoteContext(traceParent: string | undefined) {
  const identity = parseTraceParent(traceParent ?? "");
  return identity === null ? undefined : trace.setSpanContext(ROOT_CONTEXT, { ...identity, isRemote: true });
}

function toSpanOptions({ kind, links = [], attributes = {} }: SpanOptions) {
  return {
    kind: KINDS[kind],
    attributes,
    links: links.flatMap((link) => {
      const identity = parseTraceParent(link);
      return identity === null ? [] : [{ context: identity }];
    }),
  };
}

function describe(span: Span): TraceSpan {
  const identity = span.spanContext();
  return {
    traceId: identity.traceId,
    traceParent: traceParentOf(identity),
    set: (attributes) => void span.setAttributes(attributes),
    fail: (reason) => void span.setStatus({ code: SpanStatusCode.ERROR, message: reason }),
    end: () => span.end(),
  };
}

/** Undefined for a span that is not recorded. */
function traceParentOf(span: SpanContext): string | undefined {
  if ((span.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  const carrier: { traceparent?: string } = {};
  propagator.inject(trace.setSpanContext(ROOT_CONTEXT, span), carrier, defaultTextMapSetter);
  return carrier.traceparent;
}
