import { HTTP_METHODS } from "@waymark/shared/scans/limits.ts";
import type { NormalizedEndpoint, ScanChanges } from "@waymark/shared/scans/schema.ts";
import { isCovered, type JudgedComparison } from "./judged-comparison.ts";

/** The rules about endpoints that calls no longer reach. */
const REMOVAL = /^operation-(?:removed|moved)/;
const BASE_PATH = "base-path-changed";

type EndpointChanges = ScanChanges["endpoints"];

/** Returns the changes where endpoints under one address are the same, whatever the names of their parameters and the server's path are. */
export function pairEndpoints(endpoints: EndpointChanges, { matched }: JudgedComparison): EndpointChanges {
  const heads = new Map(matched.map(({ base, head }) => [keyOf(base), keyOf(head)]));
  const added = new Map(endpoints.added.map((endpoint) => [keyOf(endpoint), endpoint]));
  const pairs = endpoints.removed.flatMap((before) => {
    const after = added.get(heads.get(keyOf(before)) ?? "");
    return after === undefined ? [] : [{ before, after }];
  });
  const paired = new Set(pairs.flatMap(({ before, after }) => [before, after]));
  return {
    added: endpoints.added.filter((endpoint) => !paired.has(endpoint)),
    removed: endpoints.removed.filter((endpoint) => !paired.has(endpoint)),
    changed: [...endpoints.changed, ...pairs],
  };
}

/**
 * Returns the endpoints that calls no longer reach: those that were removed, and those whose server has another path. An endpoint whose
 * removal has an exception or an approval is not among them.
 *
 * @param before the endpoints of the base
 */
export function missingEndpoints(
  removed: readonly NormalizedEndpoint[],
  before: readonly NormalizedEndpoint[],
  { verdicts }: JudgedComparison,
): NormalizedEndpoint[] {
  const keysOf = (of: readonly JudgedComparison["verdicts"][number][]) =>
    new Set(of.flatMap(({ operations }) => operations.map(keyOf)));
  const moved = keysOf(verdicts.filter((verdict) => verdict.id === BASE_PATH && !isCovered(verdict)));
  const covered = keysOf(verdicts.filter((verdict) => REMOVAL.test(verdict.id) && isCovered(verdict)));
  return [
    ...removed.filter((endpoint) => !covered.has(keyOf(endpoint))),
    ...before.filter((endpoint) => moved.has(keyOf(endpoint))),
  ];
}

/** Returns the endpoints whose server has another path, without what only a scan knows of them. */
export function movedEndpoints({ verdicts }: JudgedComparison): NormalizedEndpoint[] {
  const moved = verdicts.filter(({ id }) => id === BASE_PATH).flatMap(({ operations }) => operations);
  return moved.flatMap(({ method, path, kind }) => {
    const known = HTTP_METHODS.find((each) => each === method);
    if (known === undefined || kind !== "operation") return [];
    return [{ method: known, path, operationId: null, tags: [], summary: null }];
  });
}

function keyOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`;
}
