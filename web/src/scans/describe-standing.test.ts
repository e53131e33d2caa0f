import { ofSourceFields } from "@waymark/shared/scans/source/schema.ts";
import { expect, test } from "vitest";
import { describeStanding } from "./describe-standing.ts";

const RUN = {
  id: "run",
  serviceName: "books",
  promoted: true,
  createdAt: "2026-03-14T12:00:00.000Z",
  scannedAt: "2026-03-14T12:00:00.000Z",
  source: null,
  gates: null,
} as const;
const EARLIER = { currentScanRunId: "other", lastScannedAt: "2026-03-14T11:00:00.000Z" };
const LATER = { currentScanRunId: "other", lastScannedAt: "2026-03-14T13:00:00.000Z" };
/** Received at 12:00, scanned before the run that is current. */
const LATE = { ...RUN, scannedAt: "2026-03-14T10:00:00.000Z" };
const HELD = "It is not the current run of books. It was submitted with Waymark-Promote: false.";

test.each([
  ["the current run", RUN, { ...LATER, currentScanRunId: "run" }, "It is the current run of books."],
  ["a run before the current one", RUN, LATER, "It is not the current run of books. A newer run is current."],
  [
    "a run that came late",
    LATE,
    EARLIER,
    "It is not the current run of books. Its Scanned-At is earlier than that of the current run.",
  ],
  [
    "a run that was scanned before the current one, and submitted before it",
    LATE,
    LATER,
    "It is not the current run of books. A newer run is current.",
  ],
  [
    "a late run that was held",
    { ...LATE, promoted: false },
    EARLIER,
    `${HELD} A newer run is current, and stays current if this one is promoted.`,
  ],
  [
    "a run of a service without a current run",
    RUN,
    { currentScanRunId: null, lastScannedAt: null },
    "It is not the current run of books.",
  ],
  ["a run that was held", { ...RUN, promoted: false }, EARLIER, HELD],
  [
    "a run of a branch that was held, before the current one",
    { ...RUN, promoted: false, source: { ...ofSourceFields(() => null), branch: "fix" } },
    LATER,
    `${HELD} Its branch is fix. A newer run is current, and stays current if this one is promoted.`,
  ],
  [
    "a run that failed a gate",
    {
      ...RUN,
      promoted: false,
      gates: [
        { gate: "--fail-on high", passed: false, causeCount: 2 },
        { gate: "--fail-on-removed", passed: true, causeCount: 0 },
      ],
    },
    EARLIER,
    `${HELD} It failed --fail-on high.`,
  ],
])("%s says what is stored, and guesses nothing", (_name, run, current, words) => {
  expect(describeStanding(run, current)).toBe(words);
});
