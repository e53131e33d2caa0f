import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { deleteSnooze, storeSnooze } from "@waymark/server/services/snoozes.queries.ts";
import { SNOOZE_LIMITS } from "@waymark/shared/services/snoozes/limits.ts";
import * as operations from "@waymark/shared/services/snoozes/operations.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { Serve } from "../../lib/serve.ts";
import { userOf } from "../../lib/user-of.ts";
import { visibleServices } from "../../lib/visible-services.ts";
import { validationError } from "../../lib/zod-routes.ts";

const LONGEST_MS = SNOOZE_LIMITS.daysMax * 24 * 3600 * 1000;

/** Registers the routes that snooze items of the overview. What a person snoozes is in no audit log: it hides nothing from anybody else. */
export function registerSnoozeRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.snoozeItem, (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { kind, subjectId } = request.params;
    const { event, level, until } = request.body;
    return withOrganization(db, organizationId, async (tx) => {
      await visibleServices(tx, actor, "services:read");
      assertSoon(until);
      const item = { kind, subjectId: subjectId.toLowerCase(), until };
      await storeSnooze(tx, { organizationId, userId: userOf(actor), event, level, ...item });
      return item;
    });
  });

  serve(operations.unsnoozeItem, async (request, reply) => {
    const actor = actorOf(request);
    const { organizationId, userId } = actor;
    await withOrganization(db, organizationId, async (tx) => {
      await visibleServices(tx, actor, "services:read");
      // Whoever is no user has snoozed nothing.
      if (userId !== undefined) await deleteSnooze(tx, { organizationId, userId, ...request.params });
    });
    return reply.code(204).send(null);
  });
}

/** @throws AppError `validation_failed` */
function assertSoon(until: string): void {
  const left = Date.parse(until) - Date.now();
  if (left > 0 && left <= LONGEST_MS) return;
  const message = `must be a time in the next ${SNOOZE_LIMITS.daysMax} days`;
  throw validationError([{ path: "until", message }]);
}
