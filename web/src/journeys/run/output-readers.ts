import { walkExpressions } from "@waymark/journeys/program/walk.ts";
import { ownString } from "@waymark/openapi/json.ts";
import { z } from "zod";

const parts = z.array(z.unknown()).default([]);
const named = z.record(z.string(), z.unknown()).default({});

/** The members of an artifact that show which steps read the outputs of a step. */
export const Artifact = z.object({
  program: z.object({
    entry: z.string(),
    workflows: z.record(
      z.string(),
      z.object({
        id: z.string(),
        steps: z.array(
          z.object({
            id: z.string(),
            target: z.unknown().optional(),
            parameters: parts,
            body: z.unknown().optional(),
            criteria: parts,
            onSuccess: parts,
            onFailure: parts,
            poll: z.unknown().optional(),
            outputs: named,
          }),
        ),
        outputs: named,
        teardown: parts,
      }),
    ),
  }),
});
type Workflow = z.infer<typeof Artifact>["program"]["workflows"][string];
type Step = Workflow["steps"][number];

export interface OutputReader {
  /** Undefined for the workflow itself. */
  step: string | undefined;
  /** The parts of it that read the output, in words. */
  parts: string[];
}

/**
 * Returns the readers of a step's outputs in the order of the program, by the output's name.
 * @param workflow undefined for the one that is run
 */
export function readersOfStep(
  { program }: z.infer<typeof Artifact>,
  { id, workflow }: { id: string; workflow?: string | undefined },
): ReadonlyMap<string, OutputReader[]> {
  const readers = new Map<string, OutputReader[]>();
  const workflows = Object.entries(program.workflows);
  for (const [key, value] of workflows) {
    if (workflow === undefined ? key !== program.entry : value.id !== workflow) continue;
    for (const [step, part, node] of partsOf(value))
      for (const output of outputsIn(node, id)) {
        const known = readers.get(output) ?? [];
        const reader = known.find((one) => one.step === step);
        if (reader === undefined) readers.set(output, [...known, { step, parts: [part] }]);
        else if (!reader.parts.includes(part)) reader.parts.push(part);
      }
  }
  return readers;
}

/** Each with the step that it is of, and its words. */
function partsOf({ steps, outputs, teardown }: Workflow): [string | undefined, string, unknown][] {
  return [
    ...steps.flatMap((step) =>
      stepParts(step).map(([part, node]): [string, string, unknown] => [step.id, part, node]),
    ),
    ...Object.entries(outputs).map(([name, node]): [undefined, string, unknown] => [
      undefined,
      `output ${name}`,
      node,
    ]),
    [undefined, "teardown", teardown],
  ];
}

function stepParts(step: Step): [string, unknown][] {
  return [
    ["URL", step.target],
    ...step.parameters.map((one): [string, unknown] => [`parameter ${ownString(one, "name") ?? ""}`, one]),
    ["body", step.body],
    ...step.criteria.map((one, at): [string, unknown] => [
      `assertion ${ownString(one, "id") ?? at + 1}`,
      one,
    ]),
    ...[...step.onSuccess, ...step.onFailure].map((one): [string, unknown] => [
      `action ${ownString(one, "name") ?? ""}`,
      one,
    ]),
    ["poll", step.poll],
    ...Object.entries(step.outputs).map(([name, node]): [string, unknown] => [`output ${name}`, node]),
  ];
}

function outputsIn(node: unknown, stepId: string): Set<string> {
  const found = new Set<string>();
  walkExpressions(node, (expression) => {
    if (expression.kind === "step" && expression.step === stepId) found.add(expression.output);
  });
  return found;
}
