import type { FailureAction, Parameter, SuccessAction } from "../document/actions.ts";
import { componentName } from "../rules/references.ts";
import { leaveOut } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

interface ComponentKinds {
  parameters: Parameter;
  successActions: SuccessAction;
  failureActions: FailureAction;
}

/** The component that a reusable object refers to; undefined if it doesn't exist or has another kind. */
export function resolveComponent<K extends keyof ComponentKinds>(
  unit: Unit,
  path: Path,
  reference: string,
  kind: K,
): ComponentKinds[K] | undefined {
  const name = componentName(reference, kind);
  const components: Readonly<Record<string, ComponentKinds[K]>> = componentsOf(unit, kind) ?? {};
  if (name === undefined || !Object.hasOwn(components, name)) return leaveOut(unit, path);
  return components[name];
}

function componentsOf<K extends keyof ComponentKinds>(
  unit: Unit,
  kind: K,
): Readonly<Record<string, ComponentKinds[K]>> | undefined {
  const components: { [P in keyof ComponentKinds]?: Record<string, ComponentKinds[P]> | undefined } =
    unit.document.model.components ?? {};
  return components[kind];
}
