import type { PolicySeverity } from "@waymark/shared/scans/severity-policy/schema.ts";
import { tryingOnce } from "../../api/try-once.ts";
import type { CliContext } from "../../framework/context.ts";
import { CliError } from "../../lib/cli-error.ts";
import type { Reporter } from "../../lib/reporter.ts";
import { plural, printable } from "../../lib/text.ts";
import type { RuleSettings } from "../../lint/severities.ts";
import { LINT_FAILED } from "../../lint/lint-messages.ts";
import type { LocatedFinding } from "../../openapi/located-finding.ts";
import { connectOrNone } from "./connect-or-none.ts";
import type { ScanSettings } from "./settings.ts";

/** The severities that the organization gives rules, by code. */
export type SeverityPolicy = ReadonlyMap<string, PolicySeverity>;

/** Returns the organization's severity policy. It is read when somebody first asks. */
export type ReadPolicy = () => Promise<SeverityPolicy>;

/** The policy of an organization that gives no rule a severity. */
export const NO_RULES: SeverityPolicy = new Map();

/** Returns a function that asks the server once. If the server can't tell, no severity changes, and a note says so. A dry run asks nothing. */
export function policyReader(context: CliContext, reporter: Reporter, settings: ScanSettings): ReadPolicy {
  let policy: Promise<SeverityPolicy> | undefined;
  return () =>
    (policy ??= settings.dryRun ? Promise.resolve(NO_RULES) : readPolicy(context, reporter, settings));
}

async function readPolicy(
  context: CliContext,
  reporter: Reporter,
  settings: ScanSettings,
): Promise<SeverityPolicy> {
  const connection = await connectOrNone(context, reporter, settings);
  // Sending the scan says what is wrong with the address or the key.
  if (connection === undefined) return NO_RULES;
  const { getPolicyRules } = await import("../../api/severity-policy-api.ts");
  try {
    const rules = await getPolicyRules(tryingOnce(connection));
    const policy = new Map(rules.map(({ code, severity }) => [code, severity]));
    for (const note of describeOverruled(policy, settings)) reporter.note(note);
    return policy;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // An older server has no policy.
    if (error.code !== "not_found")
      reporter.omission(
        `the organization's severity policy can't be read, so findings keep the severities of their rules: ${printable(error.message)}`,
      );
    return NO_RULES;
  }
}

/** Names the severities of the repository that the organization's overrule. */
function describeOverruled(policy: SeverityPolicy, { lint, foreign }: ScanSettings): string[] {
  const own = new Map<string, PolicySeverity>([...(lint?.severities ?? []), ...(foreign?.severities ?? [])]);
  for (const rule of (lint ?? foreign)?.off.keys() ?? []) own.set(rule, "off");
  const overruled = [...own].flatMap(([code, severity]) => {
    const wanted = policy.get(code);
    return wanted === undefined || wanted === severity ? [] : [`${code} is ${wanted}, not ${severity}`];
  });
  if (overruled.length === 0) return [];
  return [
    printable(
      `the organization's severity policy overrules this scan's severities: ${overruled.join("; ")}.`,
      1_000,
    ),
  ];
}

/** Returns findings with the severities of a policy, and how many it leaves out because their rules are off. */
export function applyPolicy(
  policy: SeverityPolicy,
  findings: readonly LocatedFinding[],
): { findings: LocatedFinding[]; leftOut: number } {
  const kept = findings.flatMap((finding): LocatedFinding[] => {
    const severity = policy.get(finding.code) ?? finding.severity;
    if (severity !== "off") return [{ ...finding, severity }];
    // Nobody turns off that findings are missing.
    return finding.code === LINT_FAILED ? [finding] : [];
  });
  return { findings: kept, leftOut: findings.length - kept.length };
}

/** Returns findings without those of rules that the repository turns off, unless the policy gives these a severity. */
export function leaveOut(
  policy: SeverityPolicy,
  { off }: Pick<RuleSettings, "off">,
  findings: readonly LocatedFinding[],
): { findings: LocatedFinding[]; leftOut: number } {
  const kept = findings.filter(({ code }) => !off.has(code) || policy.has(code));
  return { findings: kept, leftOut: findings.length - kept.length };
}

/** Says how many findings are left out because their rules are off. */
export function describeLeftOut(count: number, source: string): string {
  return `${plural(count, "finding")} left out: ${source} turns their rules off.`;
}
