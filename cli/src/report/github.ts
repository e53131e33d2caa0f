import { type Environment, given } from "../lib/config.ts";
import { printable } from "../lib/text.ts";
import { reportPath } from "../lib/workspace-root.ts";
import type { Annotated, AnnotationLevel } from "./reported.ts";

/** True if this runs in a GitHub Actions job. */
export function isGitHubActions(environment: Environment): boolean {
  return environment["GITHUB_ACTIONS"] === "true";
}

/** The file of the GitHub Actions job's summary; undefined elsewhere. */
export function jobSummaryFile(environment: Environment): string | undefined {
  return isGitHubActions(environment) ? given(environment["GITHUB_STEP_SUMMARY"]) : undefined;
}

/** Returns a finding as an annotation. @param root the repository's folder */
export function githubLine(
  level: AnnotationLevel,
  { code, message, file, position }: Annotated,
  root: string,
): string {
  const at = position();
  const lines = at === undefined ? "" : `line=${at.line},col=${at.column},`;
  // GitHub can't show standard input.
  const place = file === undefined ? "" : `file=${escapeProperty(reportPath(root, file))},${lines}`;
  return `::${level} ${place}title=${escapeProperty(code)}::${escapeData(message)}`;
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
