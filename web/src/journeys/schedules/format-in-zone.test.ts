import { expect, test } from "vitest";
import { formatInZone, timeZones } from "./format-in-zone.ts";

test("a time is shown as clocks in its zone show it, before and after a change of clock", () => {
  expect(formatInZone("2026-03-28T01:30:00Z", "Europe/Berlin")).toMatch(/28.*02:30/);
  expect(formatInZone("2026-03-30T00:30:00Z", "Europe/Berlin")).toMatch(/30.*02:30/);
});

test("a zone that this browser doesn't know is shown as UTC, and says so", () => {
  expect(formatInZone("2026-03-28T01:30:00Z", "Mars/Olympus")).toMatch(/01:30.*UTC/);
});

test("the zones to choose from have UTC and the browser's own", () => {
  const { own, all } = timeZones();
  expect(all).toContain("UTC");
  expect(all).toContain(own);
  expect(all).toContain("Europe/Berlin");
  expect(new Set(all).size).toBe(all.length);
});
