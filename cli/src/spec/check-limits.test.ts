import { describe, expect, test } from "vitest";
import type { NormalizedEndpoint, ScanIngestionPayload } from "@waymark/shared/scans/schema.ts";
import { CliError } from "../lib/cli-error.ts";
import { checkLimits } from "./check-limits.ts";

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

function failure(candidate: ScanIngestionPayload): CliError {
  try {
    checkLimits(candidate);
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("limits", () => {
  test("hold exactly: a scan at each limit passes unchanged, lengths counted in characters", () => {
    const full = payload({
      path: `/${"🦉".repeat(999)}`,
      operationId: "o".repeat(200),
      tags: Array.from({ length: 20 }, () => "t"),
      summary: "s".repeat(300),
    });
    full.endpoints = Array.from({ length: 2000 }, () => full.endpoints[0] ?? endpoint);
    expect(checkLimits(full)).toEqual(full);
  });

  test.each([
    [payload({ summary: "s".repeat(301) }), 'paths["/a"].get.summary', "at most 300", "301 characters"],
    [
      payload({ operationId: "o".repeat(999) }),
      'paths["/a"].get.operationId',
      "at most 200",
      "999 characters",
    ],
    [
      payload({ tags: Array.from({ length: 21 }, () => "t") }),
      'paths["/a"].get.tags',
      "at most 20",
      "has 21",
    ],
    [payload({ tags: ["ok", "a\0b"] }), 'paths["/a"].get.tags[1]', "NUL", "3 characters"],
    [payload({ path: "/".repeat(1001) }), "(the path itself)", "at most 1000", "1001 characters"],
    [{ ...payload(), service: { name: "s".repeat(121) } }, "--service", "at most 120", "121 characters"],
    [
      { ...payload(), spec: { ...payload().spec, title: "t".repeat(201) } },
      "info.title",
      "at most 200",
      "201 characters",
    ],
  ])("are named with the value and its place in the spec (%#)", (candidate, place, limit, value) => {
    const { details } = failure(candidate);
    expect(details).toHaveLength(1);
    expect(details[0]).toContain(place);
    expect(details[0]).toContain(limit);
    expect(details[0]).toContain(value);
  });

  test("a spec of more than 2000 operations is told its number", () => {
    const many = { ...payload(), endpoints: Array.from({ length: 2001 }, () => endpoint) };
    expect(failure(many).message).toContain('has 2001 operations under "paths", a scan holds at most 2000');
  });
});
