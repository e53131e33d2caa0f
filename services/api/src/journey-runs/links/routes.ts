import { findApiKey } from "@waymark/server/api-keys/queries.ts";
import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { generateLinkToken } from "@waymark/server/journey-runs/links/link-token.ts";
import { deleteRunLink, insertRunLink, listRunLinks } from "@waymark/server/journey-runs/links/queries.ts";
import type { FoundJourneyRun } from "@waymark/server/journey-runs/queries.ts";
import { sharesJourneyRuns } from "@waymark/server/organizations/queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { SHARED_RUN_PAGE } from "@waymark/shared/console/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import * as operations from "@waymark/shared/journey-runs/links/operations.ts";
import type { JourneyRunLink } from "@waymark/shared/journey-runs/links/schema.ts";
import type { FastifyRequest } from "fastify";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import { limitFailedAttempts } from "../../lib/limits/failed-attempts.ts";
import type { RequestLimits } from "../../lib/limits/request-limits.ts";
import { refuseCredentials } from "../../lib/refuse-credentials.ts";
import type { Serve } from "../../lib/serve.ts";
import { findAuthorizedRun } from "../route-definitions.ts";
import { openLink, TO_SHARE } from "./open-link.ts";

interface LinkRouteDependencies {
  db: DatabasePool;
  limits: RequestLimits;
  baseUrlOf: (request: FastifyRequest) => string;
}

/** Registers the routes that list, make, end and open links to runs. */
export function registerJourneyRunLinkRoutes(serve: Serve, dependencies: LinkRouteDependencies): void {
  const { db, limits } = dependencies;
  serve(operations.listJourneyRunLinks, (request) => {
    const reader = actorOf(request);
    const { organizationId } = reader;
    const { runId } = request.params;
    return withOrganization(db, organizationId, async (tx) => {
      const { run } = await findAuthorizedRun(tx, reader, { runId, permission: "journeys:read" });
      return { links: await listRunLinks(tx, { organizationId, runId: run.id }, { reader }) };
    });
  });

  registerCreateRoute(serve, dependencies);
  registerDeleteRoute(serve, dependencies);

  serve(
    operations.openJourneyRunLink,
    async (request, reply) => {
      const { token, after } = request.body;
      const opened = await openLink(db, {
        token,
        after,
        // As a key's requests, and not as the organization's, which a stranger must not use up.
        count: ({ organizationId, linkId }) =>
          limits.countRequest("revocation", { organizationId, apiKeyId: linkId, isOfFleet: false }, reply),
      });
      return reply.header("cache-control", "no-store").send(opened);
    },
    limitFailedAttempts(limits, "links"),
  );
}

function registerCreateRoute(serve: Serve, { db, baseUrlOf }: LinkRouteDependencies): void {
  serve(operations.createJourneyRunLink, async (request, reply) => {
    const actor = actorOf(request);
    const { organizationId, apiKeyId } = actor;
    const { hours, includes, note = null } = request.body;
    refuseCredentials({ note });
    const { token, tokenHash } = generateLinkToken();
    const created = await withOrganization(db, organizationId, async (tx) => {
      const { run, keyExpiresAt } = await runToShare(tx, request);
      const id = uuidv7();
      const link = { id, tokenHash, includes, note, hours, createdByKeyId: apiKeyId, keyExpiresAt };
      await insertRunLink(tx, { organizationId, runId: run.id }, link);
      const stored = await findLink(tx, request, { runId: run.id, linkId: id });
      const { expiresAt } = stored;
      const details = { linkId: id, runId: run.id, includes, expiresAt };
      await record(tx, request, { action: "journey_run_link.created", details });
      return stored;
    });
    const url = `${baseUrlOf(request)}${SHARED_RUN_PAGE}#${token}`;
    return reply
      .code(201)
      .header("cache-control", "no-store")
      .send({ ...created, url });
  });
}

function registerDeleteRoute(serve: Serve, { db }: LinkRouteDependencies): void {
  serve(operations.deleteJourneyRunLink, async (request, reply) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const { runId, linkId } = request.params;
    await withOrganization(db, organizationId, async (tx) => {
      const { run } = await findAuthorizedRun(tx, actor, { runId, permission: "journeys:share" });
      const { id, isOwn, openCount } = await findLink(tx, request, { runId: run.id, linkId });
      const resource = { workflowId: run.journeyId, environmentId: run.environmentId };
      if (!isOwn) authorize(actor, "principals:manage", resource);
      await deleteRunLink(tx, { organizationId, linkId: id });
      const details = { linkId: id, runId: run.id, openCount };
      await record(tx, request, { action: "journey_run_link.ended", details });
    });
    return reply.code(204).send(null);
  });
}

/**
 * Finds a run that the caller may share, and when the caller's key expires.
 *
 * @throws AppError `permission_denied`, `not_found`, `sharing_disabled` or `run_not_completed`
 */
async function runToShare(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest<{ Params: { runId: string } }>,
): Promise<{ run: FoundJourneyRun["run"]; keyExpiresAt: string | null }> {
  const actor = actorOf(request);
  const { organizationId, apiKeyId } = actor;
  const { runId } = request.params;
  await findAuthorizedRun(tx, actor, { runId, permission: TO_SHARE[0] });
  const { run } = await findAuthorizedRun(tx, actor, { runId, permission: TO_SHARE[1] });
  if (!(await sharesJourneyRuns(tx, organizationId)))
    throw new AppError("sharing_disabled", "Your organization does not share runs by links.");
  const key = await findApiKey(tx, { organizationId, apiKeyId });
  if (key?.allowedNetworks !== null)
    throw new AppError(
      "permission_denied",
      "This API key is limited to networks, and a link is not: use a key without allowedNetworks.",
    );
  if (run.endedAt === null)
    throw new AppError("run_not_completed", "The run has not ended yet. Share it when it has.", {
      data: { retryAfterSeconds: 5 },
    });
  return { run, keyExpiresAt: key.expiresAt };
}

/** @throws AppError `not_found` */
async function findLink(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  { runId, linkId }: { runId: string; linkId: string },
): Promise<JourneyRunLink> {
  const reader = actorOf(request);
  const { organizationId } = reader;
  const [link] = await listRunLinks(tx, { organizationId, runId }, { reader, id: linkId });
  if (link === undefined) throw new AppError("not_found", "There is no link with this id to this run.");
  return link;
}

function record(
  tx: DatabaseTransactionConnection,
  request: FastifyRequest,
  event: {
    action: "journey_run_link.created" | "journey_run_link.ended";
    details: Record<string, string | number>;
  },
): Promise<void> {
  return insertAuditEvent(tx, {
    id: uuidv7(),
    organizationId: actorOf(request).organizationId,
    apiKeyId: null,
    ...event,
    ...auditOriginOf(request),
  });
}
