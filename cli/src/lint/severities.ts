import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import { usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";

/** The highest severity of a rule whose severity is not set: that of the rule engine's errors. */
export const SEVERITY_MAX_DEFAULT: Severity = "high";

/**
 * The severities of rules: those of `--severity rule=level` over those of `waymark.yaml`.
 * @throws {CliError} for an option that is not of that form
 */
export function resolveSeverities(
  options: readonly string[],
  fromFile: Readonly<Record<string, Severity>> | undefined,
): ReadonlyMap<string, Severity> {
  const severities = new Map(Object.entries(fromFile ?? {}));
  for (const option of options) {
    const [, rule = "", level] = /^(.+)=([^=]*)$/.exec(option) ?? [];
    const severity = SEVERITIES.find((each) => each === level);
    if (severity === undefined) {
      throw usageError(
        `--severity takes <rule>=<severity> with one of ${SEVERITIES.join(", ")}, and not "${printable(option, 100)}".`,
      );
    }
    severities.set(rule.trim(), severity);
  }
  return severities;
}
