import { isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { flowOf, type FlowRows, flowRowsOf } from "./outline-flow.ts";
import { placed, textsOf } from "./outline-parts.ts";
import { describeReference, readsOutput, referencesIn } from "./references.ts";

export interface ParameterRow {
  pointer: Pointer;
  name: string;
  in: string | undefined;
  value: JsonValue | undefined;
  origins: string[];
  /** A reference to a parameter in `components`; such a row has at most its own value. */
  reference: string | undefined;
}

export interface AssertionRow {
  pointer: Pointer;
  id: string | undefined;
  condition: string;
  context: string | undefined;
  type: string;
  /** Its type has a version of its own, which only the text shows. */
  hasVersion: boolean;
  value: JsonObject;
  /** Ids of the acceptance criteria that it proves. */
  proves: string[];
}

export interface OutputRow {
  pointer: Pointer;
  name: string;
  value: JsonValue | undefined;
  users: string[];
}

/** A step as its card shows it. */
export interface StepCard {
  pointer: Pointer;
  stepId: string;
  description: string;
  operation: { kind: "operationId" | "operationPath" | "workflowId" | "x-operation" | "none"; label: string };
  parameters: ParameterRow[];
  body: { pointer: Pointer; payload: JsonValue | undefined; origins: string[] } | undefined;
  assertions: AssertionRow[];
  outputs: OutputRow[];
  timeoutMs: JsonValue | undefined;
  /** Retries, jumps, polls and dependencies, in words. */
  flow: string[];
  flowRows: FlowRows;
  value: JsonObject;
}

export interface AcceptanceRow {
  pointer: Pointer;
  id: string;
  text: string;
  severity: string;
  provenBy: string[];
  /** It has a list of proofs, which may be empty. */
  hasProofs: boolean;
  /** Names its field for the focus. */
  focusName: string;
}

export interface TeardownRow {
  pointer: Pointer;
  value: JsonObject;
  /** The id of the step that it runs. */
  step: string;
  when: string;
}

export interface WorkflowOutline {
  pointer: Pointer;
  value: JsonObject;
  workflowId: string;
  summary: string;
  inputs: string[];
  steps: StepCard[];
  teardown: TeardownRow[];
  acceptance: AcceptanceRow[];
  /** Its `x-journey`. */
  extension: JsonObject | undefined;
  /** `stepId#x-id` of every assertion that has an id. */
  proofs: string[];
}

/** The journey's workflows as the visual view shows them. Parts of another type than they should have are left out. */
export function outlineOf(root: JsonObject): WorkflowOutline[] {
  return placed(root, "workflows", "").map(([workflow, pointer]) => workflowOf(workflow, pointer));
}

function workflowOf(workflow: JsonObject, pointer: Pointer): WorkflowOutline {
  const workflowId = ownString(workflow, "workflowId") ?? "";
  const extension = childPointer(pointer, "x-journey");
  const acceptance = placed(ownValue(workflow, "x-journey"), "acceptanceCriteria", extension).map(
    ([value, at], index): AcceptanceRow => ({
      pointer: at,
      id: ownString(value, "id") ?? "",
      text: ownString(value, "text") ?? "",
      severity: ownString(value, "severity") ?? "",
      provenBy: textsOf(value, "provenBy"),
      hasProofs: Array.isArray(value["provenBy"]),
      focusName: `${workflowId} criterion ${index}`,
    }),
  );
  const steps = placed(workflow, "steps", pointer).map(([step, at]) =>
    stepOf({ step, pointer: at, workflow, acceptance }),
  );
  return {
    pointer,
    value: workflow,
    workflowId,
    summary: ownString(workflow, "summary") ?? ownString(workflow, "description") ?? "",
    inputs: Object.keys(ownObject(ownValue(workflow, "inputs"), "properties") ?? {}),
    steps,
    teardown: placed(ownValue(workflow, "x-journey"), "teardown", extension).map(([value, at]) => ({
      pointer: at,
      value,
      step: ownString(value, "step") ?? "",
      when: ownString(value, "when") ?? "",
    })),
    acceptance,
    extension: ownObject(workflow, "x-journey"),
    proofs: steps.flatMap(({ stepId, assertions }) =>
      assertions.flatMap(({ id }) => (id === undefined ? [] : [`${stepId}#${id}`])),
    ),
  };
}

function stepOf(given: {
  step: JsonObject;
  pointer: Pointer;
  workflow: JsonObject;
  acceptance: readonly AcceptanceRow[];
}): StepCard {
  const { step, pointer, workflow, acceptance } = given;
  const stepId = ownString(step, "stepId") ?? "";
  const body = ownObject(step, "requestBody");
  return {
    pointer,
    stepId,
    description: ownString(step, "description") ?? "",
    operation: operationOf(step),
    parameters: placed(step, "parameters", pointer).map(([value, at]) => ({
      pointer: at,
      name: ownString(value, "name") ?? "",
      in: ownString(value, "in"),
      value: value["value"],
      origins: referencesIn(value["value"]).map(describeReference),
      reference: ownString(value, "reference"),
    })),
    body: body && {
      pointer: childPointer(pointer, "requestBody"),
      payload: body["payload"],
      origins: referencesIn(body).map(describeReference),
    },
    assertions: placed(step, "successCriteria", pointer).map(([value, at]) =>
      assertionOf(value, at, { stepId, acceptance }),
    ),
    outputs: outputsOf(step, { stepId, pointer, workflow }),
    timeoutMs: step["timeout"],
    flow: flowOf(step),
    flowRows: flowRowsOf(step, pointer),
    value: step,
  };
}

const CALLS = ["operationId", "operationPath", "workflowId"] as const;

function operationOf(step: JsonObject): StepCard["operation"] {
  for (const kind of CALLS) {
    const label = ownString(step, kind);
    if (label !== undefined) return { kind, label };
  }
  const external = ownObject(step, "x-operation");
  if (external === undefined) return { kind: "none", label: ownString(step, "channelPath") ?? "" };
  const method = (ownString(external, "method") ?? "").toUpperCase();
  return { kind: "x-operation", label: `${method} ${ownString(external, "url") ?? ""}` };
}

function assertionOf(
  value: JsonObject,
  pointer: Pointer,
  { stepId, acceptance }: { stepId: string; acceptance: readonly AcceptanceRow[] },
): AssertionRow {
  const id = ownString(value, "x-id");
  const proves = acceptance.filter(
    ({ provenBy }) => id !== undefined && provenBy.includes(`${stepId}#${id}`),
  );
  return {
    pointer,
    id,
    condition: ownString(value, "condition") ?? "",
    context: ownString(value, "context"),
    type: ownString(value, "type") ?? ownString(value["type"], "type") ?? "simple",
    hasVersion: isObject(value["type"]),
    value,
    proves: proves.map((criterion) => criterion.id),
  };
}

function outputsOf(
  step: JsonObject,
  { stepId, pointer, workflow }: { stepId: string; pointer: Pointer; workflow: JsonObject },
): OutputRow[] {
  const { steps: _steps, ...rest } = workflow;
  const readers: [string, ReturnType<typeof referencesIn>][] = [
    ...ownArray(workflow, "steps").map((other): [string, ReturnType<typeof referencesIn>] => [
      ownString(other, "stepId") ?? "",
      referencesIn(other),
    ]),
    ["the journey", referencesIn(rest)],
  ];
  return Object.entries(ownObject(step, "outputs") ?? {}).map(([name, value]) => ({
    pointer: childPointer(childPointer(pointer, "outputs"), name),
    name,
    value,
    users: readers.flatMap(([user, references]) =>
      references.some((reference) => readsOutput(reference, stepId, name)) ? [user] : [],
    ),
  }));
}
