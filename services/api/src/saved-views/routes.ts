import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import { listSavedViews } from "@waymark/server/saved-views/queries.ts";
import * as operations from "@waymark/shared/saved-views/operations.ts";
import type { FastifyRequest } from "fastify";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";
import { userOf } from "../lib/user-of.ts";
import { visibleServices } from "../lib/visible-services.ts";
import {
  createSavedViewAs,
  deleteSavedViewAs,
  shown,
  teamWithViews,
  updateSavedViewAs,
} from "./change-views.ts";

const CURSORS = listCursor(IdPosition, { list: "listSavedViews" });

/** Registers the routes of saved views. */
export function registerSavedViewRoutes(serve: Serve, { db }: { db: DatabasePool }): void {
  const by = (request: FastifyRequest) => ({ actor: actorOf(request), origin: auditOriginOf(request) });

  serve(operations.listSavedViews, (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { page, teamId, limit, cursor } = request.query;
    const afterId = CURSORS.read(cursor);
    return withOrganization(db, organizationId, async (tx) => {
      await visibleServices(tx, actor, "services:read");
      const of =
        teamId === undefined ? { userId: userOf(actor) } : { teamId: await teamWithViews(tx, actor, teamId) };
      const rows = await listSavedViews(tx, { organizationId, page: page ?? null, limit, afterId }, of);
      const { page: found, nextCursor } = CURSORS.page(rows, limit, ({ id }) => id);
      return { savedViews: found.map(shown), nextCursor };
    });
  });

  serve(operations.createSavedView, async (request, reply) => {
    const view = await createSavedViewAs(db, { ...by(request), request: request.body });
    return reply.code(201).header("etag", `"${view.revision}"`).send(view);
  });

  serve(operations.updateSavedView, async (request, reply) => {
    const revision = Number(request.headers["if-match"].slice(1, -1));
    const change = { ...by(request), ...request.params, revision, request: request.body };
    const view = await updateSavedViewAs(db, change);
    return reply.header("etag", `"${view.revision}"`).send(view);
  });

  serve(operations.deleteSavedView, async (request, reply) => {
    await deleteSavedViewAs(db, { ...by(request), ...request.params });
    return reply.code(204).send(null);
  });
}
