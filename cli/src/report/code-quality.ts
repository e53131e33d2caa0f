import type { Severity } from "@waymark/shared/scans/schema.ts";
import { reportPath } from "../lib/workspace-root.ts";
import { fingerprints } from "./fingerprint.ts";
import type { Placed } from "./reported.ts";

/** The severities of GitLab. */
const SEVERITIES: Record<Severity, "blocker" | "critical" | "major" | "minor" | "info"> = {
  critical: "blocker",
  high: "critical",
  medium: "major",
  low: "minor",
  info: "info",
};

/** The findings and changes as GitLab's Code Quality report. Every one of them needs a file. */
export function codeQualityReport(findings: readonly Placed[], root: string): unknown[] {
  const ids = fingerprints(findings, root);
  return findings.map(({ code, severity, message, file, position }, index) => ({
    description: message,
    check_name: code,
    fingerprint: ids[index],
    severity: SEVERITIES[severity],
    // GitLab needs a line.
    location: {
      path: file === undefined ? "" : reportPath(root, file),
      lines: { begin: position()?.line ?? 1 },
    },
  }));
}
