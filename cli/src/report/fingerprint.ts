import { createHash } from "node:crypto";
import { reportPath } from "../lib/workspace-root.ts";
import type { Placed, ReportedChange } from "./reported.ts";

/**
 * Ids of findings and changes that don't change with other lines of a file: derived from their identity and their file, and
 * numbered if several are equal.
 */
export function fingerprints(findings: readonly (Placed | ReportedChange)[], root: string): string[] {
  const counts = new Map<string, number>();
  return findings.map((finding) => {
    const { code, method, path, message, file } = finding;
    const name = file === undefined ? null : reportPath(root, file);
    const own = "fingerprint" in finding ? [finding.fingerprint] : [method, path, message];
    const identity = JSON.stringify([code, ...own, name]);
    const count = counts.get(identity) ?? 0;
    counts.set(identity, count + 1);
    return createHash("sha256").update(`${identity}${count}`).digest("hex").slice(0, 32);
  });
}
