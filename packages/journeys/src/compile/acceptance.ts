import type { Workflow } from "../document/model.ts";
import { compileCondition } from "./criteria.ts";
import type { ProgramAcceptance, ProgramWorkflow } from "../program/program.ts";

/** The acceptance criteria of a workflow. */
export function acceptanceOf(workflow: Workflow): ProgramAcceptance[] {
  return (workflow["x-journey"]?.acceptanceCriteria ?? []).map((criterion) => ({
    id: criterion.id,
    text: criterion.text,
    severity: criterion.severity,
    links: (criterion.links ?? []).map(({ rel, href }) => (rel === undefined ? { href } : { rel, href })),
    provenBy: (criterion.provenBy ?? []).map((reference) => {
      const [step = "", id = ""] = reference.split("#");
      return { step, criterion: id };
    }),
  }));
}

/** The teardown of a workflow, in its order. */
export function teardownOf(workflow: Workflow): ProgramWorkflow["teardown"] {
  return (workflow["x-journey"]?.teardown ?? []).map(({ step, when }) => {
    const condition = when === undefined ? undefined : compileCondition(when);
    return { step, ...(condition === undefined ? {} : { when: condition }) };
  });
}
