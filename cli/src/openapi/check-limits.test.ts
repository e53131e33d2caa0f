import { HTTP_METHODS, SEVERITIES } from "@waymark/shared/scans/limits.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NormalizedEndpoint, ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { CliError } from "../lib/cli-error.ts";
import { checkLimits, passesFastPath } from "./check-limits.ts";
import { explainLimits } from "./explain-limits.ts";

const endpoint: NormalizedEndpoint = {
  method: "GET",
  path: "/a",
  operationId: null,
  tags: [],
  summary: null,
};

function payload(change: Partial<NormalizedEndpoint> = {}): ScanIngestionPayload {
  return {
    service: { name: "orders" },
    spec: { hash: "0".repeat(64), format: "openapi" },
    endpoints: [{ ...endpoint, ...change }],
    findings: [],
  };
}

async function failure(candidate: ScanIngestionPayload): Promise<CliError> {
  try {
    await checkLimits(candidate);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("limits", () => {
  test("hold exactly: a scan at each limit passes, lengths counted in characters", async () => {
    const full = payload({
      path: `/${"🦉".repeat(999)}`,
      operationId: "o".repeat(200),
      tags: Array.from({ length: 20 }, () => "t"),
      summary: "s".repeat(300),
    });
    full.endpoints = Array.from({ length: 2000 }, () => full.endpoints[0] ?? endpoint);
    await expect(checkLimits(full)).resolves.toBeUndefined();
  });

  test.each([
    [payload({ summary: "s".repeat(301) }), 'paths["/a"].get.summary', "at most 300", "is 301"],
    [payload({ operationId: "o".repeat(999) }), 'paths["/a"].get.operationId', "at most 200", "is 999"],
    [
      payload({ tags: Array.from({ length: 21 }, () => "t") }),
      'paths["/a"].get.tags',
      "at most 20",
      "has 21",
    ],
    [payload({ tags: ["ok", "a\0b"] }), 'paths["/a"].get.tags[1]', "NUL", "is 3"],
    [payload({ path: "/".repeat(1001) }), "(the path itself)", "at most 1000", "is 1001"],
    [{ ...payload(), service: { name: "s".repeat(121) } }, "--service", "at most 120", "is 121"],
    [
      { ...payload(), spec: { ...payload().spec, title: "t".repeat(201) } },
      "info.title",
      "at most 200",
      "is 201",
    ],
  ])("are named with the value and its place in the spec (%#)", async (candidate, location, limit, value) => {
    const { details } = await failure(candidate);
    expect(details).toHaveLength(1);
    expect(details[0]).toContain(location);
    expect(details[0]).toContain(limit);
    expect(details[0]).toContain(value);
  });

  test("a spec of more than 2000 operations is told its number", async () => {
    const many = { ...payload(), endpoints: Array.from({ length: 2001 }, () => endpoint) };
    expect((await failure(many)).message).toContain(
      'has 2001 operations under "paths", a scan holds at most 2000',
    );
  });

  test("are found by the fast check wherever the contract's models find one", () => {
    // Texts with lengths around each limit, and with characters that no text may contain.
    const text = (max: number) =>
      fc.oneof(
        fc.string({ unit: "grapheme", maxLength: 8 }),
        fc.integer({ min: max - 1, max: max + 1 }).map((length) => "é".repeat(Math.max(0, length))),
        fc.constantFrom("", "a\0b", "\ud800", "🦉".repeat(Math.ceil(max / 2))),
      );
    const optional = (max: number) => fc.option(text(max));
    const candidates = fc.record({
      service: fc.record({ name: text(120) }),
      spec: fc.record(
        {
          hash: fc.oneof(fc.constant("0".repeat(64)), text(64)),
          format: fc.constant("openapi" as const),
          version: text(80),
          title: text(200),
        },
        { requiredKeys: ["hash", "format"] },
      ),
      endpoints: fc.array(
        fc.record({
          method: fc.constantFrom(...HTTP_METHODS),
          path: text(1000),
          operationId: optional(200),
          tags: fc.array(fc.string({ unit: "grapheme", maxLength: 3 }), { maxLength: 22, size: "max" }),
          summary: optional(300),
        }),
        { maxLength: 2 },
      ),
      findings: fc.array(
        fc.record({
          code: text(120),
          severity: fc.constantFrom(...SEVERITIES),
          message: text(500),
          method: fc.option(fc.constantFrom(...HTTP_METHODS)),
          path: optional(1000),
        }),
        { maxLength: 2 },
      ),
    });
    let fitting = 0;
    fc.assert(
      fc.property(candidates, (candidate) => {
        if (!passesFastPath(candidate)) return;
        fitting++;
        expect(explainLimits(candidate)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
    expect(fitting).toBeGreaterThan(30);
  });
});
