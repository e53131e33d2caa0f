import type { Environment } from "../config.ts";
import { printable } from "../lib/text.ts";
import { relativePath } from "../lib/workspace-root.ts";
import type { Reported } from "./reported.ts";

/** GitHub shows ten annotations of a step; more are dropped without a word. */
const ANNOTATIONS_MAX = 10;

/** Whether this runs in a GitHub Actions job. */
export function isGitHubActions(environment: Environment): boolean {
  return environment["GITHUB_ACTIONS"] === "true";
}

/** Lines that GitHub shows beside the code, the most severe findings first. @param root the repository's folder */
export function annotations(findings: readonly Reported[], root: string): string[] {
  return findings.slice(0, ANNOTATIONS_MAX).map((finding) => {
    const { line, column } = finding.position();
    const level = { critical: "error", high: "error", medium: "warning", low: "notice", info: "notice" }[
      finding.severity
    ];
    // Standard input is no file that GitHub could show.
    const place =
      finding.file === undefined
        ? ""
        : `file=${escapeProperty(relativePath(root, finding.file))},line=${line},col=${column},`;
    return `::${level} ${place}title=${escapeProperty(finding.code)}::${escapeData(finding.message)}`;
  });
}

function escapeData(text: string): string {
  return printable(text).replaceAll("%", "%25");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
