import { type Environment, given } from "../lib/config.ts";
import { printable } from "../lib/text.ts";
import { reportPath } from "../lib/workspace-root.ts";
import type { Reported } from "./reported.ts";

/** GitHub shows ten annotations of a step and drops further ones silently. */
const ANNOTATIONS_MAX = 10;

/** The members of a finding that an annotation shows. */
type Annotated = Pick<Reported, "code" | "severity" | "message" | "file" | "position">;

/** True if this runs in a GitHub Actions job. */
export function isGitHubActions(environment: Environment): boolean {
  return environment["GITHUB_ACTIONS"] === "true";
}

/** The file of the GitHub Actions job's summary; undefined elsewhere. */
export function jobSummaryFile(environment: Environment): string | undefined {
  return isGitHubActions(environment) ? given(environment["GITHUB_STEP_SUMMARY"]) : undefined;
}

/** Lines that GitHub shows beside the code, the most severe findings first. @param root the repository's folder */
export function annotations(findings: readonly Annotated[], root: string): string[] {
  return findings.slice(0, ANNOTATIONS_MAX).map((finding) => {
    const { line, column } = finding.position();
    const level = { critical: "error", high: "error", medium: "warning", low: "notice", info: "notice" }[
      finding.severity
    ];
    // GitHub can't show standard input.
    const place =
      finding.file === undefined
        ? ""
        : `file=${escapeProperty(reportPath(root, finding.file))},line=${line},col=${column},`;
    return `::${level} ${place}title=${escapeProperty(finding.code)}::${escapeData(finding.message)}`;
  });
}

/** A line that GitHub shows on the page of the job. */
export function annotation(level: "error" | "warning" | "notice", message: string): string {
  return `::${level}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return printable(text).replaceAll("%", "%25");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
