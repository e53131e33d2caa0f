import type { ParameterOrReusable } from "../document/actions.ts";
import { isReusable } from "../document/actions.ts";
import type { Operation } from "../openapi/operation.ts";
import { defaultRule } from "../openapi/parameter-rule.ts";
import { resolveComponent } from "./components.ts";
import type { ProgramParameter } from "./program.ts";
import { report, valueAt } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

/** A parameter with the place it was written at. */
export interface PlacedParameter {
  parameter: ProgramParameter;
  path: Path;
}

/** What the parameters are given to: an operation, a call outside every source, or a workflow's inputs. */
export type ParameterTarget =
  { kind: "workflow" } | { kind: "external" } | { kind: "operation"; operation: Operation };

/** Compiles a list of parameters; duplicates and parameters without a location are reported. */
export function compileParameters(
  unit: Unit,
  list: readonly ParameterOrReusable[] | undefined,
  options: { path: Path; target: ParameterTarget },
): PlacedParameter[] {
  const result: PlacedParameter[] = [];
  const seen = new Set<string>();
  for (const [index, item] of (list ?? []).entries()) {
    const path = [...options.path, index];
    const parameter = compileParameter(unit, item, path, options.target);
    if (parameter === undefined) continue;
    const key = parameterKey(parameter);
    if (seen.has(key)) {
      report(unit, path, {
        code: "duplicate-parameter",
        message: `The parameter "${parameter.name}" is given twice: keep one.`,
      });
    }
    seen.add(key);
    result.push({ parameter, path });
  }
  return result;
}

/** A step's parameters over those of its workflow: the same name and location is overridden. */
export function mergeParameters(inherited: PlacedParameter[], own: PlacedParameter[]): PlacedParameter[] {
  const keys = new Set(own.map(({ parameter }) => parameterKey(parameter)));
  return [...inherited.filter(({ parameter }) => !keys.has(parameterKey(parameter))), ...own];
}

export function parameterKey(parameter: { in?: string; name: string }): string {
  const name = parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name;
  return `${parameter.in ?? ""}:${name}`;
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
  if (resolved.in === undefined || resolved.in === "channel") {
    report(unit, path, {
      code: "parameter-without-location",
      message: `Say where the parameter "${resolved.name}" goes: in: path, query, querystring, header or cookie.`,
    });
    return undefined;
  }
  const key = parameterKey({ in: resolved.in, name: resolved.name });
  const described = target.kind === "operation" ? target.operation.parameters : {};
  const rule = (Object.hasOwn(described, key) ? described[key] : undefined) ?? defaultRule(resolved.in);
  return { in: resolved.in, name: resolved.name, value, rule };
}
