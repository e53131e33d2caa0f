import { DatabaseError, type Pool } from "pg";
import { z } from "zod";

const ScanTargetRow = z.object({
  service_id: z.string().nullable(),
  replayed_run_id: z.string().nullable(),
  replayed_body_hash: z.instanceof(Buffer).nullable(),
  replayed_service_id: z.string().nullable(),
  replayed_service_created: z.boolean().nullable(),
  replayed_created_at: z.date().nullable(),
});

/** What a scan meets: the service it names, and the first answer given to its Idempotency-Key. */
export interface ScanTarget {
  /** Null when the organization has no service of that name yet. */
  serviceId: string | null;
  replay: {
    scanRunId: string;
    serviceId: string;
    bodyHash: Buffer;
    serviceCreated: boolean;
    createdAt: Date;
  } | null;
}

/** Looks up the service by name and the idempotency key, both in one round trip. */
export async function findScanTarget(
  pool: Pool,
  options: { organizationId: string; serviceName: string; idempotencyKey: string | null },
): Promise<ScanTarget> {
  const { rows } = await pool.query({
    name: "find_scan_target",
    text: "SELECT * FROM find_scan_target($1, $2, $3)",
    values: [options.organizationId, options.serviceName, options.idempotencyKey],
  });
  const row = ScanTargetRow.parse(rows[0]);
  const replay =
    row.replayed_run_id === null ||
    row.replayed_service_id === null ||
    row.replayed_body_hash === null ||
    row.replayed_created_at === null
      ? null
      : {
          scanRunId: row.replayed_run_id,
          serviceId: row.replayed_service_id,
          bodyHash: row.replayed_body_hash,
          serviceCreated: row.replayed_service_created === true,
          createdAt: row.replayed_created_at,
        };
  return { serviceId: row.service_id, replay };
}

export interface NewScanRun {
  organizationId: string;
  scanRunId: string;
  serviceId: string;
  serviceName: string;
  serviceIsNew: boolean;
  spec: { hash: string; format: string; version?: string | undefined; title?: string | undefined };
  endpointCount: number;
  findingCount: number;
  promote: boolean;
  scannedAt: Date | null;
  createdByKeyId: string;
  body: Buffer;
  bodyEncoding: "zstd" | "identity";
  /** Size of the decoded body. */
  bodyBytes: number;
  idempotencyKey: string | null;
  /** SHA-256 of the decoded body. */
  bodyHash: Buffer;
}

export type AcceptOutcome =
  | { outcome: "accepted"; createdAt: Date }
  /** The idempotency key is taken by now: look the target up again. */
  | { outcome: "key_taken" }
  /** The service exists by now: look the target up again. */
  | { outcome: "service_exists" }
  /** An identical request holds the idempotency key and has not ended within 2 seconds. */
  | { outcome: "in_progress" };

const SERVICE_EXISTS = "WM001";
const LOCK_NOT_AVAILABLE = "55P03";

/** Stores run, payload and idempotency key, and the service when it is new, in ONE statement and its commit. */
export async function acceptScanRun(pool: Pool, run: NewScanRun): Promise<AcceptOutcome> {
  try {
    const { rows } = await pool.query<{ created_at: Date }>({
      name: "accept_scan_run",
      text: `SELECT created_at FROM accept_scan_run(
        $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
      values: [
        run.organizationId,
        run.scanRunId,
        run.serviceId,
        run.serviceName,
        run.serviceIsNew,
        run.spec.hash,
        run.spec.format,
        run.spec.version,
        run.spec.title,
        run.endpointCount,
        run.findingCount,
        run.promote,
        run.scannedAt,
        run.createdByKeyId,
        run.body,
        run.bodyEncoding,
        run.bodyBytes,
        run.idempotencyKey,
        run.bodyHash,
      ],
    });
    const row = rows[0];
    return row === undefined ? { outcome: "key_taken" } : { outcome: "accepted", createdAt: row.created_at };
  } catch (error) {
    if (error instanceof DatabaseError && error.code === SERVICE_EXISTS) return { outcome: "service_exists" };
    if (error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE)
      return { outcome: "in_progress" };
    throw error;
  }
}
