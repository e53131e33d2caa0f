import type { Workflow } from "../document/model.ts";
import { compileCondition } from "./criteria.ts";
import type { ProgramAcceptance, ProgramWorkflow } from "./program.ts";
import { report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

/** The acceptance criteria of a workflow; one that is proven by no criterion there is, is reported. */
export function acceptanceOf(unit: Unit, path: Path, workflow: Workflow): ProgramAcceptance[] {
  const at = [...path, "x-journey", "acceptanceCriteria"];
  const seen = new Set<string>();
  return (workflow["x-journey"]?.acceptanceCriteria ?? []).map((criterion, index) => {
    if (seen.has(criterion.id)) {
      report(unit, [...at, index, "id"], {
        code: "duplicate-id",
        message: `Two acceptance criteria have the id "${criterion.id}": rename one.`,
      });
    }
    seen.add(criterion.id);
    return {
      id: criterion.id,
      text: criterion.text,
      severity: criterion.severity,
      links: (criterion.links ?? []).map(({ rel, href }) => (rel === undefined ? { href } : { rel, href })),
      provenBy: (criterion.provenBy ?? []).flatMap((reference, place) => {
        const [step = "", id = ""] = reference.split("#");
        if (hasCriterion(workflow, step, id)) return [{ step, criterion: id }];
        report(unit, [...at, index, "provenBy", place], {
          code: "unknown-criterion",
          message: `"${reference}" names no criterion: step "${step}" needs a success criterion with x-id: ${id}.`,
        });
        return [];
      }),
    };
  });
}

function hasCriterion(workflow: Workflow, stepId: string, id: string): boolean {
  return workflow.steps.some(
    (step) =>
      step.stepId === stepId && (step.successCriteria ?? []).some((criterion) => criterion["x-id"] === id),
  );
}

/** The teardown of a workflow, in its order. */
export function teardownOf(unit: Unit, path: Path, workflow: Workflow): ProgramWorkflow["teardown"] {
  return (workflow["x-journey"]?.teardown ?? []).map(({ step, when }, index) => {
    const at = [...path, "x-journey", "teardown", index];
    if (!workflow.steps.some(({ stepId }) => stepId === step)) {
      report(unit, [...at, "step"], {
        code: "unknown-step",
        message: `There is no step "${step}" in this workflow.`,
      });
    }
    const condition = when === undefined ? undefined : compileCondition(unit, [...at, "when"], when);
    return { step, ...(condition === undefined ? {} : { when: condition }) };
  });
}
