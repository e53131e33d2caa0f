import { AppError } from "@waymark/shared/errors/app-error.ts";
import { JOURNEY_COVERAGE_LIMITS } from "@waymark/shared/journey-coverage/limits.ts";
import type {
  CoveredCriterion,
  CoveredOperation,
  JourneyCoverage,
} from "@waymark/shared/journey-coverage/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import type { DatabaseTransactionConnection } from "../../db/pool.ts";
import { bindSources } from "../../journeys/bindings.queries.ts";
import { findChunkLists, findEndpoints, readEndpoints } from "../../scans/content/queries.ts";
import { sumCurrentRuns } from "../../services/overview.queries.ts";
import {
  type BoundSource,
  coverOperations,
  joinPath,
  operationKey,
  type ScannedService,
  type SourceCalls,
} from "../cover-operations.ts";
import { listCriteria } from "../criteria.queries.ts";
import type { CoverageFilter } from "../current.queries.ts";
import { listBoundSources, listCalls } from "../operations.queries.ts";

/** The part of the coverage that an actor may read. Each permission counts for its own resource. */
export interface CoverageView {
  /** Null: all journeys. */
  journeyIds: readonly string[] | null;
  /** Null: all services. */
  serviceIds: readonly string[] | null;
  /** The actor reads the runs of one environment, and journeys only as far as they ran there. */
  onlyWhatRan: boolean;
}

/** The part of the coverage that is read. */
interface CoverageOf {
  service: Service | null;
  severity: string | null;
  view: CoverageView;
  /** Only for shares and counts: `operations` lacks services that nothing called, and there may be any number of endpoints. */
  onlyTotals: boolean;
}

/** All criteria and operations that count, in the order of their pages. */
export interface WholeCoverage {
  criteria: CoveredCriterion[];
  operations: CoveredOperation[];
  /** The endpoints of the current scans that the actor may read, also of services that no stored description belongs to. */
  endpointCount: number;
}

/** @throws AppError `validation_failed` for more endpoints than one answer may have */
export async function readCoverage(
  tx: DatabaseTransactionConnection,
  filter: CoverageFilter,
  { service, severity, view, onlyTotals }: CoverageOf,
): Promise<WholeCoverage> {
  const { organizationId, serviceId } = filter;
  await bindSources(tx, { organizationId, serviceId });
  const declared = await listCriteria(tx, filter);
  const criteria = view.onlyWhatRan ? declared.filter(({ verdict }) => verdict !== null) : declared;
  const bound = await listBoundSources(tx, { organizationId, serviceId });
  // An archived service is left out of all totals, unless somebody asks for it.
  const counts = (source: (typeof bound)[number]) =>
    (view.serviceIds === null || view.serviceIds.includes(source.serviceId)) &&
    (serviceId !== null || !source.isArchived);
  const sources = bound.filter(counts);
  const hidden = new Set(bound.filter((source) => !counts(source)).map(({ documentId }) => documentId));
  const calls = (await listCalls(tx, filter)).filter(({ sourceDocumentId }) => !hidden.has(sourceDocumentId));
  const named = service === null ? [] : [toScanned(service)];
  const scans = [...new Map([...named, ...sources.map(fromSource)].map((scan) => [scan.id, scan])).values()];
  const services = onlyTotals
    ? await readCalled(tx, { organizationId, scans, sources, calls })
    : await readInventories(tx, { organizationId, scans });
  // The first of several with one path: a document may have had the path of an archived one.
  const sourceIds = new Map(
    calls.toReversed().map(({ sourcePath, sourceDocumentId }) => [sourcePath, sourceDocumentId]),
  );
  const operations = coverOperations(services, sources, calls).map((operation) =>
    withoutUnreadable(operation, sourceIds, view),
  );
  return {
    criteria: inOrder(criteria.filter((criterion) => severity === null || criterion.severity === severity)),
    operations: inOrder(operations),
    endpointCount: await countEndpoints(tx, { organizationId, service, view }),
  };
}

/** A description that the caller may not read is not named. */
function withoutUnreadable(
  operation: CoveredOperation,
  sourceIds: ReadonlyMap<string, string>,
  { journeyIds }: CoverageView,
): CoveredOperation {
  if (journeyIds === null || operation.sourcePath === null) return operation;
  const sourceId = sourceIds.get(operation.sourcePath);
  const isReadable = sourceId !== undefined && journeyIds.includes(sourceId);
  return isReadable ? operation : { ...operation, sourcePath: null };
}

/** Counts the endpoints that are in no list: the count of one service is its own, because sums leave archived services out. */
async function countEndpoints(
  tx: DatabaseTransactionConnection,
  { organizationId, service, view }: Pick<CoverageOf, "service" | "view"> & { organizationId: string },
): Promise<number> {
  if (service !== null) return service.endpointCount ?? 0;
  return (await sumCurrentRuns(tx, { organizationId, serviceIds: view.serviceIds })).endpointCount;
}

function inOrder<Item extends CoveredCriterion | CoveredOperation>(items: readonly Item[]): Item[] {
  const placed = items.map((item) => ({ item, position: positionOf(item) }));
  return placed.toSorted((a, b) => (a.position < b.position ? -1 : 1)).map(({ item }) => item);
}

interface Scan {
  id: string;
  name: string;
  scanRunId: string | null;
  endpointCount: number;
}

function toScanned({ id, name, currentScanRunId, endpointCount }: Service): Scan {
  return { id, name, scanRunId: currentScanRunId, endpointCount: endpointCount ?? 0 };
}

function fromSource({
  serviceId,
  serviceName,
  scanRunId,
  endpointCount,
}: Awaited<ReturnType<typeof listBoundSources>>[number]): Scan {
  return { id: serviceId, name: serviceName, scanRunId, endpointCount };
}

/** The services with all of their endpoints. */
async function readInventories(
  tx: DatabaseTransactionConnection,
  { organizationId, scans }: { organizationId: string; scans: readonly Scan[] },
): Promise<ScannedService[]> {
  assertReadable(scans);
  const services: ScannedService[] = [];
  for (const { id, name, scanRunId } of scans)
    services.push({ id, name, endpoints: await readInventory(tx, { organizationId, scanRunId }) });
  return services;
}

/** The services with those of their endpoints that may have been called. */
async function readCalled(
  tx: DatabaseTransactionConnection,
  options: {
    organizationId: string;
    scans: readonly Scan[];
    sources: readonly BoundSource[];
    calls: readonly SourceCalls[];
  },
): Promise<ScannedService[]> {
  const { organizationId, scans, sources, calls } = options;
  const runs = new Map(scans.map(({ id, scanRunId }) => [id, scanRunId]));
  const bound = new Map(sources.map((source) => [source.documentId, source]));
  const wanted = calls.flatMap(({ sourceDocumentId, method, pathKey }) => {
    const source = bound.get(sourceDocumentId);
    const scanRunId = source === undefined ? undefined : runs.get(source.serviceId);
    if (source === undefined || scanRunId === undefined || scanRunId === null) return [];
    return [{ scanRunId, key: operationKey(method, joinPath(source.pathPrefix, pathKey)) }];
  });
  const found = Map.groupBy(
    await findEndpoints(tx, { organizationId, wanted }),
    ({ scanRunId }) => scanRunId,
  );
  return scans.map(({ id, name, scanRunId }) => ({ id, name, endpoints: found.get(scanRunId ?? "") ?? [] }));
}

function assertReadable(scans: readonly Scan[]): void {
  const count = scans.reduce((sum, { endpointCount }) => sum + endpointCount, 0);
  const { endpointsMax } = JOURNEY_COVERAGE_LIMITS;
  if (count <= endpointsMax) return;
  const message = `names one of ${scans.length} services: together they have ${count} endpoints, and one answer has at most ${endpointsMax}`;
  throw new AppError("validation_failed", `serviceId ${message}.`, {
    data: { details: [{ path: "serviceId", message }] },
  });
}

/** The endpoints of a service's current scan. */
export async function readInventory(
  tx: DatabaseTransactionConnection,
  { organizationId, scanRunId }: { organizationId: string; scanRunId: string | null },
): Promise<ScannedService["endpoints"]> {
  const lists = scanRunId === null ? null : await findChunkLists(tx, { organizationId, scanRunId });
  return lists === null ? [] : readEndpoints(tx, { organizationId, chunkIds: lists.endpoints });
}

/** Returns the position of an item, after which the next page begins. */
export function positionOf(item: CoveredCriterion | CoveredOperation): string {
  if ("id" in item) return `${item.journeyPath}\n${item.id}`;
  const { serviceName, serviceId, sourcePath, path, method } = item;
  return [serviceName ?? "\u{10FFFF}", serviceId ?? sourcePath, path, method].join("\n");
}

/** Returns the shares that are covered, proven and asserted. */
export function sharesOf({ criteria, operations, endpointCount }: WholeCoverage): JourneyCoverage["shares"] {
  const proven = (list: readonly CoveredCriterion[]) => ({
    covered: list.filter(({ state }) => state === "proven").length,
    total: list.length,
  });
  const inventory = operations.filter(({ state }) => state !== "notInInventory");
  const total = Math.max(endpointCount, inventory.length);
  const asserted = inventory.filter(({ state }) => state === "asserted").length;
  const called = inventory.filter(({ state }) => state === "called").length;
  return {
    acceptance: proven(criteria),
    must: proven(criteria.filter(({ severity }) => severity === "must")),
    operations: { covered: asserted + called, total },
    asserted: { covered: asserted, total },
  };
}
