import {
  describeSarifRule,
  SARIF_LEVELS,
  SARIF_SCHEMA,
  sarifLogicalLocation,
  sarifSuppression,
} from "@waymark/shared/scans/sarif.ts";
import { reportPath } from "../lib/workspace-root.ts";
import { fingerprints } from "./fingerprint.ts";
import type { Placed, Reported, ReportedChange } from "./reported.ts";

/** The page that explains the rule engine's own rules. */
const BUILT_IN_RULES = "https://redocly.com/docs/cli/rules/built-in-rules";

/**
 * The findings and changes as a SARIF 2.1.0 log. Files are given relative to the repository's folder, as code scanning wants them.
 *
 * @param options.notCompared sentences, which are notifications of the tool: code scanning refuses a result without a place
 */
export function toSarif(
  findings: readonly (Reported | ReportedChange)[],
  options: { root: string; version: string; notCompared: readonly string[] },
): unknown {
  const ruleIds = [...new Set(findings.map(({ code }) => code))];
  const ids = fingerprints(findings, options.root);
  return {
    $schema: SARIF_SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "waymark",
            version: options.version,
            rules: ruleIds.map((id) => describeRule(id, findings)),
          },
        },
        ...describeNotCompared(options.notCompared),
        results: findings.map((finding, index) => ({
          ruleId: finding.code,
          ruleIndex: ruleIds.indexOf(finding.code),
          level: SARIF_LEVELS[finding.severity],
          message: { text: finding.message },
          locations: describeLocations(finding, options.root),
          ...(finding.decision !== undefined && { suppressions: [sarifSuppression(finding.decision)] }),
          // Not primaryLocationLineHash: the action that uploads to GitHub computes it, and warns about each that differs.
          partialFingerprints: { [isChange(finding) ? "waymarkChange/v1" : "waymarkFinding/v1"]: ids[index] },
        })),
      },
    ],
  };
}

function isChange(finding: Reported | ReportedChange): finding is ReportedChange {
  return "fingerprint" in finding;
}

function describeNotCompared(sentences: readonly string[]): object {
  if (sentences.length === 0) return {};
  const notifications = sentences.map((text) => ({ level: "warning", message: { text } }));
  return { invocations: [{ executionSuccessful: true, toolExecutionNotifications: notifications }] };
}

function describeRule(id: string, findings: readonly (Reported | ReportedChange)[]) {
  const finding = findings.find(({ code }) => code === id);
  const helpUri = finding?.helpUrl ?? BUILT_IN_RULES;
  // The rules of plugins and those that a ruleset defines have a slash in their names.
  const isOther = id.includes("/") || (finding !== undefined && isChange(finding));
  const isBuiltIn = finding?.helpUrl !== undefined || !isOther;
  return describeSarifRule({
    id,
    severity: finding?.severity ?? "info",
    helpUri: isBuiltIn ? helpUri : undefined,
  });
}

/** The position in the file, which code scanning shows, and the operation, by which other tools group. */
function describeLocations({ file, position, method, path }: Placed, root: string) {
  const operation = [method, path].filter((part) => part !== null).join(" ");
  const logical = operation === "" ? {} : sarifLogicalLocation(operation);
  const at = position();
  // Code scanning refuses a result without a line of a file in the repository. Standard input without a name has only the repository itself.
  const uri = file === undefined ? "." : reportPath(root, file).split("/").map(encodeURIComponent).join("/");
  const region =
    file === undefined || at === undefined
      ? { startLine: 1 }
      : { startLine: at.line, startColumn: at.column };
  return [{ physicalLocation: { artifactLocation: { uri }, region }, ...logical }];
}
