import type { Logger } from "pino";
import { toError } from "@waymark/shared/lib/to-error.ts";

type Attributes = Record<string, string | number | boolean>;

export interface TraceSpan {
  traceId: string;
  /** The W3C `traceparent` of this span; undefined if it is not recorded. */
  traceParent: string | undefined;
  set(attributes: Attributes): void;
  /** Marks the span as failed. Traces show the reason, so it must not contain a body, key or header. */
  fail(reason: string): void;
  end(): void;
}

export interface SpanOptions {
  kind: "server" | "producer" | "consumer" | "internal";
  /** An external `traceparent`. Without it, the parent is the active span, or the span starts a trace. */
  parent?: string | undefined;
  /** Related spans besides the parent, as `traceparent`. */
  links?: readonly string[];
  attributes?: Attributes;
}

/** The part of OpenTelemetry that Waymark uses. */
export interface Tracing {
  start(name: string, options: SpanOptions): TraceSpan;
  /** Runs `work` with the span active, including everything that it awaits. */
  within<T>(span: TraceSpan, work: () => T): T;
  /** The `traceparent` of the active span; undefined if none is recorded. */
  activeTraceParent(): string | undefined;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

export interface TracingOptions {
  service: "api" | "worker";
  /** The address of an OTLP/HTTP collector. Undefined means no tracing, and OpenTelemetry isn't loaded. */
  endpoint: string | undefined;
  /** The share of traces to record of those that start here, from 0 to 1. For other traces, their origin decides. */
  sampleRatio: number;
}

function isMissingPackage(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}

/**
 * Starts tracing if it is configured and its packages are installed. They are optional: a process without them logs a
 * warning and works without tracing.
 */
export async function startTracing(logger: Logger, options: TracingOptions): Promise<Tracing | undefined> {
  if (options.endpoint === undefined) return undefined;
  try {
    const { createTracing } = await import("./tracing-sdk.ts");
    return createTracing(options);
  } catch (error) {
    if (!isMissingPackage(error)) throw error;
    const reason = toError(error).message.split("\n")[0];
    logger.warn(
      { reason },
      "OTEL_EXPORTER_OTLP_ENDPOINT is set, but tracing's packages are not installed: install without --omit=optional (image: WITH_TRACING=true)",
    );
    return undefined;
  }
}
