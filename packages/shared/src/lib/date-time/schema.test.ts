import { describe, expect, it } from "vitest";
import { canonicalDateTime } from "./schema.ts";
import { IsoDateTime } from "../schema.ts";

describe("an RFC 3339 date-time", () => {
  it.each([
    ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"],
    ["2026-01-31T12:00:00.123456789+05:30", "2026-01-31T12:00:00.123456789+05:30"],
    ["2026-01-31t12:00:00z", "2026-01-31T12:00:00Z"],
    ["2026-01-31T12:00:00-00:00", "2026-01-31T12:00:00-00:00"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
    ["2016-12-31t15:59:60.5-08:00", "2017-01-01T00:00:00.500Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("%s is read as %s", (value, canonical) => {
    expect(canonicalDateTime(value)).toBe(canonical);
    expect(IsoDateTime.parse(value)).toBe(canonical);
    expect(Number.isNaN(Date.parse(canonical))).toBe(false);
  });

  it.each([
    "2026-01-31",
    "2026-01-31T12:00Z",
    "2026-01-31 12:00:00Z",
    "2026-01-31T12:00:00",
    "2026-02-30T12:00:00Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31T12:00:60Z",
    "2026-01-15T23:59:60Z",
    "2026-01-31T12:00:61Z",
    "2026-01-31T12:00:00+24:00",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "9999-12-31T23:59:60Z",
    "+010000-01-01T00:00:00Z",
    "2026-01-31T12:00:00Z\n",
    "",
  ])("is not %j", (value) => {
    expect(canonicalDateTime(value)).toBeUndefined();
    expect(IsoDateTime.safeParse(value).success).toBe(false);
  });
});
