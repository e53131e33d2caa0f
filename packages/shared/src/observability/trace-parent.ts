const TRACE_PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

export interface SpanIdentity {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

/** Parses a W3C `traceparent`; undefined if it is invalid. */
export function parseTraceParent(text: string | undefined): SpanIdentity | undefined {
  const match = TRACE_PARENT.exec(text ?? "");
  const [, traceId = "", spanId = "", flags = ""] = match ?? [];
  if (match === null || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** Undefined for a span that is not recorded. */
export function formatTraceParent(span: SpanIdentity): string | undefined {
  if ((span.traceFlags & SAMPLED) === 0) return undefined;
  return `00-${span.traceId}-${span.spanId}-01`;
}
