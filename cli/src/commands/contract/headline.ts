import { plural } from "../../lib/text.ts";
import { isAccepted, type JudgedComparison, ofLevel } from "./judged-comparison.ts";

/** Returns the result of a comparison in a few words, such as `2 changes break clients, and 1 may`. */
export function headlineOf(comparison: JudgedComparison): string {
  const breaking = ofLevel(comparison, "breaking").length;
  const maybe = ofLevel(comparison, "maybe").length;
  const accepted = comparison.verdicts.filter(isAccepted).length;
  const left = comparison.notCompared.length;
  return [
    counted({ breaking, maybe }, comparison.operations.base),
    ...(accepted === 0 ? [] : [`${plural(accepted, "change")} accepted`]),
    ...(left === 0 ? [] : [`${plural(left, "part")} not compared`]),
  ].join("; ");
}

function counted({ breaking, maybe }: { breaking: number; maybe: number }, operations: number): string {
  if (breaking > 0) {
    const verb = breaking === 1 ? "breaks" : "break";
    return `${plural(breaking, "change")} ${verb} clients${maybe === 0 ? "" : `, and ${maybe} may`}`;
  }
  if (maybe > 0) return `${plural(maybe, "change")} may break clients`;
  return `No change that breaks clients was found in ${plural(operations, "operation")}`;
}
