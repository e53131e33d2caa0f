import { ownValue } from "@waymark/openapi/json.ts";
import type { ProgramWorkflow } from "../program/program.ts";
import { keywordOf, propertiesOf, requiredInputs } from "../document/input-schema.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { givenTexts } from "../secrets/shield.ts";
import type { Shield } from "../secrets/shield.ts";
import type { RunErrorCode } from "../result/result.ts";
import type { SchemaChecker } from "./schema-check.ts";
import type { RunDependencies } from "./transport.ts";

export interface ResolvedInputs {
  values: Record<string, unknown>;
  /** As the result shows them: references instead of secrets. */
  shown: Record<string, unknown>;
  /** Every value that must never be seen. */
  secrets: string[];
  /** Values resolved from references such as `env:NAME`. */
  references: Map<string, string>;
  problem?: { code: RunErrorCode; message: string };
}

/**
 * Combines a workflow's inputs: defaults, given values, then secrets. Checks them against the schema, which sees no secret that the
 * run is given: the fault of a pattern would tell its characters.
 */
export async function resolveInputs(
  workflow: ProgramWorkflow,
  given: Readonly<Record<string, unknown>>,
  deps: Pick<RunDependencies, "resolveSecret"> & {
    schemas: SchemaChecker;
    evaluator: Evaluator;
    shield: Shield;
    /** Whether the run itself is given these inputs, and no workflow that calls another one. */
    isEntry: boolean;
  },
): Promise<ResolvedInputs> {
  const resolved: ResolvedInputs = {
    values: { ...defaultsOf(workflow), ...given },
    shown: {},
    secrets: [],
    references: new Map(),
  };
  const missing = await addSecrets(workflow, given, { deps, resolved });
  for (const [name, value] of Object.entries(resolved.values)) {
    if (ownValue(resolved.shown, name) !== undefined) continue;
    if (isHidden(workflow, name)) {
      resolved.secrets.push(...givenTexts(value));
      resolved.shown[name] = { secret: true };
    } else resolved.shown[name] = value;
  }
  deps.shield.add(deps.isEntry ? resolved.secrets : [...resolved.references.values()].flatMap(givenTexts));
  if (missing.length > 0) {
    return fail(resolved, "missing-secret", `These secrets have no value: ${missing.join(", ")}.`);
  }
  const absent = requiredInputs(workflow.inputs).filter((name) => resolved.values[name] === undefined);
  if (absent.length > 0)
    return fail(resolved, "missing-input", `These inputs are required: ${absent.join(", ")}.`);
  if (workflow.inputs === undefined) return resolved;
  return checkSchema(resolved, workflow.inputs, deps);
}

async function addSecrets(
  workflow: ProgramWorkflow,
  given: Readonly<Record<string, unknown>>,
  { deps, resolved }: { deps: Pick<RunDependencies, "resolveSecret">; resolved: ResolvedInputs },
): Promise<string[]> {
  const missing: string[] = [];
  for (const { input, ref } of workflow.secrets) {
    const own = ownValue(given, input);
    const found = own === undefined ? await deps.resolveSecret(ref) : undefined;
    const value = own ?? found;
    if (found !== undefined) resolved.references.set(ref, found);
    resolved.shown[input] = { secretRef: ref };
    if (value === undefined) {
      missing.push(`${input} (${ref})`);
      continue;
    }
    resolved.values[input] = value;
    resolved.secrets.push(...givenTexts(value));
  }
  return missing;
}

async function checkSchema(
  resolved: ResolvedInputs,
  schema: Record<string, unknown>,
  { schemas, evaluator, shield }: { schemas: SchemaChecker; evaluator: Evaluator; shield: Shield },
): Promise<ResolvedInputs> {
  try {
    const { faults, more } = await schemas.check(schema, shield.hide(resolved.values), evaluator);
    if (faults.length === 0) return resolved;
    const told = faults.map(
      ({ pointer, message }) => `${pointer === "" ? "the inputs" : pointer.slice(1)} ${message}`,
    );
    if (more > 0) told.push(`and ${more} more`);
    return fail(resolved, "invalid-input", `The inputs are not valid: ${told.join("; ")}.`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    return fail(resolved, "invalid-input", `The schema of the inputs can't be used: ${reason}.`);
  }
}

function fail(resolved: ResolvedInputs, code: RunErrorCode, message: string): ResolvedInputs {
  return { ...resolved, problem: { code, message } };
}

function defaultsOf(workflow: ProgramWorkflow): Record<string, unknown> {
  const defaults: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(propertiesOf(workflow.inputs) ?? {})) {
    const value = keywordOf(workflow.inputs, property, "default");
    if (value !== undefined) defaults[name] = value;
  }
  return defaults;
}

/** `format: password` asks for a value to be obscured, also where no reference is declared. */
export function isHidden(workflow: ProgramWorkflow, name: string): boolean {
  const property = ownValue(propertiesOf(workflow.inputs), name);
  return keywordOf(workflow.inputs, property, "format") === "password";
}
