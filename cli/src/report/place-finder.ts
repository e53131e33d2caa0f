import { comparedIdentity } from "@waymark/shared/scans/changes.ts";
import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";
import { relativePath } from "../lib/workspace-root.ts";
import type { Placed, Reported } from "./reported.ts";

/**
 * Finds the positions of findings, as ` (openapi.yaml:7)`, also for the server's findings, which have none.
 * @param cwd the base of relative file names
 */
export function placeFinder(
  findings: readonly Reported[],
  cwd: string,
): (finding: NormalizedFinding) => string {
  const located = new Map(findings.toReversed().map((finding) => [comparedIdentity(finding), finding]));
  return (finding) => {
    const found = located.get(comparedIdentity(finding));
    return found === undefined ? "" : ` (${placeOf(found, cwd)})`;
  };
}

/** `openapi.yaml:7`. */
export function placeOf({ file, position }: Placed, cwd: string): string {
  const at = position();
  const named = file === undefined ? "standard input" : relativePath(cwd, file);
  return at === undefined ? named : `${named}:${at.line}`;
}
