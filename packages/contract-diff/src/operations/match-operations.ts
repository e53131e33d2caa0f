import type { Operation } from "../read/operation.ts";

export interface MatchedOperations {
  pairs: { old: Operation; next: Operation; moved: boolean }[];
  removed: Operation[];
  added: Operation[];
}

/**
 * Matches operations by method and whole address, with the names of path parameters left out. What is left is matched without
 * the servers' paths: then only these have changed.
 */
export function matchOperations(olds: readonly Operation[], news: readonly Operation[]): MatchedOperations {
  const freeOld = new Set(olds);
  const freeNew = new Set(news);
  const pairs: MatchedOperations["pairs"] = [];
  for (const addressesOf of [exactAddresses, wholeAddresses, bareAddresses]) {
    const byAddress = new Map<string, Operation>();
    for (const next of freeNew)
      for (const address of addressesOf(next)) if (!byAddress.has(address)) byAddress.set(address, next);
    for (const old of freeOld) {
      const next = addressesOf(old)
        .map((address) => byAddress.get(address))
        .find((each) => each !== undefined && freeNew.has(each));
      if (next === undefined) continue;
      pairs.push({ old, next, moved: addressesOf === bareAddresses });
      freeOld.delete(old);
      freeNew.delete(next);
    }
  }
  return { pairs, removed: [...freeOld], added: [...freeNew] };
}

function exactAddresses(operation: Operation): string[] {
  return basePaths(operation).map((base) => `${operation.kind} ${operation.method} ${base}${operation.path}`);
}

function wholeAddresses(operation: Operation): string[] {
  return basePaths(operation).map(
    (base) => `${operation.kind} ${operation.method} ${base}${shapeOf(operation)}`,
  );
}

function bareAddresses(operation: Operation): string[] {
  return [`${operation.kind} ${operation.method} ${shapeOf(operation)}`];
}

function basePaths({ servers, kind }: Operation): readonly string[] {
  return kind === "operation" ? servers.basePaths : [""];
}

/** The path with `{}` for each parameter. */
export function shapeOf({ path, kind }: Operation): string {
  return kind === "operation" ? path.replaceAll(/\{[^{}]*\}/g, "{}") : path;
}
