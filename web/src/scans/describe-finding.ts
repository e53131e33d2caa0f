import type { NormalizedFinding } from "@waymark/shared/scans/schema.ts";

/** The operation or path that the finding is about. */
export function placeOf({ method, path }: NormalizedFinding): string {
  return path === null ? "the whole API" : [method, path].filter(Boolean).join(" ");
}

/** A finding as text for a ticket or a message. */
export function describeFinding(finding: NormalizedFinding): string {
  const { severity, code, message } = finding;
  return `${severity} ${code} (${placeOf(finding)})\n${message}`;
}
