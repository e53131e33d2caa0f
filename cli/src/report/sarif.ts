import type { Severity } from "@waymark/shared/scans/schema.ts";
import { relativePath } from "../lib/workspace-root.ts";
import { fingerprints } from "./fingerprint.ts";
import type { Reported } from "./reported.ts";

/** The page that explains the rule engine's own rules. */
const BUILT_IN_RULES = "https://redocly.com/docs/cli/rules/built-in-rules";

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
  const ids = fingerprints(findings, options.root);
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
        results: findings.map((finding, index) => ({
          ruleId: finding.code,
          ruleIndex: ruleIds.indexOf(finding.code),
          level: LEVELS[finding.severity],
          message: { text: finding.message },
          locations: describeLocations(finding, options.root),
          partialFingerprints: { "waymarkFinding/v1": ids[index] },
        })),
      },
    ],
  };
}

function describeRule(id: string, findings: readonly Reported[]) {
  const finding = findings.find(({ code }) => code === id);
  const helpUri = finding?.helpUrl ?? BUILT_IN_RULES;
  // The rules of plugins and those that a ruleset defines have a slash in their names.
  const isBuiltIn = finding?.helpUrl !== undefined || !id.includes("/");
  const words = id.replaceAll(/[-_/]+/g, " ").trim();
  return {
    id,
    shortDescription: { text: `${words.charAt(0).toUpperCase()}${words.slice(1)}` },
    ...(isBuiltIn && { helpUri }),
    defaultConfiguration: { level: LEVELS[finding?.severity ?? "info"] },
  };
}

/** Where in the file, and in which operation: code scanning shows the one, other tools group by the other. */
function describeLocations({ file, position, method, path }: Reported, root: string) {
  const operation = [method, path].filter((part) => part !== null).join(" ");
  const logical =
    operation === "" ? {} : { logicalLocations: [{ fullyQualifiedName: operation, kind: "resource" }] };
  if (file === undefined) return operation === "" ? [] : [logical];
  const { line, column } = position();
  const uri = relativePath(root, file).split("/").map(encodeURIComponent).join("/");
  const region = { startLine: line, startColumn: column };
  return [{ physicalLocation: { artifactLocation: { uri }, region }, ...logical }];
}
