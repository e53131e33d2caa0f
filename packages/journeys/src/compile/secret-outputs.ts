import { report } from "./unit.ts";
import type { Path, Unit } from "./unit.ts";

/** The outputs that `x-journey.secretOutputs` names; one that is not there is an error, because nothing would be hidden. */
export function secretOutputsOf(
  unit: Unit,
  path: Path,
  {
    names = [],
    outputs,
  }: { names: readonly string[] | undefined; outputs: Readonly<Record<string, unknown>> },
): { secretOutputs?: string[] } {
  for (const [index, name] of names.entries()) {
    if (Object.hasOwn(outputs, name)) continue;
    report(unit, [...path, "x-journey", "secretOutputs", index], {
      code: "unknown-output",
      message: `There is no output "${name}" here (there is ${Object.keys(outputs).join(", ") || "none"}).`,
    });
  }
  return names.length === 0 ? {} : { secretOutputs: [...new Set(names)].toSorted() };
}
