import type { CoveredOperation, CriterionState } from "@waymark/shared/journey-coverage/schema.ts";

interface StateWords {
  label: string;
  color: string;
  /** The meaning of the state, as a title. */
  why: string;
}

/** The worst first. The colours have a contrast of at least 4.5:1 to white text. */
export const CRITERION_STATES: Readonly<Record<CriterionState, StateWords>> = {
  failed: {
    label: "failed",
    color: "red.9",
    why: "The newest verdict in an environment is a failure, perhaps of an older version that nothing has run since",
  },
  unproven: { label: "unproven", color: "#b23c0a", why: "No assertion proves it" },
  stale: { label: "stale", color: "#8a6100", why: "Proven by an older version of a document, and not since" },
  notRun: { label: "not run", color: "gray.7", why: "No run came to it in this time" },
  proven: { label: "proven", color: "teal.9", why: "A run of the newest version proved it" },
};

export const OPERATION_STATES: Readonly<Record<CoveredOperation["state"], StateWords>> = {
  notInInventory: {
    label: "not scanned",
    color: "#b23c0a",
    why: "Called, and not in the current scan of a service",
  },
  uncalled: { label: "uncalled", color: "gray.7", why: "No journey called it in this time" },
  called: { label: "called", color: "blue.8", why: "Called, and no step has a success criterion for it" },
  asserted: { label: "asserted", color: "teal.9", why: "Called by a step with success criteria" },
};
