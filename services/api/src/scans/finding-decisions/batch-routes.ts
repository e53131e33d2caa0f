import { insertChangesOfMany } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { deleteDecisions, storeDecisions } from "@waymark/server/scans/finding-decisions/batch.queries.ts";
import * as operations from "@waymark/shared/scans/finding-decisions/operations.ts";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { Serve } from "../../lib/serve.ts";
import { refuseCredentials } from "../../lib/refuse-credentials.ts";
import { authorizeServices, textsOf } from "../decidable-service.ts";
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
      await insertChangesOfMany(tx, {
        organizationId,
        action: "finding_decision.created",
        details: decisions.map(({ decisionId, serviceId, code, finding, maxSeverity }) => ({
          decisionId,
          serviceId,
          kind,
          code,
          finding,
          maxSeverity,
          reason,
          until,
        })),
        ...auditOriginOf(request),
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
      await insertChangesOfMany(tx, {
        organizationId,
        action: "finding_decision.deleted",
        details: revoked.map(({ id, service_id: serviceId, kind, code }) => ({
          decisionId: id,
          serviceId,
          kind,
          code,
        })),
        ...auditOriginOf(request),
      });
      return { revokedCount: revoked.length };
    });
  });
}
