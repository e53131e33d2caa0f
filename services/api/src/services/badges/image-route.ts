import type { DatabasePool, PgPool } from "@waymark/server/db/pool.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import { type BadgeStatus, badgeStatusOf } from "@waymark/server/services/badges/badge-status.ts";
import { parseBadgeToken } from "@waymark/server/services/badges/badge-token.ts";
import { findBadgeByToken } from "@waymark/server/services/badges/queries.ts";
import { breaksClients } from "@waymark/server/scans/comparisons/queries.ts";
import { findService } from "@waymark/server/services/queries.ts";
import { RECENT_DAYS } from "@waymark/shared/services/overview/schema.ts";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { rateLimitAddress } from "../../lib/limits/client-address.ts";
import type { RequestLimits } from "../../lib/limits/request-limits.ts";
import { renderBadge } from "./render-badge.ts";

interface ImageRouteDependencies {
  pool: PgPool;
  db: DatabasePool;
  limits: RequestLimits;
}

/** How long a revoked badge may still be shown. */
const CACHED_SECONDS = 60;
const Params = z.object({ file: z.string() });
const Query = z.object({ token: z.string().catch("") });

/**
 * `GET /badge/{serviceId}.svg?token=…`: a service's status as an image, for pages outside of Waymark. Its token is the only
 * credential. Whatever else the request has, an unknown token gets the same response.
 */
export function registerBadgeImageRoute(
  app: FastifyInstance,
  { pool, db, limits }: ImageRouteDependencies,
): void {
  app.get("/badge/:file", { schema: { hide: true } }, async (request, reply) => {
    const { file } = Params.parse(request.params);
    const { token } = Query.parse(request.query);
    const address = rateLimitAddress(request.ip);
    await limits.assertAddressMayReadBadges(address, reply);
    const status = await readStatus({ pool, db }, { file, token });
    if (status === undefined) await limits.noteUnknownBadge(address);
    return reply
      .code(status === undefined ? 404 : 200)
      .type("image/svg+xml; charset=utf-8")
      .headers({
        "cache-control": status === undefined ? "no-store" : `public, max-age=${CACHED_SECONDS}`,
        "content-security-policy": "default-src 'none'; sandbox",
        // Pages of other sites show it.
        "cross-origin-resource-policy": "cross-origin",
        "referrer-policy": "no-referrer",
      })
      .send(renderBadge(status ?? "unknown"));
  });
}

async function readStatus(
  { pool, db }: Pick<ImageRouteDependencies, "pool" | "db">,
  { file, token }: { file: string; token: string },
): Promise<BadgeStatus | undefined> {
  const tokenHash = parseBadgeToken(token);
  if (tokenHash === undefined) return undefined;
  const badge = await findBadgeByToken(pool, tokenHash);
  if (badge === undefined || file.toLowerCase() !== `${badge.serviceId}.svg`) return undefined;
  return withOrganization(db, badge.organizationId, async (tx) => {
    const service = await findService(tx, badge);
    if (service === null) return undefined;
    return badgeStatusOf(service, {
      breaksClients: await breaksClients(tx, { ...badge, days: RECENT_DAYS }),
    });
  });
}
