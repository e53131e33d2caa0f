import type { ParameterOrReusable } from "../document/actions.ts";
import { isReusable } from "../document/actions.ts";
import type { Operation } from "../openapi/operation.ts";
import { defaultRule } from "../openapi/parameter-rule.ts";
import { parameterKey } from "../rules/parameter-rules.ts";
import { resolveComponent } from "./components.ts";
import type { ProgramParameter } from "../program/program.ts";
import { leaveOut, valueAt } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

/** A parameter with its position in the document. */
export interface PlacedParameter {
  parameter: ProgramParameter;
  path: Path;
}

/** The receiver of parameters: an operation, a call outside every source, or a workflow. */
export type ParameterTarget =
  | { kind: "workflow" }
  | { kind: "external" }
  | { kind: "operation"; operation: Operation };

export function compileParameters(
  unit: Unit,
  list: readonly ParameterOrReusable[] | undefined,
  options: { path: Path; target: ParameterTarget },
): PlacedParameter[] {
  const result: PlacedParameter[] = [];
  for (const [index, item] of (list ?? []).entries()) {
    const path = [...options.path, index];
    const parameter = compileParameter(unit, item, path, options.target);
    if (parameter !== undefined) result.push({ parameter, path });
  }
  return result;
}

/** A step's parameters over those of its workflow: the same name and location is overridden. */
export function mergeParameters(inherited: PlacedParameter[], own: PlacedParameter[]): PlacedParameter[] {
  const keys = new Set(own.map(({ parameter }) => parameterKey(parameter)));
  return [...inherited.filter(({ parameter }) => !keys.has(parameterKey(parameter))), ...own];
}

function compileParameter(
  unit: Unit,
  item: ParameterOrReusable,
  path: Path,
  target: ParameterTarget,
): ProgramParameter | undefined {
  const resolved = isReusable(item)
    ? resolveComponent(unit, [...path, "reference"], item.reference, "parameters")
    : item;
  if (resolved === undefined) return undefined;
  const overrides = isReusable(item) && item.value !== undefined;
  const value = valueAt(
    unit,
    overrides || !isReusable(item) ? [...path, "value"] : path,
    overrides ? item.value : resolved.value,
  );
  if (target.kind === "workflow") {
    return { name: resolved.name, value, rule: defaultRule("") };
  }
  if (resolved.in === undefined || resolved.in === "channel") return leaveOut(unit, path);
  const key = parameterKey({ in: resolved.in, name: resolved.name });
  const described = target.kind === "operation" ? target.operation.parameters : {};
  const rule = (Object.hasOwn(described, key) ? described[key] : undefined) ?? defaultRule(resolved.in);
  return { in: resolved.in, name: resolved.name, value, rule };
}
