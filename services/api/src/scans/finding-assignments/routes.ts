import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import {
  deleteAssignment,
  listAssignments,
  storeAssignment,
} from "@waymark/server/scans/finding-assignments/queries.ts";
import * as operations from "@waymark/shared/scans/finding-assignments/operations.ts";
import type { FindingAssignee } from "@waymark/shared/scans/finding-assignments/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { Serve } from "../../lib/serve.ts";
import { narrowServices, visibleServices } from "../../lib/visible-services.ts";
import { refuseCredentials } from "../../lib/refuse-credentials.ts";
import { authorizeService } from "../decidable-service.ts";
import { wantedAssignee } from "../wanted-assignee.ts";
import { assertRoom } from "./assert-room.ts";
import { registerAssignmentBatchRoute } from "./batch-route.ts";
import { findAssignee } from "./find-assignee.ts";

const CURSORS = listCursor(IdPosition, { list: "listFindingAssignments" });

/** Registers the routes that list, set and end assignments of findings. */
export function registerFindingAssignmentRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  registerAssignmentBatchRoute(serve, { db });

  serve(operations.listFindingAssignments, (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { serviceId, fingerprint = null, assignee, limit, cursor } = request.query;
    const afterId = CURSORS.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      const visible = await visibleServices(tx, actor, "endpoints:read");
      const rows = await listAssignments(tx, {
        organizationId,
        serviceIds: narrowServices(visible, serviceId),
        fingerprint,
        assignee: wantedAssignee(actor, assignee),
        limit,
        afterId,
      });
      const { page, nextCursor } = CURSORS.page(rows, limit, ({ id }) => id);
      return { assignments: page.map(({ assignment }) => assignment), nextCursor };
    });
  });

  serve(operations.assignFinding, (request) => {
    const { organizationId, apiKeyId } = actorOf(request);
    const finding = { ...request.body.finding, code: request.body.code };
    const { code, path, message } = finding;
    refuseCredentials({ code, "finding.path": path, "finding.message": message });
    return withOrganization(db, organizationId, async (tx) => {
      const service = await authorizeService(tx, request, "findings:decide", request.body);
      const assignee = await findAssignee(tx, request, { ...request.body, services: [service] });
      const serviceId = service.id;
      const assigned = await storeAssignment(
        tx,
        { organizationId, serviceId, finding },
        { ...assignee, assignedByKeyId: apiKeyId },
      );
      await assertRoom(tx, { organizationId, serviceIds: [serviceId] });
      const { fingerprint } = assigned;
      await insertAuditEvent(tx, {
        id: uuidv7(),
        organizationId,
        apiKeyId: null,
        action: "finding.assigned",
        details: { serviceId, fingerprint, code, ...idsOf(assigned.assignee) },
        ...auditOriginOf(request),
      });
      return assigned;
    });
  });

  serve(operations.unassignFinding, async (request, reply) => {
    const { organizationId } = actorOf(request);
    const { fingerprint } = request.query;
    await withOrganization(db, organizationId, async (tx) => {
      const { id: serviceId } = await authorizeService(tx, request, "findings:decide", request.query);
      if (!(await deleteAssignment(tx, { organizationId, serviceId, fingerprint }))) return;
      await insertAuditEvent(tx, {
        id: uuidv7(),
        organizationId,
        apiKeyId: null,
        action: "finding.unassigned",
        details: { serviceId, fingerprint },
        ...auditOriginOf(request),
      });
    });
    return reply.code(204).send(null);
  });
}

/** Names a user by the id only: the name may change. */
function idsOf({ type, id, slug }: FindingAssignee) {
  return type === "user" ? { principalId: id } : { teamId: id, team: slug };
}
