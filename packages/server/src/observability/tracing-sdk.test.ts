import { afterAll, describe, expect, it } from "vitest";
import { createTracing } from "./tracing-sdk.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

describe("a traceparent", () => {
  const tracing = createTracing({ service: "api", endpoint: "http://127.0.0.1:9", sampleRatio: 1 });
  afterAll(() => tracing.close());
  // A span that never ends is never sent.
  const follow = (parent: string | undefined) => tracing.start("request", { kind: "server", parent });

  it.each([
    ["as W3C has it", `00-${TRACE}-${SPAN}-01`],
    ["with flags of later versions", `00-${TRACE}-${SPAN}-03`],
    ["of a later version, with what that adds", `01-${TRACE}-${SPAN}-01-more`],
  ])("%s is continued, and propagated with the new span's id", (_, parent) => {
    const { traceId, traceParent } = follow(parent);
    expect(traceId).toBe(TRACE);
    expect(traceParent).toMatch(new RegExp(`^00-${TRACE}-(?!${SPAN})[0-9a-f]{16}-0[0-9a-f]$`));
  });

  it.each([
    undefined,
    "",
    "nonsense",
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01-x`,
    `ff-${TRACE}-${SPAN}-01`,
  ])("that is invalid starts a new trace: %s", (parent) => {
    const { traceId, traceParent } = follow(parent);
    expect(traceId).not.toBe(TRACE);
    expect(traceParent).toContain(traceId);
  });

  it("is not propagated for a trace that is not sampled", () => {
    expect(follow(`00-${TRACE}-${SPAN}-00`)).toMatchObject({ traceId: TRACE, traceParent: undefined });
  });
});
