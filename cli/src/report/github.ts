import { type Environment, given } from "../lib/config.ts";
import { printable } from "../lib/text.ts";
import { reportPath } from "../lib/workspace-root.ts";
import type { Placed } from "./reported.ts";

/** GitHub shows ten annotations of a level for each step, and drops further ones silently. */
const ANNOTATIONS_MAX = 10;

/** The members of a finding that an annotation shows. */
type Annotated = Pick<Placed, "code" | "severity" | "message" | "file" | "position">;

/** True if this runs in a GitHub Actions job. */
export function isGitHubActions(environment: Environment): boolean {
  return environment["GITHUB_ACTIONS"] === "true";
}

/** The file of the GitHub Actions job's summary; undefined elsewhere. */
export function jobSummaryFile(environment: Environment): string | undefined {
  return isGitHubActions(environment) ? given(environment["GITHUB_STEP_SUMMARY"]) : undefined;
}

const LEVELS = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "notice",
  info: "notice",
} as const;

/**
 * Returns the lines that GitHub shows beside the code, the first ten of each level.
 *
 * @param root the repository's folder
 * @returns rest: what GitHub would drop
 */
export function annotations<A extends Annotated>(
  findings: readonly A[],
  root: string,
): { lines: string[]; rest: A[] } {
  const counts = { error: 0, warning: 0, notice: 0 };
  const isShown = new Set(findings.filter(({ severity }) => ++counts[LEVELS[severity]] <= ANNOTATIONS_MAX));
  return {
    lines: [...isShown].map((finding) => lineOf(finding, root)),
    rest: findings.filter((finding) => !isShown.has(finding)),
  };
}

function lineOf({ code, severity, message, file, position }: Annotated, root: string): string {
  const at = position();
  const lines = at === undefined ? "" : `line=${at.line},col=${at.column},`;
  // GitHub can't show standard input.
  const place = file === undefined ? "" : `file=${escapeProperty(reportPath(root, file))},${lines}`;
  return `::${LEVELS[severity]} ${place}title=${escapeProperty(code)}::${escapeData(message)}`;
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
