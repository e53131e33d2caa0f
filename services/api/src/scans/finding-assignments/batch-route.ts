import { insertChangesOfMany } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { distinctFindings } from "@waymark/server/scans/distinct-findings.ts";
import {
  deleteAssignments,
  storeAssignments,
} from "@waymark/server/scans/finding-assignments/batch.queries.ts";
import * as operations from "@waymark/shared/scans/finding-assignments/operations.ts";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { Serve } from "../../lib/serve.ts";
import { authorizeServices, refuseCredentials, textsOf } from "../decidable-service.ts";
import { assertRoom } from "./assert-room.ts";
import { findAssignee } from "./find-assignee.ts";

/** Registers the route that assigns several findings at once, or ends their assignments. */
export function registerAssignmentBatchRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.assignFindings, (request) => {
    const { organizationId, apiKeyId } = actorOf(request);
    const { findings: wanted, assignee } = request.body;
    refuseCredentials(textsOf(wanted));
    const findings = distinctFindings(wanted, (known) => known);
    const codes = new Map(findings.map((each) => [`${each.serviceId} ${each.fingerprint}`, each.code]));
    return withOrganization(db, organizationId, async (tx) => {
      const named = { serviceIds: wanted.map(({ serviceId }) => serviceId), list: "findings" };
      const services = await authorizeServices(tx, request, "findings:decide", named);
      const record = (action: "finding.assigned" | "finding.unassigned", details: readonly AuditDetails[]) =>
        insertChangesOfMany(tx, {
          organizationId,
          action,
          events: details.map((each) => ({ id: uuidv7(), details: each })),
          ...auditOriginOf(request),
        });
      if (assignee === null) {
        const ended = await deleteAssignments(tx, organizationId, findings);
        const details = ended.map(({ service_id: serviceId, fingerprint }) => ({ serviceId, fingerprint }));
        await record("finding.unassigned", details);
        return { changedCount: ended.length };
      }
      const serviceIds = [...services.keys()];
      const ids = await findAssignee(tx, request, { ...assignee, serviceIds, at: "assignee." });
      const batch = { ...ids, findings, assignedByKeyId: apiKeyId };
      const changed = await storeAssignments(tx, organizationId, batch);
      await assertRoom(tx, { organizationId, ...named });
      const to =
        "team" in assignee ? { teamId: ids.teamId, team: assignee.team } : { principalId: ids.principalId };
      const details = changed.map(({ service_id: serviceId, fingerprint }) => ({
        serviceId,
        fingerprint,
        code: codes.get(`${serviceId} ${fingerprint}`) ?? null,
        ...to,
      }));
      await record("finding.assigned", details);
      return { changedCount: changed.length };
    });
  });
}

type AuditDetails = Record<string, string | null>;
