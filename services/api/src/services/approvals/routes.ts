import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import {
  approveChanges,
  endApproval,
  isOver,
  listApprovals,
  listServiceApprovals,
} from "@waymark/server/scans/approvals.queries.ts";
import { listUnknownChanges } from "@waymark/server/scans/comparisons/verdicts.queries.ts";
import { findScanRun } from "@waymark/server/scans/queries.ts";
import { withOwners } from "@waymark/server/services/owners.queries.ts";
import { findServiceNames, type ServiceNames } from "@waymark/server/services/visible.queries.ts";
import { denial } from "@waymark/shared/api-keys/authorize.ts";
import type { Permission } from "@waymark/shared/api-keys/schema.ts";
import { credentialIn } from "@waymark/shared/lib/find-credentials.ts";
import { ERROR_DETAILS_MAX } from "@waymark/shared/lib/error-details.ts";
import * as operations from "@waymark/shared/scans/approvals/operations.ts";
import type { FastifyRequest } from "fastify";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import { validationError } from "../../lib/zod-routes.ts";
import { namedServices } from "../../lib/named-services.ts";
import { accessedService, visibleServices } from "../../lib/visible-services.ts";
import { authorizedService } from "../authorized-service.ts";
import type { RequestOf, Serve } from "../../lib/serve.ts";

const CURSORS = listCursor(IdPosition, { list: "listChangeApprovals" });
const CURSORS_OF_ALL = listCursor(IdPosition, { list: "listAllChangeApprovals" });

interface ServiceRef {
  organizationId: string;
  serviceId: string;
}

/** Registers the routes that approve changes of a service, list the approvals, and end them. */
export function registerChangeApprovalRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  registerCreateRoute(serve, db);

  serve(operations.listChangeApprovals, (request) => {
    const { limit, cursor, state = null } = request.query;
    const cursors = CURSORS.below(request.params.serviceId);
    const afterId = cursors.read(cursor);
    return withOrganization(db, actorOf(request).organizationId, async (tx) => {
      const service = await authorizedRef(tx, request, "endpoints:read");
      const rows = await listApprovals(tx, { ...service, state, limit, afterId });
      const { page, nextCursor } = cursors.page(rows, limit, ({ id }) => id);
      return { approvals: [...page], nextCursor };
    });
  });

  serve(operations.listAllChangeApprovals, (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { limit, cursor, state = null } = request.query;
    const afterId = CURSORS_OF_ALL.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      const visible = await visibleServices(tx, actor, "endpoints:read", request.query);
      const serviceIds = await namedServices(tx, actor, { visible, ...request.query });
      const rows = await listServiceApprovals(tx, { organizationId, serviceIds, state, limit, afterId });
      const { page, nextCursor } = CURSORS_OF_ALL.page(rows, limit, ({ id }) => id);
      return { approvals: await withOwners(tx, { organizationId, rows: page }), nextCursor };
    });
  });

  serve(operations.deleteChangeApproval, async (request, reply) => {
    const { fingerprint } = request.params;
    await withOrganization(db, actorOf(request).organizationId, async (tx) => {
      const service = await authorizedRef(tx, request, "changes:approve");
      if (!(await endApproval(tx, { ...service, fingerprint }))) return;
      const details = { serviceId: service.serviceId, fingerprints: [fingerprint] };
      await record(tx, request, { action: "change_approval.deleted", details });
    });
    return reply.code(204).send(null);
  });
}

function registerCreateRoute(serve: Serve, db: DatabasePool): void {
  serve(operations.createChangeApprovals, async (request, reply) => {
    const { organizationId, apiKeyId } = actorOf(request);
    const { fingerprints, reason } = request.body;
    const { until = null, scanRunId = null } = request.body;
    // Everybody who may read the service sees it, and it stays in the audit log.
    if (credentialIn(reason) !== undefined)
      throw validationError([
        { path: "reason", message: "must not contain an API key, a token or a private key" },
      ]);
    const approvals = await withOrganization(db, organizationId, async (tx) => {
      const found = await authorizedNames(tx, request, "changes:approve");
      const service = { organizationId, serviceId: found.id };
      if (until !== null && (await isOver(tx, until)))
        throw validationError([{ path: "until", message: "must be today or a later day, in UTC" }]);
      if (scanRunId !== null) await assertChangesOf(tx, { ...service, scanRunId, fingerprints });
      const approval = { ...service, fingerprints, reason, until, scanRunId };
      const approved = await approveChanges(tx, { ...approval, createdByKeyId: apiKeyId });
      const details = { serviceId: service.serviceId, fingerprints, reason, until, scanRunId };
      await record(tx, request, { action: "change_approval.created", details });
      // A key that may approve and not read learns nothing about the description.
      const mayRead = denial(actorOf(request), ["endpoints:read"], accessedService(found)) === undefined;
      return mayRead ? approved : approved.map((each) => ({ ...each, change: null }));
    });
    return reply.code(201).send({ approvals });
  });
}

/** @throws AppError `validation_failed` if the run is not one of the service, or is compared and does not have all of the changes */
async function assertChangesOf(
  tx: DatabaseTransactionConnection,
  wanted: ServiceRef & { scanRunId: string; fingerprints: readonly string[] },
): Promise<void> {
  const run = await findScanRun(tx, wanted);
  if (run?.serviceId !== wanted.serviceId)
    throw validationError([{ path: "scanRunId", message: "is no scan run of this service" }]);
  const unknown = await listUnknownChanges(tx, wanted);
  if (unknown.length === 0) return;
  const details = wanted.fingerprints.flatMap((fingerprint, index) =>
    unknown.includes(fingerprint)
      ? [{ path: `fingerprints[${index}]`, message: "is no change of this scan run" }]
      : [],
  );
  throw validationError(details.slice(0, ERROR_DETAILS_MAX));
}

type ServiceRequest = RequestOf<
  typeof operations.listChangeApprovals | typeof operations.createChangeApprovals
>;

/** @throws AppError `permission_denied` or `not_found` */
async function authorizedRef(
  tx: DatabaseTransactionConnection,
  request: ServiceRequest,
  permission: Permission,
): Promise<ServiceRef> {
  const { id: serviceId } = await authorizedNames(tx, request, permission);
  return { organizationId: actorOf(request).organizationId, serviceId };
}

/** @throws AppError `permission_denied` or `not_found` */
async function authorizedNames(
  tx: DatabaseTransactionConnection,
  request: ServiceRequest,
  permission: Permission,
): Promise<ServiceNames> {
  const { organizationId } = actorOf(request);
  const found = await findServiceNames(tx, { organizationId, serviceId: request.params.serviceId });
  return authorizedService(request, found, permission);
}

function record(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  event: Pick<Parameters<typeof insertAuditEvent>[1], "details"> & {
    action: "change_approval.created" | "change_approval.deleted";
  },
): Promise<void> {
  const { organizationId } = actorOf(request);
  return insertAuditEvent(tx, {
    id: uuidv7(),
    organizationId,
    apiKeyId: null,
    ...event,
    ...auditOriginOf(request),
  });
}
