import { createHash } from "node:crypto";
import { reportPath } from "../lib/workspace-root.ts";
import type { Reported } from "./reported.ts";

/**
 * Ids of findings that don't change with other lines of a file: derived from the identity of a finding and its file, and
 * numbered if several are equal.
 */
export function fingerprints(findings: readonly Reported[], root: string): string[] {
  const counts = new Map<string, number>();
  return findings.map(({ code, method, path, message, file }) => {
    const name = file === undefined ? null : reportPath(root, file);
    const identity = JSON.stringify([code, method, path, message, name]);
    const count = counts.get(identity) ?? 0;
    counts.set(identity, count + 1);
    return createHash("sha256").update(`${identity}${count}`).digest("hex").slice(0, 32);
  });
}
