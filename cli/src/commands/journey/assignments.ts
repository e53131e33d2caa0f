import { usageError } from "../../lib/cli-error.ts";
import { printable } from "../../lib/text.ts";

/**
 * Parses options of the form `name=value`. The value may contain further equal signs.
 * @throws {CliError} for one without a name or an equal sign, and for a name that is given twice
 */
export function readAssignments(option: string, given: readonly string[]): Map<string, string> {
  const assignments = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf("=");
    // The text may be a secret without its name, so it is not shown.
    if (at < 1) throw usageError(`${option} takes name=value.`);
    const name = text.slice(0, at);
    if (assignments.has(name))
      throw usageError(`${option} gives "${printable(name, 60)}" twice: leave one of them out.`);
    assignments.set(name, text.slice(at + 1));
  }
  return assignments;
}
