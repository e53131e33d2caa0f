import { createHash } from "node:crypto";
import { relativePath } from "../lib/workspace-root.ts";
import type { Reported } from "./reported.ts";

/**
 * Ids of findings that stay the same when other lines of a file change, so that a finding is known again: from what identifies it and
 * its file, numbered where several are alike.
 */
export function fingerprints(findings: readonly Reported[], root: string): string[] {
  const counts = new Map<string, number>();
  return findings.map(({ code, method, path, message, file }) => {
    const name = file === undefined ? null : relativePath(root, file);
    const identity = JSON.stringify([code, method, path, message, name]);
    const count = counts.get(identity) ?? 0;
    counts.set(identity, count + 1);
    return createHash("sha256").update(`${identity}${count}`).digest("hex").slice(0, 32);
  });
}
