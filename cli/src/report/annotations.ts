import type { Severity } from "@waymark/shared/scans/schema.ts";
import type { Environment } from "../lib/config.ts";
import { azureLine, isAzurePipelines } from "./azure-pipelines.ts";
import { githubLine, isGitHubActions } from "./github.ts";
import type { Annotated, AnnotationLevel } from "./reported.ts";

/** GitHub and Azure show ten annotations of a level for each step, and drop further ones silently. */
const ANNOTATIONS_MAX = 10;

/** The CI systems that show lines of a job's output beside the code. */
export type AnnotationFormat = "github" | "azure";

const LEVELS: Readonly<Record<Severity, AnnotationLevel>> = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "notice",
  info: "notice",
};

const FORMATS: Readonly<
  Record<
    AnnotationFormat,
    {
      levels: readonly AnnotationLevel[];
      lineOf: (level: AnnotationLevel, found: Annotated, root: string) => string;
    }
  >
> = {
  github: { levels: ["error", "warning", "notice"], lineOf: githubLine },
  azure: { levels: ["error", "warning"], lineOf: azureLine },
};

/** Returns how the CI system of this build reads annotations; undefined if it does not. */
export function annotationFormat(env: Environment): AnnotationFormat | undefined {
  if (isGitHubActions(env)) return "github";
  return isAzurePipelines(env) ? "azure" : undefined;
}

/**
 * Returns the lines that a CI system shows beside the code, the first ten of each level.
 *
 * @param root the repository's folder
 * @returns rest: what the system would not show
 */
export function annotations<A extends Annotated>(
  findings: readonly A[],
  root: string,
  format: AnnotationFormat,
): { lines: string[]; rest: A[] } {
  const { levels, lineOf } = FORMATS[format];
  const counts = { error: 0, warning: 0, notice: 0 };
  const isShown = new Set(
    findings.filter(({ severity }) => {
      const level = LEVELS[severity];
      return levels.includes(level) && ++counts[level] <= ANNOTATIONS_MAX;
    }),
  );
  return {
    lines: [...isShown].map((finding) => lineOf(LEVELS[finding.severity], finding, root)),
    rest: findings.filter((finding) => !isShown.has(finding)),
  };
}
