import type { IdentifiedKey } from "@waymark/server/api-keys/check-key.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { listInvitations } from "@waymark/server/principals/invitations.queries.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import * as operations from "@waymark/shared/principals/invitations/operations.ts";
import type { FastifyRequest } from "fastify";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import { limitFailedAttempts } from "../../lib/limits/failed-attempts.ts";
import type { RequestLimits } from "../../lib/limits/request-limits.ts";
import type { PublicAddress } from "../../lib/public-address.ts";
import { recordSession } from "../../lib/record-session.ts";
import type { Serve } from "../../lib/serve.ts";
import type { Sessions } from "../../lib/sessions.ts";
import { acceptInvitation } from "./accept.ts";
import { inviteAs, withdrawInvitationAs } from "./invite.ts";

interface InvitationDependencies extends Pick<PublicAddress, "baseUrlOf"> {
  db: DatabasePool;
  sessions: Sessions;
  limits: RequestLimits;
  lifetimeDaysMax: number | undefined;
}

export function registerInvitationRoutes(serve: Serve, dependencies: InvitationDependencies): void {
  const { db, baseUrlOf } = dependencies;
  const by = (request: FastifyRequest) => ({ actor: actorOf(request), origin: auditOriginOf(request) });

  serve(operations.listInvitations, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    authorize(actor, "principals:read", {});
    const found = await withOrganization(db, organizationId, (tx) => listInvitations(tx, organizationId));
    return { invitations: [...found] };
  });

  serve(operations.createInvitation, async (request, reply) => {
    const wanted = { request: request.body, baseUrl: baseUrlOf(request) };
    const created = await inviteAs(db, { ...by(request), ...wanted });
    return reply.code(201).header("cache-control", "no-store").send(created);
  });

  serve(operations.deleteInvitation, async (request, reply) => {
    await withdrawInvitationAs(db, { ...by(request), ...request.params });
    return reply.code(204).send(null);
  });

  registerAcceptance(serve, dependencies);
}

function registerAcceptance(
  serve: Serve,
  { db, sessions, limits, lifetimeDaysMax }: InvitationDependencies,
): void {
  serve(
    operations.acceptInvitation,
    async (request, reply) => {
      const accepted = await acceptInvitation(db, {
        ...request.body,
        lifetimeDaysMax,
        address: request.ip,
        requestId: request.id,
      });
      const { userId, rawKey, apiKey } = accepted;
      const key: IdentifiedKey = { organizationId: accepted.organizationId, apiKeyId: apiKey.id };
      await recordSession(db, request, { key, action: "session.created" });
      await sessions.open(request, reply, key);
      return reply.code(201).header("cache-control", "no-store").send({
        userId,
        displayName: request.body.displayName,
        apiKeyId: apiKey.id,
        rawKey,
        warning: "Save the key now: it is your way to sign in, and it can't be shown again.",
      });
    },
    limitFailedAttempts(limits),
  );
}
