import type { IdentifiedKey } from "@waymark/server/api-keys/check-key.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { endProviderSessions } from "@waymark/server/principals/sign-in/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { createLocalJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { ALGORITHMS } from "../../lib/signature-algorithms.ts";
import { validationError } from "../../lib/zod-routes.ts";
import { existingProvider } from "./open-provider.ts";
import type { ProviderClient } from "./provider-client.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** A logout token is sent when it is made. */
const AGE_SECONDS_MAX = 300;
const SKEW_SECONDS = 60;

const LogoutClaims = z.looseObject({
  iat: z.number(),
  sub: z.string().min(1).max(255).optional(),
  sid: z.string().min(1).max(500).optional(),
  events: z.looseObject({ [EVENT]: z.looseObject({}) }),
  // With one it would be an ID token.
  nonce: z.undefined().optional(),
});

/**
 * Ends the sessions that a logout token names (OpenID Connect Back-Channel Logout 1.0, section 2.6).
 *
 * @returns the keys of the ended sessions
 * @throws AppError `not_found`, `validation_failed` for a token that is none, or `identity_provider_unavailable`
 */
export async function endSessionsByLogoutToken(
  { db, client }: { db: DatabasePool; client: ProviderClient },
  { identityProviderId, token }: { identityProviderId: string; token: string },
): Promise<IdentifiedKey[]> {
  const provider = await existingProvider(db, identityProviderId);
  const { organizationId, id, issuer, clientId } = provider;
  // Nothing is fetched for a token that names another issuer or client.
  if (!isFor(token, { issuer, clientId })) throw noLogoutToken();
  const keys = createLocalJWKSet(await client.keys({ issuer, clientId, clientSecret: undefined }));
  const claims = LogoutClaims.safeParse(await verify(token, keys, { issuer, audience: clientId }));
  if (!claims.success) throw noLogoutToken();
  const { iat, sub: subject = null, sid: providerSession = null } = claims.data;
  if (subject === null && providerSession === null) throw noLogoutToken();
  const apiKeyIds = await withOrganization(db, organizationId, (tx) =>
    endProviderSessions(tx, {
      organizationId,
      identityProviderId: id,
      providerSession,
      subject,
      issuedAt: new Date(iat * 1000),
    }),
  );
  return apiKeyIds.map((apiKeyId) => ({ organizationId, apiKeyId }));
}

/** True if a token says that it is of the issuer and for the client. Nothing of it is verified. */
function isFor(token: string, { issuer, clientId }: { issuer: string; clientId: string }): boolean {
  try {
    const { iss, aud = [] } = decodeJwt(token);
    return iss === issuer && [aud].flat().includes(clientId);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof SyntaxError)
      return false;
    throw error;
  }
}

async function verify(
  token: string,
  keys: ReturnType<typeof createLocalJWKSet>,
  expected: { issuer: string; audience: string },
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      ...expected,
      algorithms: [...ALGORITHMS],
      maxTokenAge: AGE_SECONDS_MAX,
      clockTolerance: SKEW_SECONDS,
      requiredClaims: ["iat"],
    });
    // Providers that are older than the final standard have JWT or none.
    if (/^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(protectedHeader.typ ?? "JWT")) return payload;
  } catch (error) {
    if (!(error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException))
      throw error;
  }
  throw noLogoutToken();
}

function noLogoutToken(): AppError {
  return validationError([{ path: "logout_token", message: "is no valid logout token of this provider" }]);
}
