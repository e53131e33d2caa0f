import { insertChangesOfMany } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { deleteDecisions, storeDecisions } from "@waymark/server/scans/finding-decisions/batch.queries.ts";
import * as operations from "@waymark/shared/scans/finding-decisions/operations.ts";
import type { FastifyRequest } from "fastify";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { Serve } from "../../lib/serve.ts";
import { authorizeServices, refuseCredentials, textsOf } from "../decidable-service.ts";
import { lastDayOf } from "./last-day.ts";

/** Registers the routes that decide about several findings at once, and revoke several decisions. */
export function registerDecisionBatchRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.createFindingDecisions, async (request, reply) => {
    const { organizationId, apiKeyId } = actorOf(request);
    const { kind, reason, findings, until: wanted = null } = request.body;
    refuseCredentials({ reason, ...textsOf(findings) });
    const created = await withOrganization(db, organizationId, async (tx) => {
      await authorizeServices(tx, request, "findings:decide", {
        serviceIds: findings.map(({ serviceId }) => serviceId),
        list: "findings",
      });
      const until = await lastDayOf(tx, { organizationId, until: wanted });
      const batch = { findings, kind, reason, until, createdByKeyId: apiKeyId };
      const { decisions, replacedCount } = await storeDecisions(tx, organizationId, batch);
      await recordAll(tx, request, {
        action: "finding_decision.created",
        all: decisions.map(({ decisionId, serviceId, code, finding, maxSeverity }) => ({
          decisionId,
          serviceId,
          kind,
          code,
          finding,
          maxSeverity,
          reason,
          until,
        })),
      });
      const named = decisions.map(({ decisionId, serviceId, code }) => ({ decisionId, serviceId, code }));
      return { decisions: named, replacedCount, until };
    });
    return reply.code(201).send(created);
  });

  serve(operations.deleteFindingDecisions, (request) => {
    const { organizationId } = actorOf(request);
    const { decisions } = request.body;
    return withOrganization(db, organizationId, async (tx) => {
      await authorizeServices(tx, request, "findings:decide", {
        serviceIds: decisions.map(({ serviceId }) => serviceId),
        list: "decisions",
      });
      const revoked = await deleteDecisions(tx, organizationId, decisions);
      await recordAll(tx, request, {
        action: "finding_decision.deleted",
        all: revoked.map(({ id, service_id: serviceId, kind, code }) => ({
          decisionId: id,
          serviceId,
          kind,
          code,
        })),
      });
      return { revokedCount: revoked.length };
    });
  });
}

/** Records each change as the routes for one decision do, so that the log of a finding is the same. */
function recordAll(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  change: {
    action: "finding_decision.created" | "finding_decision.deleted";
    all: readonly Parameters<typeof insertChangesOfMany>[1]["events"][number]["details"][];
  },
): Promise<void> {
  const { organizationId } = actorOf(request);
  const events = change.all.map((details) => ({ id: uuidv7(), details }));
  return insertChangesOfMany(tx, {
    organizationId,
    action: change.action,
    events,
    ...auditOriginOf(request),
  });
}
