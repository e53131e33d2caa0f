import {
  findTrustPolicy,
  listTrustPolicies,
  type StoredTrustPolicy,
} from "@waymark/server/api-keys/trust-policies/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { IdPosition, listCursor } from "@waymark/server/lib/cursor.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import * as operations from "@waymark/shared/api-keys/trust-policies/operations.ts";
import type { TrustPolicy } from "@waymark/shared/api-keys/trust-policies/schema.ts";
import { pathOf } from "@waymark/shared/operations/request.ts";
import type { FastifyRequest } from "fastify";
import { auditOriginOf } from "../../lib/audit-origin.ts";
import { actorOf } from "../../lib/authenticate.ts";
import type { PublicAddress } from "../../lib/public-address.ts";
import type { Serve } from "../../lib/serve.ts";
import { createTrustPolicyAs, deleteTrustPolicyAs, existing, replaceTrustPolicyAs } from "./change-policy.ts";
import { warningsOf } from "./check-conditions.ts";

const CURSORS = listCursor(IdPosition, { list: "listTrustPolicies" });

export function registerTrustPolicyRoutes(
  serve: Serve,
  { db, baseUrlOf }: { db: DatabasePool } & Pick<PublicAddress, "baseUrlOf">,
): void {
  const by = (request: FastifyRequest) => ({ actor: actorOf(request), origin: auditOriginOf(request) });

  serve(operations.listTrustPolicies, async (request) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    authorize(actor, "trust:read", {});
    const { limit, cursor } = request.query;
    const afterId = CURSORS.read(cursor);
    const rows = await withOrganization(db, organizationId, (tx) =>
      listTrustPolicies(tx, { organizationId, limit, afterId }),
    );
    const { page, nextCursor } = CURSORS.page(rows, limit, (policy) => policy.id);
    return { trustPolicies: page.map(described), nextCursor };
  });

  serve(operations.createTrustPolicy, async (request, reply) => {
    const wanted = { request: request.body, baseUrl: baseUrlOf(request) };
    const policy = await createTrustPolicyAs(db, { ...by(request), ...wanted });
    const location = pathOf(operations.getTrustPolicy, { trustPolicyId: policy.id });
    return reply
      .code(201)
      .headers({ location, etag: `"${policy.revision}"` })
      .send(described(policy));
  });

  serve(operations.getTrustPolicy, async (request, reply) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    authorize(actor, "trust:read", {});
    const found = await withOrganization(db, organizationId, (tx) =>
      findTrustPolicy(tx, { organizationId, ...request.params }),
    );
    const policy = existing(found);
    return reply.header("etag", `"${policy.revision}"`).send(described(policy));
  });

  serve(operations.replaceTrustPolicy, async (request, reply) => {
    const revision = Number(request.headers["if-match"].slice(1, -1));
    const wanted = { request: request.body, baseUrl: baseUrlOf(request) };
    const policy = await replaceTrustPolicyAs(db, { ...by(request), ...request.params, revision, ...wanted });
    return reply.header("etag", `"${policy.revision}"`).send(described(policy));
  });

  serve(operations.deleteTrustPolicy, async (request, reply) => {
    await deleteTrustPolicyAs(db, { ...by(request), ...request.params });
    return reply.code(204).send(null);
  });
}

function described({ organizationId: _own, ...policy }: StoredTrustPolicy): TrustPolicy {
  return { ...policy, warnings: warningsOf(policy) };
}
