import type { CoveredOperation } from "@waymark/shared/journey-coverage/schema.ts";

/** A scanned operation. */
interface InventoryEndpoint {
  method: string;
  path: string;
  operationId: string | null;
}

/** A service with its current inventory. */
export interface ScannedService {
  id: string;
  name: string;
  endpoints: readonly InventoryEndpoint[];
}

/** Where the operations of a description are in a service's inventory. */
export interface BoundSource {
  documentId: string;
  serviceId: string;
  /** The prefix that the description's paths have in the inventory. */
  pathPrefix: string;
}

/** The calls of all current journeys to an operation of a description. */
export interface SourceCalls {
  sourceDocumentId: string;
  sourcePath: string;
  method: string;
  path: string;
  /** The path with each parameter as `{}`. */
  pathKey: string;
  operationId: string | null;
  calls: number;
  statuses: readonly number[];
  calledAt: string;
  assertedAt: string | null;
  journeys: readonly { id: string; path: string }[];
}

const JOURNEYS_MAX = 20;

/**
 * Returns the endpoints of the inventories with the calls to each, and the called operations that no inventory has. A
 * call belongs to an endpoint if the method is equal and the whole path is, with the prefix of its binding and without
 * the names of parameters.
 */
export function coverOperations(
  services: readonly ScannedService[],
  sources: readonly BoundSource[],
  calls: readonly SourceCalls[],
): CoveredOperation[] {
  const bound = new Map(sources.map((source) => [source.documentId, source]));
  const names = new Map(services.map(({ id, name }) => [id, name]));
  const byEndpoint = Map.groupBy(calls, ({ sourceDocumentId, method, pathKey }) => {
    const source = bound.get(sourceDocumentId);
    return source === undefined
      ? `${sourceDocumentId} ${method} ${pathKey}`
      : endpointKey(source.serviceId, method, joinPath(source.pathPrefix, pathKey));
  });
  const covered = services.flatMap(({ id, name, endpoints }) =>
    endpoints.map(({ method, path, operationId }) => {
      const key = endpointKey(id, method, path);
      const own = byEndpoint.get(key) ?? [];
      byEndpoint.delete(key);
      const state = own.some(({ assertedAt }) => assertedAt !== null) ? "asserted" : "called";
      const place = { serviceId: id, serviceName: name, sourcePath: own[0]?.sourcePath ?? null };
      return {
        ...place,
        method,
        path,
        operationId,
        state: own.length === 0 ? ("uncalled" as const) : state,
        ...sumOf(own),
      } satisfies CoveredOperation;
    }),
  );
  const outside = [...byEndpoint.values()].flatMap((own): CoveredOperation[] => {
    const [first] = own;
    if (first === undefined) return [];
    const { sourceDocumentId, sourcePath, method, path, operationId } = first;
    const serviceId = bound.get(sourceDocumentId)?.serviceId ?? null;
    const serviceName = serviceId === null ? null : (names.get(serviceId) ?? null);
    const state = "notInInventory" as const;
    return [{ serviceId, serviceName, sourcePath, method, path, operationId, state, ...sumOf(own) }];
  });
  return [...covered, ...outside];
}

/** An operation of a service, comparable between descriptions. */
export function endpointKey(serviceId: string, method: string, path: string): string {
  return `${serviceId} ${operationKey(method, path)}`;
}

/** An operation, comparable between descriptions of one service. */
export function operationKey(method: string, path: string): string {
  return `${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`;
}

/** A description's path as the inventory has it. */
export function joinPath(prefix: string, path: string): string {
  return prefix === "" ? path : `${prefix.replace(/\/+$/, "")}${path}`;
}

function sumOf(
  own: readonly SourceCalls[],
): Pick<CoveredOperation, "calls" | "statuses" | "calledAt" | "assertedAt" | "journeyCount" | "journeys"> {
  const journeys = new Map(
    own.flatMap((one) => one.journeys.map((journey) => [journey.id, journey] as const)),
  );
  return {
    calls: own.reduce((sum, { calls }) => sum + calls, 0),
    statuses: [...new Set(own.flatMap(({ statuses }) => statuses))].toSorted((a, b) => a - b),
    calledAt: newest(own.map(({ calledAt }) => calledAt)),
    assertedAt: newest(own.map(({ assertedAt }) => assertedAt)),
    journeyCount: journeys.size,
    journeys: [...journeys.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)).slice(0, JOURNEYS_MAX),
  };
}

function newest(times: readonly (string | null)[]): string | null {
  return times.reduce(
    (latest, time) => (latest === null || (time !== null && time > latest) ? time : latest),
    null,
  );
}
