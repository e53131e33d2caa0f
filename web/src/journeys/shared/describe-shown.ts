import type { OpenedJourneyRunLink, SharedJourneyRun } from "@waymark/shared/journey-runs/links/schema.ts";

/** Says what a link shows of the requests and responses of its run. */
export function describeShown({
  includes,
  kept,
}: Pick<OpenedJourneyRunLink, "includes"> & Pick<SharedJourneyRun, "kept">): string {
  if (includes === "verdicts")
    return "This link shows verdicts only: requests, responses and values are left out.";
  return kept === "evidence"
    ? "Requests and responses are as the run recorded them, without its secrets."
    : "Requests and responses are no longer kept.";
}
