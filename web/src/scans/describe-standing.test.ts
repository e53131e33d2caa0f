import { expect, test } from "vitest";
import { describeStanding } from "./describe-standing.ts";

const RUN = {
  id: "run",
  serviceName: "books",
  promoted: true,
  createdAt: "2026-03-14T12:00:00.000Z",
  source: null,
} as const;
const EARLIER = { currentScanRunId: "other", lastScannedAt: "2026-03-14T11:00:00.000Z" };
const LATER = { currentScanRunId: "other", lastScannedAt: "2026-03-14T13:00:00.000Z" };
const HELD = "It is not the current run of books. It was submitted with Waymark-Promote: false.";

test.each([
  ["the current run", RUN, { ...LATER, currentScanRunId: "run" }, "It is the current run of books."],
  ["a run before the current one", RUN, LATER, "It is not the current run of books. A newer run is current."],
  [
    "a run that came late",
    RUN,
    EARLIER,
    "It is not the current run of books. It was submitted after the current run, but its Scanned-At says that it was scanned before.",
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
    { ...RUN, promoted: false, source: { branch: "fix", commit: null, url: null } },
    LATER,
    `${HELD} Its branch is fix. A newer run is current, and stays current if this one is promoted.`,
  ],
])("%s says what is stored, and guesses nothing", (_name, run, current, words) => {
  expect(describeStanding(run, current)).toBe(words);
});
