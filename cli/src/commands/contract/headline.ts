import { plural } from "../../lib/text.ts";
import { type ChangeCounts, countChanges, type JudgedComparison } from "./judged-comparison.ts";

/** Returns the result of a comparison in a few words, such as `2 changes break clients, and 1 may`. */
export function headlineOf(comparison: JudgedComparison): string {
  const counts = countChanges(comparison);
  const { approved, excepted } = counts;
  const left = comparison.notCompared.length;
  return [
    counted(counts, comparison.operations.base),
    ...(approved === 0 ? [] : [`${plural(approved, "change")} approved`]),
    ...(excepted === 0 ? [] : [`${plural(excepted, "change")} with an exception`]),
    ...(left === 0 ? [] : [`${plural(left, "part")} not compared`]),
  ].join("; ");
}

function counted({ breaking, maybe }: ChangeCounts, operations: number): string {
  if (breaking > 0) {
    const verb = breaking === 1 ? "breaks" : "break";
    return `${plural(breaking, "change")} ${verb} clients${maybe === 0 ? "" : `, and ${maybe} may`}`;
  }
  if (maybe > 0) return `${plural(maybe, "change")} may break clients`;
  return `No change that breaks clients was found in ${plural(operations, "operation")}`;
}
