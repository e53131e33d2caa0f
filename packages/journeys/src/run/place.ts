import type { Place } from "../checkpoint/checkpoint.ts";
import type { ProgramStep, ProgramWorkflow } from "../program/program.ts";
import { nowhere } from "./limits.ts";
import type { Next } from "./state.ts";

/** The place of a step with this index; after the last step, the end of the workflow. */
export function stepAt({ steps }: ProgramWorkflow, index: number): Place {
  return index < steps.length ? { at: "step", index } : { at: "end", status: "passed" };
}

/** Where a workflow continues after a step. @throws RunAborted for a target that doesn't exist */
export function placeAfter(
  workflow: ProgramWorkflow,
  { step, index }: { step: ProgramStep; index: number },
  { next, passed }: { next: Next; passed: boolean },
): Place {
  switch (next.go) {
    case "on":
      return stepAt(workflow, index + 1);
    case "step": {
      const target = workflow.steps.findIndex(({ id }) => id === next.step);
      if (target < 0) throw nowhere(`step "${next.step}" to go to`);
      return { at: "step", index: target };
    }
    case "workflow":
      return {
        at: "transfer",
        step: step.id,
        after: passed ? "onSuccess" : "onFailure",
        action: next.action.name,
      };
    default: {
      const reason = next.go === "stop" ? next.reason : `Step "${step.id}" ended the workflow.`;
      return { at: "end", status: passed ? "passed" : "failed", reason };
    }
  }
}
