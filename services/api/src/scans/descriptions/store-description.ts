import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { ERROR_DETAILS_MAX } from "@waymark/shared/lib/error-details.ts";
import type { CountedScan } from "@waymark/server/scans/accept/usage.queries.ts";
import { listEndpoints } from "@waymark/server/scans/content/queries.ts";
import { compareOperations, operationsHash } from "@waymark/server/scans/descriptions/operations-hash.ts";
import {
  countDescriptionBytes,
  findOperationsHash,
  findScanDescription,
  linkDescription,
  storeDescription,
} from "@waymark/server/scans/descriptions/queries.ts";
import type { ScanDescription } from "@waymark/shared/scans/descriptions/schema.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import type { ReadText } from "./read-text.ts";

/** A completed run, and the key that says what it was scanned from. */
interface Target {
  organizationId: string;
  run: ScanRun;
  apiKeyId: string;
}

export interface StoredDescription {
  description: ScanDescription;
  /** False if the run had this description before. */
  isNew: boolean;
  /** The usage of the organization, which the transaction does not read. */
  usage?: null;
}

/**
 * Stores a text as the description of a run.
 *
 * @throws AppError `description_mismatch` if its operations are not the run's endpoints, `description_conflict` if the run has another one
 * @throws UsageLimitExceeded
 */
export function storeText(
  db: DatabasePool,
  { text, counted, ...target }: Target & { text: ReadText; counted: CountedScan | null },
): Promise<StoredDescription> {
  const { organizationId } = target;
  const { operations, hash } = text;
  return withOrganization(db, organizationId, async (tx) => {
    const known = await findScanDescription(tx, { organizationId, scanRunId: target.run.id });
    if (known?.hash === hash) return { description: known, isNew: false };
    if (known !== null) throw conflict(target.run);
    assertSame(operations, await endpointsOf(tx, target));
    const description = { ...text, operationsHash: operationsHash(operations) };
    await storeDescription(tx, { organizationId, description });
    const stored = await link(tx, { ...target, hash });
    if (counted !== null && stored.isNew) await countDescriptionBytes(tx, { organizationId, ...counted });
    return stored;
  });
}

/**
 * Makes a description that another run of its service has the one of this run, too. A description that only other services have is unknown:
 * whoever knows its hash has not shown that he may read it.
 *
 * @throws AppError `description_unknown` if the text is needed, `description_conflict` if the run has another one
 */
export function linkKnown(
  db: DatabasePool,
  { hash, ...target }: Target & { hash: string },
): Promise<StoredDescription> {
  const { organizationId, run } = target;
  return withOrganization(db, organizationId, async (tx) => {
    const found = await findOperationsHash(tx, { organizationId, serviceId: run.serviceId, hash });
    const isOfRun = found !== null && found === operationsHash(await endpointsOf(tx, target));
    if (isOfRun) return link(tx, { ...target, hash });
    throw new AppError(
      "description_unknown",
      "No run of this service has a description with this hash and the operations of this run. Send the text.",
    );
  });
}

async function link(
  tx: DatabaseTransactionConnection,
  { organizationId, run, apiKeyId, hash }: Target & { hash: string },
): Promise<StoredDescription> {
  const scanRunId = run.id;
  const outcome = await linkDescription(tx, { organizationId, scanRunId, hash, createdByKeyId: apiKeyId });
  if (outcome === "other") throw conflict(run);
  const description = await findScanDescription(tx, { organizationId, scanRunId });
  if (description === null) throw new AppError("not_found", "The scan run was deleted meanwhile.");
  return { description, isNew: outcome === "created" };
}

function conflict({ id }: ScanRun): AppError {
  return new AppError(
    "description_conflict",
    `The scan run ${id} has another description. A description is never replaced: scan again.`,
  );
}

async function endpointsOf(tx: DatabaseTransactionConnection, { organizationId, run }: Target) {
  const page = { organizationId, scanRunId: run.id, limit: SCAN_LIMITS.endpointsMax, after: null };
  return (await listEndpoints(tx, page)).map(({ endpoint }) => endpoint);
}

/** @throws AppError `description_mismatch` with up to 20 differences */
function assertSame(
  operations: Parameters<typeof compareOperations>[0],
  endpoints: Parameters<typeof compareOperations>[1],
): void {
  const { notScanned, notDescribed } = compareOperations(operations, endpoints);
  if (notScanned.length + notDescribed.length === 0) return;
  const details = [
    ...notScanned.map((path) => ({ path, message: "is in the description and not in the scan run" })),
    ...notDescribed.map((path) => ({ path, message: "is in the scan run and not in the description" })),
  ];
  throw new AppError(
    "description_mismatch",
    `The operations of the description are not the endpoints of the scan run: ${notScanned.length} of the description are not in the run, ` +
      `and ${notDescribed.length} of the run are not in the description. Send the description that was scanned.`,
    { data: { details: details.slice(0, ERROR_DETAILS_MAX) } },
  );
}
