import { insertChangesOfMany } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { distinctFindings } from "@waymark/server/scans/distinct-findings.ts";
import {
  deleteAssignments,
  storeAssignments,
} from "@waymark/server/scans/finding-assignments/batch.queries.ts";
import type { AssigneeIds } from "@waymark/server/scans/finding-assignments/queries.ts";
import * as operations from "@waymark/shared/scans/finding-assignments/operations.ts";
import type { AssignFindingsRequest } from "@waymark/shared/scans/finding-assignments/schema.ts";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { Serve } from "../../lib/serve.ts";
import { refuseCredentials } from "../../lib/refuse-credentials.ts";
import { authorizeServices, textsOf } from "../decidable-service.ts";
import { assertRoom } from "./assert-room.ts";
import { findAssignee, visibleTeam } from "./find-assignee.ts";

/** Registers the route that assigns several findings at once, or ends their assignments. */
export function registerAssignmentBatchRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.assignFindings, (request) => {
    const { organizationId, apiKeyId } = actorOf(request);
    const { findings: wanted, assignee, ifAssignee } = request.body;
    refuseCredentials(textsOf(wanted));
    const findings = distinctFindings(wanted, (known) => known);
    return withOrganization(db, organizationId, async (tx) => {
      const named = { serviceIds: wanted.map(({ serviceId }) => serviceId), list: "findings" };
      const services = await authorizeServices(tx, request, "findings:decide", named);
      const origin = { organizationId, ...auditOriginOf(request) };
      const expected = await expectedIds(tx, request, ifAssignee);
      const counts = (changed: readonly unknown[]) => ({
        changedCount: changed.length,
        unchangedCount: findings.length - changed.length,
      });
      if (assignee === null) {
        const ended = await deleteAssignments(tx, organizationId, { findings, expected });
        await insertChangesOfMany(tx, { ...origin, action: "finding.unassigned", details: ended });
        return counts(ended);
      }
      const ids = await findAssignee(tx, request, { ...assignee, services, at: "assignee." });
      const batch = { ...ids, findings, expected, assignedByKeyId: apiKeyId };
      const changed = await storeAssignments(tx, organizationId, batch);
      await assertRoom(tx, { organizationId, ...named });
      const to =
        "team" in assignee ? { teamId: ids.teamId, team: assignee.team } : { principalId: ids.principalId };
      const details = changed.map((each) => ({ ...each, ...to }));
      await insertChangesOfMany(tx, { ...origin, action: "finding.assigned", details });
      return counts(changed);
    });
  });
}

/** Returns the ids of the assignee that findings must have to be changed; null for any. A user may have lost the right to have them since. */
async function expectedIds(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  ifAssignee: AssigneeOfBatch,
): Promise<AssigneeIds | null> {
  if (ifAssignee === undefined) return null;
  if (ifAssignee === null) return { principalId: null, teamId: null };
  if ("principalId" in ifAssignee) return { principalId: ifAssignee.principalId, teamId: null };
  const { team } = ifAssignee;
  return { principalId: null, teamId: await visibleTeam(tx, request, { team, at: "ifAssignee." }) };
}

type AssigneeOfBatch = z.infer<typeof AssignFindingsRequest>["ifAssignee"];
