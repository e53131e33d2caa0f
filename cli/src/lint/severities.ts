import { SEVERITIES } from "@waymark/shared/scans/limits.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";
import type { PolicySeverity } from "@waymark/shared/scans/severity-policy/schema.ts";
import { usageError } from "../lib/cli-error.ts";
import { plural, printable } from "../lib/text.ts";
import { LINT_FAILED } from "./lint-messages.ts";

/** The highest severity of a rule whose severity is not set: that of the rule engine's errors. */
export const SEVERITY_MAX_DEFAULT: Severity = "high";

/** The severities that a repository gives rules. */
export interface RuleSettings {
  severities: ReadonlyMap<string, Severity>;
  /** The rules whose findings are left out, each with what turns it off. */
  off: ReadonlyMap<string, "waymark.yaml" | "--severity">;
}

/**
 * The severities of rules: those of `--severity rule=level` over those of `waymark.yaml`.
 * @throws {CliError} for an option that is not of that form, and for a rule that can't be off
 */
export function resolveSeverities(
  options: readonly string[],
  fromFile: Readonly<Record<string, PolicySeverity>> | undefined,
): RuleSettings {
  const severities = new Map<string, Severity>();
  const off: Map<string, "waymark.yaml" | "--severity"> = new Map();
  const set = (rule: string, severity: PolicySeverity, source: "waymark.yaml" | "--severity") => {
    severities.delete(rule);
    off.delete(rule);
    if (severity !== "off") severities.set(rule, severity);
    else if (rule === LINT_FAILED)
      throw usageError(`${LINT_FAILED} can't be off in ${source}: it says that findings are missing.`);
    else off.set(rule, source);
  };
  for (const [rule, severity] of Object.entries(fromFile ?? {})) set(rule, severity, "waymark.yaml");
  for (const option of options) {
    const [, rule = "", level] = /^(.+)=([^=]*)$/.exec(option) ?? [];
    const severity = level === "off" ? level : SEVERITIES.find((each) => each === level);
    if (severity === undefined) {
      throw usageError(
        `--severity takes <rule>=<severity> with one of ${SEVERITIES.join(", ")}, off, and not "${printable(option, 100)}".`,
      );
    }
    set(rule.trim(), severity, "--severity");
  }
  return { severities, off };
}

/** Says how many rules are off, and which; undefined if none is. @param settings undefined if nothing finds anything */
export function describeOff(settings: Pick<RuleSettings, "off"> | undefined): string | undefined {
  const off = settings?.off;
  if (off === undefined || off.size === 0) return undefined;
  const sources = [...new Set(off.values())].join(" and ");
  return printable(
    `${plural(off.size, "rule")} ${off.size === 1 ? "is" : "are"} off by ${sources}: ${[...off.keys()].join(", ")}.`,
    1_000,
  );
}
