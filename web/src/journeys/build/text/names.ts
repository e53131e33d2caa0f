import { ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonValue } from "@waymark/openapi/json.ts";
import { childPointer, type Pointer } from "@waymark/openapi/pointer.ts";

/** A name of a journey, and where it is declared. */
export interface Name {
  name: string;
  pointer: Pointer;
}

/** The names that expressions and fields of a journey refer to. */
export interface Names {
  workflows: Name[];
  steps: Name[];
  /** `step.output` */
  outputs: Name[];
  inputs: Name[];
  variables: Name[];
  sources: Name[];
  /** `stepId#x-id` */
  proofs: Name[];
}

export function namesIn(value: JsonValue | undefined): Names {
  const names: Names = {
    workflows: [],
    steps: [],
    outputs: [],
    inputs: [],
    variables: [],
    sources: named(value, "sourceDescriptions", "name", ""),
    proofs: [],
  };
  for (const [index, workflow] of ownArray(value, "workflows").entries()) {
    const at = `/workflows/${index}`;
    const id = ownString(workflow, "workflowId");
    if (id !== undefined) names.workflows.push({ name: id, pointer: `${at}/workflowId` });
    names.inputs.push(...members(ownObject(workflow, "inputs"), "properties", `${at}/inputs`));
    names.variables.push(...members(ownValue(workflow, "x-journey"), "vars", `${at}/x-journey`));
    for (const [number, step] of ownArray(workflow, "steps").entries())
      addStep(names, step, `${at}/steps/${number}`);
  }
  return names;
}

function addStep(names: Names, step: JsonValue, at: Pointer): void {
  const stepId = ownString(step, "stepId");
  if (stepId === undefined) return;
  names.steps.push({ name: stepId, pointer: `${at}/stepId` });
  for (const output of members(step, "outputs", at))
    names.outputs.push({ ...output, name: `${stepId}.${output.name}` });
  for (const proof of named(step, "successCriteria", "x-id", at))
    names.proofs.push({ ...proof, name: `${stepId}#${proof.name}` });
}

function members(holder: JsonValue | undefined, key: string, at: Pointer): Name[] {
  const list = childPointer(at, key);
  return Object.keys(ownObject(holder, key) ?? {}).map((name) => ({
    name,
    pointer: childPointer(list, name),
  }));
}

function named(holder: JsonValue | undefined, key: string, field: string, at: Pointer): Name[] {
  return ownArray(holder, key).flatMap((item, index): Name[] => {
    const name = ownString(item, field);
    return name === undefined
      ? []
      : [{ name, pointer: `${childPointer(childPointer(at, key), index)}/${field}` }];
  });
}
