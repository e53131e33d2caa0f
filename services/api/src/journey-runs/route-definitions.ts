import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import type { DatabasePool, DatabaseTransactionConnection, PgPool } from "@waymark/server/db/pool.ts";
import type { KeyRing } from "@waymark/server/encryption/key-ring.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { findJourneyRun, type FoundJourneyRun } from "@waymark/server/journey-runs/queries.ts";
import type { Compiler } from "@waymark/server/journeys/compiler/compiler.ts";
import type { JourneyJob } from "@waymark/server/queue/journey-queue.ts";
import type { FastifyRequest } from "fastify";
import type { Waits } from "../lib/waits/waits.ts";
import type { ReportRenderer } from "./reports/report-renderer.ts";

// Definitions that the routes of this folder share.

export interface JourneyRunRouteDependencies {
  db: DatabasePool;
  pool: PgPool;
  waits: Waits;
  reports: ReportRenderer;
  compiler: Compiler;
  /** Undefined if none is configured: then there are no secrets. */
  keyRing: KeyRing | undefined;
  /** Wakes a worker up. Returns at once. */
  announce: (job: JourneyJob) => void;
  /** Returns the W3C `traceparent` of the request that is handled; undefined if it is not traced. */
  traceParent: () => string | undefined;
  baseUrlOf: (request: FastifyRequest) => string;
}

/** @throws AppError `permission_denied`, the same whether the run exists or not, or `not_found` */
export async function findAuthorizedRun(
  tx: DatabaseTransactionConnection,
  actor: Actor,
  { runId, permission }: { runId: string; permission: Permission },
): Promise<FoundJourneyRun> {
  const { organizationId } = actor;
  return authorizeRun(actor, permission, await findJourneyRun(tx, { organizationId, runId }));
}

/** @throws AppError as `findAuthorizedRun` */
export function authorizeRun(
  actor: Actor,
  permission: Permission,
  found: FoundJourneyRun | null,
): FoundJourneyRun {
  const resource =
    found === null ? {} : { workflowId: found.run.journeyId, environmentId: found.run.environmentId };
  authorize(actor, permission, resource);
  if (found === null) throw new AppError("not_found", "There is no run of a journey with this id.");
  return found;
}
