import type { Severity } from "@waymark/shared/scans/schema.ts";
import { relativePath } from "../lib/workspace-root.ts";
import type { Reported } from "./reported.ts";

const LEVELS: Record<Severity, "error" | "warning" | "note"> = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "note",
  info: "note",
};

/** The findings as a SARIF 2.1.0 log. Files are given relative to the repository's folder, as code scanning wants them. */
export function toSarif(findings: readonly Reported[], options: { root: string; version: string }): unknown {
  const ruleIds = [...new Set(findings.map(({ code }) => code))];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
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
        results: findings.map((finding) => ({
          ruleId: finding.code,
          ruleIndex: ruleIds.indexOf(finding.code),
          level: LEVELS[finding.severity],
          message: { text: finding.message },
          locations: describeLocations(finding, options.root),
        })),
      },
    ],
  };
}

function describeRule(id: string, findings: readonly Reported[]) {
  const helpUri = findings.find(({ code }) => code === id)?.helpUrl;
  return helpUri === undefined ? { id } : { id, helpUri };
}

function describeLocations({ file, position }: Reported, root: string) {
  if (file === undefined) return [];
  const { line, column } = position();
  const uri = relativePath(root, file).split("/").map(encodeURIComponent).join("/");
  const region = { startLine: line, startColumn: column };
  return [{ physicalLocation: { artifactLocation: { uri }, region } }];
}
