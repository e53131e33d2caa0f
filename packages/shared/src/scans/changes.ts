import type { NormalizedEndpoint, NormalizedFinding, ScanChanges } from "./schema.ts";

export interface ScanContent {
  endpoints: readonly NormalizedEndpoint[];
  findings: readonly NormalizedFinding[];
}

type Changes = Pick<ScanChanges, "endpoints" | "findings">;

/**
 * What differs between two contents. An endpoint is known by its method and path, a finding by code, method, path
 * and message; what stands several times is matched in its order, so that a duplicate that went is seen as removed.
 */
export function compareScans(before: ScanContent, after: ScanContent): Changes {
  const endpoints = match(before.endpoints, after.endpoints, (e) => JSON.stringify([e.method, e.path]));
  const findings = match(before.findings, after.findings, (f) =>
    JSON.stringify([f.code, f.method, f.path, f.message]),
  );
  return {
    endpoints: {
      added: endpoints.added,
      removed: endpoints.removed,
      changed: endpoints.kept
        .filter(([old, now]) => JSON.stringify(detailsOf(old)) !== JSON.stringify(detailsOf(now)))
        .map(([old, now]) => ({ before: old, after: now })),
    },
    findings: {
      new: findings.added,
      fixed: findings.removed,
      severityChanged: findings.kept
        .filter(([old, now]) => old.severity !== now.severity)
        .map(([old, now]) => ({ before: old, after: now })),
    },
  };
}

function detailsOf({ operationId, tags, summary }: NormalizedEndpoint) {
  return [operationId, tags, summary];
}

function match<T>(before: readonly T[], after: readonly T[], keyOf: (item: T) => string) {
  const waiting = new Map<string, T[]>();
  for (const item of before) {
    const key = keyOf(item);
    const same = waiting.get(key);
    if (same === undefined) waiting.set(key, [item]);
    else same.push(item);
  }
  const added: T[] = [];
  const kept: [before: T, after: T][] = [];
  for (const item of after) {
    const old = waiting.get(keyOf(item))?.shift();
    if (old === undefined) added.push(item);
    else kept.push([old, item]);
  }
  return { added, kept, removed: [...waiting.values()].flat() };
}
