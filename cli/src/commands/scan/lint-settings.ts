import path from "node:path";
import { given, pluginsAllowed } from "../../lib/config.ts";
import type { CliContext } from "../../framework/context.ts";
import { usageError } from "../../lib/cli-error.ts";
import { resolveSeverities, type RuleSettings } from "../../lint/severities.ts";
import type { ProjectFile } from "../../framework/parse-project-file.ts";
import type { Gates } from "./gate-settings.ts";

export interface LintFlags {
  lint: boolean | undefined;
  rules: string | undefined;
  severity: readonly string[];
  lintTimeout: string | undefined;
  allowPlugins: boolean | undefined;
  /** The option that asks for a report of findings, if there is one. */
  reportFlag?: string | undefined;
  /** True if there are findings of other tools: then only what asks for linting itself does. */
  hasReports?: boolean;
}

export interface LintSettings extends RuleSettings {
  /** An absolute path. */
  rulesFile: string | undefined;
  allowPlugins: boolean;
  /** Seconds of processor time that linting a description may take. */
  timeoutSeconds: number;
}

const TIMEOUT_SECONDS_DEFAULT = 120;

/**
 * Returns the settings of linting; undefined if none is wanted. A gate on findings would always pass without linting,
 * so it enables linting.
 * @throws {CliError} if findings are needed and there are none
 */
export function settleLint(
  context: CliContext,
  flags: LintFlags,
  file: ProjectFile,
  gates: Gates | undefined,
): LintSettings | undefined {
  const rulesFile = given(flags.rules) ?? given(file.rules);
  const ruleSettings = resolveSeverities(flags.severity, file.severities);
  const hasReports = flags.hasReports === true;
  const needsFindings = !hasReports && (flags.severity.length > 0 || gates?.failOn !== undefined);
  const asked = flags.lint ?? (flags.rules !== undefined || file.lint === true || needsFindings);
  if (!asked && (hasReports || gates?.failOn === undefined)) {
    if (flags.reportFlag !== undefined && !hasReports)
      throw usageError(`${flags.reportFlag} needs findings: also pass --lint.`);
    return undefined;
  }
  if (!asked) throw usageError("--fail-on needs findings, so it can't be combined with --no-lint.");
  return {
    rulesFile: rulesFile === undefined ? undefined : path.resolve(context.cwd, rulesFile),
    allowPlugins: pluginsAllowed(flags.allowPlugins, context.env),
    ...ruleSettings,
    timeoutSeconds: settleTimeout(flags.lintTimeout),
  };
}

function settleTimeout(option: string | undefined): number {
  const seconds = option === undefined ? TIMEOUT_SECONDS_DEFAULT : Number(option);
  if (!(seconds > 0 && seconds <= 86_400)) throw usageError("--lint-timeout must be a number of seconds.");
  return seconds;
}
