import { describe, expect, it } from "vitest";
import { formatTraceParent, parseTraceParent } from "./trace-parent.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

describe("a traceparent", () => {
  it("is read and written as W3C has it", () => {
    const text = `00-${TRACE}-${SPAN}-01`;
    const identity = parseTraceParent(text);
    expect(identity).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags: 1 });
    expect(identity && formatTraceParent(identity)).toBe(text);
  });

  it.each([
    undefined,
    "",
    "nonsense",
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01-x`,
  ])("that is none begins nothing: %s", (text) => {
    expect(parseTraceParent(text)).toBeUndefined();
  });

  it("is not handed on for a trace that nobody records", () => {
    expect(formatTraceParent({ traceId: TRACE, spanId: SPAN, traceFlags: 0 })).toBeUndefined();
  });
});
