import { expect, it } from "vitest";
import { badgeStatusOf } from "./badge-status.ts";

const at = "2026-03-14T12:00:00.000Z";
const failed = { scanRunId: "a", scannedAt: at, error: { code: "c", message: "m" } };
const held = { scanRunId: "b", scannedAt: at, source: null, failedGates: [] };
const counts = (critical: number) => ({ info: 1, low: 1, medium: 1, high: 1, critical });
const NEW = {
  lastFailedScan: null,
  lastHeldScan: null,
  currentScanRunId: null,
  findingsBySeverity: null,
  decidedBySeverity: null,
};
const SCANNED = {
  ...NEW,
  currentScanRunId: "c",
  findingsBySeverity: counts(0),
  decidedBySeverity: counts(0),
};

it.each([
  ["no scan yet", NEW],
  ["passing", SCANNED],
  ["critical findings", { ...SCANNED, findingsBySeverity: counts(1) }],
  ["critical findings", { ...SCANNED, findingsBySeverity: counts(2), decidedBySeverity: counts(1) }],
  ["passing", { ...SCANNED, findingsBySeverity: counts(2), decidedBySeverity: counts(2) }],
  ["not promoted", { ...SCANNED, findingsBySeverity: counts(1), lastHeldScan: held }],
  ["failed", { ...SCANNED, lastFailedScan: failed }],
  ["failed", { ...NEW, lastFailedScan: failed }],
])("the status is %s", (status, service) => {
  expect(badgeStatusOf(service, { breaksClients: false })).toBe(status);
});

it.each([
  ["no scan yet", NEW],
  ["breaks clients", { ...SCANNED, findingsBySeverity: counts(1) }],
  ["not promoted", { ...SCANNED, lastHeldScan: held }],
])("after a change that breaks clients, the status is %s", (status, service) => {
  expect(badgeStatusOf(service, { breaksClients: true })).toBe(status);
});
