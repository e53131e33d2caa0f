import type { Logger } from "pino";
import { toError } from "../lib/to-error.ts";

type Attributes = Record<string, string | number | boolean>;

export interface TraceSpan {
  traceId: string;
  /** W3C `traceparent` of this span; undefined when it is not recorded. */
  traceParent: string | undefined;
  set(attributes: Attributes): void;
  /** Marks it as failed. The reason is shown in traces: never a body, a key or a header in it. */
  fail(reason: string): void;
  end(): void;
}

export interface SpanOptions {
  kind: "server" | "producer" | "consumer" | "internal";
  /** A `traceparent` from elsewhere. Without one the span belongs to the active one, or begins a trace. */
  parent?: string | undefined;
  /** Spans that it has to do with besides its parent, as `traceparent`. */
  links?: readonly string[];
  attributes?: Attributes;
}

/** OpenTelemetry, as far as Waymark uses it. */
export interface Tracing {
  start(name: string, options: SpanOptions): TraceSpan;
  /** Runs `work` with the span active, in whatever it awaits too. */
  within<T>(span: TraceSpan, work: () => T): T;
  /** The `traceparent` of the active span; undefined where none is recorded. */
  activeTraceParent(): string | undefined;
  /** Sends what is left. */
  close(): Promise<void>;
}

export interface TracingOptions {
  service: "api" | "worker";
  /** Of an OTLP/HTTP collector. Undefined: no tracing, and nothing of OpenTelemetry is loaded. */
  endpoint: string | undefined;
  /** Of the traces that begin here, from 0 to 1. A trace that began elsewhere is followed as decided there. */
  sampleRatio: number;
}

function isMissingPackage(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}

/**
 * Tracing, where it is asked for and its packages are installed. They are optional: a service without them says so
 * and does its work all the same.
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
