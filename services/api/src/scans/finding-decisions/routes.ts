import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import {
  deleteDecision,
  findServiceOfDecision,
  listDecisions,
  storeDecision,
} from "@waymark/server/scans/finding-decisions/queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import * as operations from "@waymark/shared/scans/finding-decisions/operations.ts";
import type { FastifyRequest } from "fastify";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import { namedServices } from "../../lib/named-services.ts";
import type { Serve } from "../../lib/serve.ts";
import { visibleServices } from "../../lib/visible-services.ts";
import { refuseCredentials } from "../../lib/refuse-credentials.ts";
import { authorizeService } from "../decidable-service.ts";
import { registerDecisionBatchRoutes } from "./batch-routes.ts";
import { lastDayOf } from "./last-day.ts";

const CURSORS = listCursor(IdPosition, { list: "listFindingDecisions" });

/** Registers the routes that decide about findings, list the decisions, and revoke them. */
export function registerFindingDecisionRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  registerCreateRoute(serve, db);
  registerDecisionBatchRoutes(serve, { db });

  serve(operations.listFindingDecisions, (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { limit, cursor, state = null, code = null } = request.query;
    const afterId = CURSORS.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      const visible = await visibleServices(tx, actor, "endpoints:read", request.query);
      const serviceIds = await namedServices(tx, actor, { visible, ...request.query });
      const rows = await listDecisions(tx, { organizationId, serviceIds, state, code, limit, afterId });
      const { page, nextCursor } = CURSORS.page(rows, limit, ({ id }) => id);
      return { decisions: [...page], nextCursor };
    });
  });

  serve(operations.deleteFindingDecision, async (request, reply) => {
    const { organizationId } = actorOf(request);
    const { decisionId } = request.params;
    await withOrganization(db, organizationId, async (tx) => {
      const serviceId = await findServiceOfDecision(tx, { organizationId, decisionId });
      await authorizeTarget(tx, request, serviceId);
      const revoked = await deleteDecision(tx, { organizationId, decisionId });
      if (revoked === null) throw new AppError("not_found", "There is no decision with this id.");
      const { kind, code } = revoked;
      const details = { decisionId, serviceId: serviceId ?? null, kind, code };
      await record(tx, request, { action: "finding_decision.deleted", details });
    });
    return reply.code(204).send(null);
  });
}

function registerCreateRoute(serve: Serve, db: DatabasePool): void {
  serve(operations.createFindingDecision, async (request, reply) => {
    const { organizationId, apiKeyId } = actorOf(request);
    const { kind, code, reason } = request.body;
    const { finding = null, maxSeverity = null } = request.body;
    refuseCredentials({ reason, code, "finding.path": finding?.path, "finding.message": finding?.message });
    const decided = await withOrganization(db, organizationId, async (tx) => {
      const serviceId = request.body.serviceId?.toLowerCase() ?? null;
      await authorizeTarget(tx, request, serviceId);
      const until = await lastDayOf(tx, { organizationId, until: request.body.until ?? null });
      const target = { organizationId, serviceId, code, finding };
      const decision = await storeDecision(
        tx,
        { ...target, kind, maxSeverity, reason, until, createdByKeyId: apiKeyId },
        { countedIn: await readableServices(tx, request) },
      );
      const details = {
        decisionId: decision.id,
        serviceId,
        kind,
        code,
        finding,
        maxSeverity: decision.maxSeverity,
        reason,
        until: decision.until,
      };
      await record(tx, request, { action: "finding_decision.created", details });
      return decision;
    });
    return reply.code(201).send(decided);
  });
}

/**
 * Checks that the key may decide for a service, or for every service if that is null.
 *
 * @param serviceId undefined for a decision that does not exist
 * @throws AppError `permission_denied` or `not_found`
 */
async function authorizeTarget(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  serviceId: string | null | undefined,
): Promise<void> {
  const actor = actorOf(request);
  if (serviceId === null) return authorize(actor, "findings:decide", { resourceType: "service" });
  const what = serviceId === undefined ? "decision" : "service";
  await authorizeService(tx, request, "findings:decide", { serviceId, what });
}

/** Returns the ids of the services whose findings the key may read: none if it lacks the permission. */
async function readableServices(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
): Promise<readonly string[] | null> {
  try {
    return await visibleServices(tx, actorOf(request), "endpoints:read");
  } catch (error) {
    if (error instanceof AppError && error.code === "permission_denied") return [];
    throw error;
  }
}

function record(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  event: Pick<Parameters<typeof insertAuditEvent>[1], "details"> & {
    action: "finding_decision.created" | "finding_decision.deleted";
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
