import { breakingChanges } from "@waymark/shared/scans/breaking-changes.ts";
import type { NormalizedEndpoint, NormalizedFinding, ScanChanges } from "@waymark/shared/scans/schema.ts";
import { plural } from "../lib/text.ts";

export type Changes = Pick<ScanChanges, "endpoints" | "findings">;

/** A change in one line: the kind, and the item. Its text is untrusted. */
export interface ChangeLine {
  kind: "added" | "removed" | "changed" | "new" | "fixed";
  text: string;
}

export interface DescribedChanges {
  endpoints: ChangeLine[];
  findings: ChangeLine[];
  /** The changes that break existing clients, one per line. */
  breaking: string[];
  /** Such as `Endpoints: 1 added, 0 removed, 2 changed`. */
  endpointCounts: string;
  /** Such as `Findings: 1 new, 0 fixed`, and `, 2 removed with their endpoints` if there are any. */
  findingCounts: string;
}

/** @param placeOf the position of a finding as text, such as ` (openapi.yaml:7)` */
export function describeChanges(
  { endpoints, findings }: Changes,
  placeOf: (finding: NormalizedFinding) => string = () => "",
): DescribedChanges {
  const { added, removed, changed } = endpoints;
  const describe = (finding: NormalizedFinding) => describeFinding(finding) + placeOf(finding);
  return {
    endpoints: [
      ...removed.map((item) => ({ kind: "removed" as const, text: nameOf(item) })),
      ...changed.map(({ before, after }) => ({
        kind: "changed" as const,
        text: describeChanged(before, after),
      })),
      ...added.map((item) => ({ kind: "added" as const, text: nameOf(item) })),
    ],
    findings: [
      ...findings.new.map((item) => ({ kind: "new" as const, text: describe(item) })),
      ...findings.severityChanged.map(({ before, after }) => ({
        kind: "changed" as const,
        text: `${describe(after)}, was ${before.severity}`,
      })),
      ...findings.fixed.map((item) => ({ kind: "fixed" as const, text: describeFinding(item) })),
      ...findings.removedWithEndpoint.map((item) => ({
        kind: "removed" as const,
        text: `${describeFinding(item)}, with its endpoint`,
      })),
    ],
    breaking: describeBreaking(endpoints),
    endpointCounts: `Endpoints: ${added.length} added, ${removed.length} removed, ${changed.length} changed`,
    findingCounts: countFindings(findings),
  };
}

function countFindings({ new: added, fixed, removedWithEndpoint }: Changes["findings"]): string {
  const counts = `Findings: ${added.length} new, ${fixed.length} fixed`;
  const removed = removedWithEndpoint.length;
  return removed === 0
    ? counts
    : `${counts}, ${removed} removed with ${removed === 1 ? "its endpoint" : "their endpoints"}`;
}

/** The limits of a comparison of scans: scans don't contain parameters, bodies or responses. */
const NOT_COMPARED = "Parameters, bodies and responses were not compared.";

/** Returns a headline such as `Breaks clients: 2 changes`, and a sentence about the parts that were not compared. */
export function describeBreakingCount({ breaking }: DescribedChanges): { headline: string; limits: string } {
  const headline =
    breaking.length === 0
      ? "No endpoint was removed, and no operationId was changed."
      : `Breaks clients: ${plural(breaking.length, "change")}`;
  return { headline, limits: NOT_COMPARED };
}

function describeBreaking(endpoints: Changes["endpoints"]): string[] {
  const { removed, renamed } = breakingChanges(endpoints);
  return [
    ...removed.map((item) => `${nameOf(item)} was removed`),
    ...renamed.map(
      ({ before, after }) =>
        `the operationId of ${nameOf(after)} was ${before.operationId} and is ${after.operationId ?? "gone"}`,
    ),
  ];
}

function nameOf({ method, path }: NormalizedEndpoint): string {
  return `${method} ${path}`;
}

function describeChanged(before: NormalizedEndpoint, after: NormalizedEndpoint): string {
  const fields = (["operationId", "summary", "tags"] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  // A server's path that moved into the paths changes more of them than the names of parameters.
  const shape = (text: string) => text.replaceAll(/\{[^}]*\}/g, "{}");
  const what =
    shape(before.path) === shape(after.path) ? "names of path parameters" : "path below the server";
  const was = before.path === after.path ? [] : [`${what} (was ${before.path})`];
  return `${nameOf(after)}: ${[...was, ...fields].join(", ")}`;
}

/** `high path-parameters-defined at GET /a/{id}: message`. */
export function describeFinding({ severity, code, method, path, message }: NormalizedFinding): string {
  const location = [method, path].filter((part) => part !== null).join(" ");
  return `${severity} ${code}${location === "" ? "" : ` at ${location}`}: ${message}`;
}
