import { jsonEqual } from "@waymark/openapi/json.ts";
import { externalAddress, UNKNOWN } from "../program/external-address.ts";
import { changedSchemas, referencesIn } from "./changed-schemas.ts";
import type { Program, ProgramStep, ProgramWorkflow } from "../program/program.ts";

/** A request of a step, as far as it is known before a run. */
interface RequestShape {
  method: string;
  /** Null where a value of the run decides it, or no server is known. */
  host: string | null;
  path: string;
}

interface StepChange {
  change: "added" | "removed" | "changed";
  workflow: string;
  step: string;
  /** Null for a step that is added, and for one that runs a workflow. */
  before: RequestShape | null;
  after: RequestShape | null;
  /** The parts of a changed step that differ, by the names under which a reader knows them. */
  parts: string[];
}

export interface ProgramChanges {
  steps: StepChange[];
  /** The parts of each workflow that differ, besides its steps. */
  workflows: { workflow: string; parts: string[] }[];
}

type Located = Pick<Program, "workflows" | "operations" | "schemas">;

/** Compares two programs step by step. Without `before`, every step is added. */
export function comparePrograms(before: Located | undefined, after: Located): ProgramChanges {
  const keys = new Set([...Object.keys(before?.workflows ?? {}), ...Object.keys(after.workflows)]);
  const changes: ProgramChanges = { steps: [], workflows: [] };
  const changed = changedSchemas(before?.schemas ?? {}, after.schemas);
  for (const key of keys) {
    const old = { program: before, workflow: ownOf(before?.workflows, key), changed: new Set<string>() };
    const next = { program: after, workflow: ownOf(after.workflows, key), changed };
    changes.steps.push(...compareSteps(key, old, next));
    const parts = workflowParts(old.workflow, next.workflow);
    if (parts.length > 0) changes.workflows.push({ workflow: key, parts });
  }
  return changes;
}

interface ProgramSide {
  program: Located | undefined;
  /** The schemas that are not the other side's, by the references to them. Empty on the old side. */
  changed: ReadonlySet<string>;
}

interface Side extends ProgramSide {
  workflow: ProgramWorkflow | undefined;
}

function compareSteps(workflow: string, old: Side, next: Side): StepChange[] {
  const before = stepsOf(old.workflow);
  const after = stepsOf(next.workflow);
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  return ids.flatMap((step): StepChange[] => {
    const [was, is] = [before.get(step), after.get(step)];
    const shapes = {
      workflow,
      step,
      before: requestOf(old.program, was),
      after: requestOf(next.program, is),
    };
    if (was === undefined) return [{ ...shapes, change: "added", parts: [] }];
    if (is === undefined) return [{ ...shapes, change: "removed", parts: [] }];
    const parts = [
      ...requestParts(shapes.before, shapes.after),
      ...stepParts({ ...old, step: was }, { ...next, step: is }),
    ];
    return parts.length === 0 ? [] : [{ ...shapes, change: "changed", parts }];
  });
}

function stepsOf(workflow: ProgramWorkflow | undefined): Map<string, ProgramStep> {
  return new Map((workflow?.steps ?? []).map((step) => [step.id, step]));
}

function requestOf(program: Located | undefined, step: ProgramStep | undefined): RequestShape | null {
  if (program === undefined || step === undefined) return null;
  const { target } = step;
  if (target.kind === "workflow") return null;
  if (target.kind === "external")
    return { method: target.method.toUpperCase(), ...addressOf(externalAddress(target.url)) };
  const operation = ownOf(program.operations, target.operation);
  if (operation === undefined) return null;
  const { method, path, server } = operation;
  const base = server === undefined ? { host: null, path: "" } : addressOf(server);
  return { method: method.toUpperCase(), host: base.host, path: `${base.path.replace(/\/$/, "")}${path}` };
}

function addressOf(url: string): { host: string | null; path: string } {
  const [, origin = "", path = ""] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(.*)$/is.exec(url) ?? [];
  if (origin === "" || origin.includes(UNKNOWN)) return { host: null, path: url };
  return { host: URL.canParse(origin) ? new URL(origin).host : null, path };
}

function requestParts(before: RequestShape | null, after: RequestShape | null): string[] {
  if (before === null || after === null) return [];
  return (["method", "host", "path"] as const).filter((part) => before[part] !== after[part]);
}

interface StepSide extends ProgramSide {
  step: ProgramStep;
}

function stepParts(old: StepSide, next: StepSide): string[] {
  const before = facetsOf(old);
  const after = facetsOf(next);
  return Object.keys(after).filter((name) => !jsonEqual(before[name] ?? null, after[name] ?? null));
}

/** Returns the parts of a step, by the names under which a reader knows them. */
function facetsOf({ program, changed, step }: StepSide): Record<string, unknown> {
  const { target, body, criteria, parameters, credentials, outputs, secretOutputs, ...flow } = step;
  const operation = target.kind === "operation" ? ownOf(program?.operations, target.operation) : undefined;
  return {
    workflow: target.kind === "workflow" ? target.workflow : null,
    scheme: schemeOf(target.kind === "external" ? externalAddress(target.url) : operation?.server),
    // The values of the run that an address is made of.
    address: target.kind === "external" ? target.url.filter((part) => typeof part !== "string") : null,
    parameters: [parameters, operation?.parameters ?? null],
    body: [body ?? null, operation?.request ?? null],
    credentials: [credentials, operation?.security ?? null],
    checks: criteria,
    responses: responsesOf({ program, changed }, operation?.responses),
    outputs: [outputs, secretOutputs ?? null],
    flow: Object.entries(flow).filter(([, value]) => value !== undefined),
  };
}

function schemeOf(url: string | undefined): string | null {
  return /^([a-z][a-z0-9+.-]*):/i.exec(url ?? "")?.[1]?.toLowerCase() ?? null;
}

/** Returns the responses with their schemas, and whether one that a schema leads to by references has changed. */
function responsesOf(
  { program, changed }: ProgramSide,
  responses: Program["operations"][string]["responses"] | undefined,
): unknown {
  const contentOf = (key: string): unknown => {
    const schema = ownOf(program?.schemas, key);
    return schema === undefined
      ? key
      : [schema, [...referencesIn(schema)].some((reference) => changed.has(reference))];
  };
  return Object.entries(responses ?? {}).map(([status, { content }]) => [
    status,
    Object.entries(content).map(([type, key]) => [type, key === null ? null : contentOf(key)]),
  ]);
}

function workflowParts(before: ProgramWorkflow | undefined, after: ProgramWorkflow | undefined): string[] {
  if (before === undefined || after === undefined) return [];
  const order = ({ steps }: ProgramWorkflow) => steps.map(({ id }) => id);
  const facets = (workflow: ProgramWorkflow): Record<string, unknown> => ({
    inputs: workflow.inputs ?? null,
    secrets: workflow.secrets,
    variables: workflow.vars,
    "order of steps": order(workflow),
    "workflows before it": workflow.dependsOn,
    outputs: [workflow.outputs, workflow.secretOutputs ?? null],
    teardown: workflow.teardown,
    "acceptance criteria": workflow.acceptance,
  });
  const [was, is] = [facets(before), facets(after)];
  return Object.keys(is).filter((name) => !jsonEqual(was[name], is[name]));
}

function ownOf<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
