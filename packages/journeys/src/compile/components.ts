import type { FailureAction, Parameter, SuccessAction } from "../document/actions.ts";
import { parseExpression } from "../expressions/parse.ts";
import { report, sentence } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

interface ComponentKinds {
  parameters: Parameter;
  successActions: SuccessAction;
  failureActions: FailureAction;
}

/** The component a reusable object refers to; one that is not there or of another kind is reported. */
export function resolveComponent<K extends keyof ComponentKinds>(
  unit: Unit,
  path: Path,
  reference: string,
  kind: K,
): ComponentKinds[K] | undefined {
  const parsed = parseExpression(reference);
  if (!parsed.ok) {
    report(unit, path, { code: "invalid-expression", message: sentence(parsed.problem.message) });
    return undefined;
  }
  if (parsed.value.kind !== "component" || parsed.value.type !== kind) {
    report(unit, path, {
      code: "wrong-component",
      message: `"${reference}" is no reference to $components.${kind}.<name>.`,
    });
    return undefined;
  }
  const { name } = parsed.value;
  const components: Readonly<Record<string, ComponentKinds[K]>> | undefined = componentsOf(unit, kind);
  if (components !== undefined && Object.hasOwn(components, name)) return components[name];
  report(unit, path, { code: "unknown-component", message: `There is no component "${name}" in ${kind}.` });
  return undefined;
}

function componentsOf<K extends keyof ComponentKinds>(
  unit: Unit,
  kind: K,
): Readonly<Record<string, ComponentKinds[K]>> | undefined {
  const components: { [P in keyof ComponentKinds]?: Record<string, ComponentKinds[P]> | undefined } =
    unit.document.model.components ?? {};
  return components[kind];
}
