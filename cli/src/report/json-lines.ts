import { relativePath } from "../lib/workspace-root.ts";
import type { Decision } from "../lib/decision.ts";
import type { Changes } from "./describe-changes.ts";
import type { Reported } from "./reported.ts";

/** Returns the line of a finding. @param cwd the folder that its file is relative to */
export function findingRecord(finding: Reported, cwd: string): Record<string, unknown> {
  const { code, severity, message, method, path, file, position, helpUrl, decision } = finding;
  const { line, column } = position();
  return {
    type: "finding",
    code,
    severity,
    message,
    method,
    path,
    file: file === undefined ? null : relativePath(cwd, file),
    line,
    column,
    helpUrl: helpUrl ?? null,
    decision: decision === undefined ? null : decisionRecord(decision),
  };
}

function decisionRecord({ kind, reason, until, isInSource }: Decision): Record<string, unknown> {
  return { kind, reason, until, source: isInSource ? "waymark.yaml" : "server" };
}

/** Returns the lines of a comparison. An added item has no `before`, and a removed one has no `after`. */
export function changeRecords({ endpoints, findings }: Changes): Record<string, unknown>[] {
  const record =
    (type: string, change: string) =>
    ({ before = null, after = null }: { before?: unknown; after?: unknown }) => ({
      type,
      change,
      before,
      after,
    });
  const ofEndpoint = (change: string) => record("endpoint-change", change);
  const ofFinding = (change: string) => record("finding-change", change);
  return [
    ...endpoints.removed.map((before) => ofEndpoint("removed")({ before })),
    ...endpoints.changed.map(ofEndpoint("changed")),
    ...endpoints.added.map((after) => ofEndpoint("added")({ after })),
    ...findings.new.map((after) => ofFinding("new")({ after })),
    ...findings.severityChanged.map(ofFinding("changed")),
    ...findings.fixed.map((before) => ofFinding("fixed")({ before })),
    ...findings.removedWithEndpoint.map((before) => ofFinding("removed-with-endpoint")({ before })),
  ];
}
