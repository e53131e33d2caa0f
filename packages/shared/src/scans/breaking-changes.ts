import type { NormalizedEndpoint, ScanChanges } from "./schema.ts";

type EndpointChanges = ScanChanges["endpoints"];

export interface EndpointPair {
  before: NormalizedEndpoint;
  after: NormalizedEndpoint;
}

/** The changes of endpoints that break existing clients. */
export interface BreakingChanges {
  removed: NormalizedEndpoint[];
  /** With another operationId or none. */
  renamed: EndpointPair[];
}

/**
 * A removed endpoint breaks all of its clients, and a changed operationId breaks generated clients. Renaming a path parameter
 * breaks none, because its name is in no request.
 */
export function breakingChanges(endpoints: EndpointChanges): BreakingChanges {
  const { removed, changed, parametersRenamed } = separateRenamedParameters(endpoints);
  return { removed, renamed: [...changed, ...parametersRenamed].filter(breaksGeneratedClients) };
}

export function breaksGeneratedClients({ before, after }: EndpointPair): boolean {
  return before.operationId !== null && before.operationId !== after.operationId;
}

/** Takes the endpoints in whose paths only parameters have other names out of those that were removed and added. */
export function separateRenamedParameters({
  added,
  removed,
  changed,
}: EndpointChanges): EndpointChanges & { parametersRenamed: EndpointPair[] } {
  const addedByShape = new Map<string, NormalizedEndpoint[]>();
  for (const item of added) {
    const same = addedByShape.get(shapeOf(item));
    if (same === undefined) addedByShape.set(shapeOf(item), [item]);
    else same.push(item);
  }
  const pairs = removed.map((before) => {
    const same = addedByShape.get(shapeOf(before)) ?? [];
    // The last one of a shape serves the requests of all that are left.
    return { before, after: same.length > 1 ? same.shift() : same[0] };
  });
  const parametersRenamed = pairs.filter((pair): pair is EndpointPair => pair.after !== undefined);
  const paired = new Set(parametersRenamed.map(({ after }) => after));
  return {
    added: added.filter((item) => !paired.has(item)),
    removed: pairs.filter(({ after }) => after === undefined).map(({ before }) => before),
    changed,
    parametersRenamed,
  };
}

/** The changes with renamed path parameters as changes of an endpoint, and not as a removal and an addition. */
export function joinRenamedParameters(endpoints: EndpointChanges): EndpointChanges {
  const { added, removed, changed, parametersRenamed } = separateRenamedParameters(endpoints);
  return { added, removed, changed: [...changed, ...parametersRenamed] };
}

/** The overview counts removed endpoints by the same shape, in describe_last_change. */
function shapeOf({ method, path }: NormalizedEndpoint): string {
  return `${method} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`;
}
