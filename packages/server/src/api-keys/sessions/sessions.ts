import { withOrganizationClient } from "../../db/organization.ts";
import type { PgPool } from "../../db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { type IdentifiedKey, evaluateKey, type KeyCheck } from "../check-key.ts";
import { deleteOlderSessions, endSessions, findSession, insertSession, lockSessionKey } from "./queries.ts";
import { generateSessionToken, parseSessionToken } from "./session-token.ts";

/** The maximum lifetime of a session, even in constant use. */
export const SESSION_LIFETIME_SECONDS = 12 * 3600;
/** Per key. Another sign-in ends the oldest session. */
export const SESSIONS_PER_KEY_MAX = 100;
/** How many of the sessions closed at once are reported. */
const REPORTED_MAX = 4;

export interface NewSession {
  /** For the browser's cookie only. */
  token: string;
  expiresAt: Date;
}

/** How a session was opened by an identity provider instead of a key. */
export interface SessionByProvider {
  identityProviderId: string;
  /** The provider's own session (`sid`), by which it can end this one. */
  providerSession: string | null;
  /** When the provider saw the person's credentials. */
  authenticatedAt: Date;
}

/** Opens a session of a key. The browser's earlier sessions end. */
export async function openSession(
  pool: PgPool,
  { organizationId, apiKeyId }: IdentifiedKey,
  {
    previousTokens,
    byProvider,
  }: { previousTokens: readonly string[]; byProvider?: SessionByProvider | undefined },
): Promise<NewSession> {
  const { token, tokenHash } = generateSessionToken();
  const key = { organizationId, apiKeyId };
  const expiresAt = await withOrganizationClient(pool, organizationId, async (client) => {
    await lockSessionKey(client, key);
    await endSessions(client, hashesOf(previousTokens));
    const lifetimeSeconds = SESSION_LIFETIME_SECONDS;
    const end = await insertSession(client, { ...key, tokenHash, lifetimeSeconds, byProvider });
    await deleteOlderSessions(client, { ...key, keep: SESSIONS_PER_KEY_MAX });
    return end;
  });
  return { token, expiresAt };
}

/**
 * Ends the sessions of these tokens. Tokens without an open session are ignored.
 *
 * @returns the keys of the ended sessions
 */
export async function closeSessions(pool: PgPool, tokens: readonly string[]): Promise<IdentifiedKey[]> {
  const hashes = hashesOf(tokens);
  const keys: IdentifiedKey[] = [];
  // A browser sends one. A client that sends many must not cause a query for each.
  for (const tokenHash of hashes.slice(0, REPORTED_MAX)) {
    const row = await findSession(pool, { tokenHash, idleSeconds: 0 });
    if (row !== undefined) keys.push({ organizationId: row.organization_id, apiKeyId: row.id });
  }
  await endSessions(pool, hashes);
  return keys;
}

function hashesOf(tokens: readonly string[]): Buffer[] {
  return tokens.map(parseSessionToken).filter((hash) => hash !== undefined);
}

export interface OpenSession {
  tokenHash: Buffer;
  expiresAt: Date;
  /** Whether the person showed who they are within the last minutes, for what can do much harm. */
  isRecent: boolean;
  /** The provider by which it was opened; null for a key. */
  identityProviderId: string | null;
  /** Whether its last use was recorded more than a minute ago. */
  lastUsedDue: boolean;
}

export type SessionCheck =
  | (Extract<KeyCheck, { ok: true }> & { session: OpenSession })
  | Extract<KeyCheck, { ok: false }>;

/**
 * Checks a token against the database: one indexed query for the current state of the session and its key, and none for
 * malformed tokens. Nothing is cached, so an ended session is refused from the next request on, by every process.
 *
 * @param address the client's address, to check against the key's networks
 */
export async function checkSession(
  pool: PgPool,
  token: string,
  { idleMinutes, address }: { idleMinutes: number; address: string },
): Promise<SessionCheck> {
  const tokenHash = parseSessionToken(token);
  if (tokenHash === undefined) return ended("", null);
  const row = await findSession(pool, { tokenHash, idleSeconds: idleMinutes * 60 });
  if (row === undefined) return ended("", null);
  const check = evaluateKey(row, address);
  if (!check.ok) return check;
  if (row.session_expired) return ended(` after ${SESSION_LIFETIME_SECONDS / 3600} hours`, check.actor);
  if (row.session_idle) return ended(` after ${idleMinutes} minutes without use`, check.actor);
  return {
    ...check,
    session: {
      tokenHash,
      expiresAt: row.session_expires_at,
      isRecent: row.session_recent,
      identityProviderId: row.session_identity_provider_id,
      lastUsedDue: row.session_touch_due,
    },
  };
}

/** @param key the session's key; null if the token was never valid, as far as is known */
function ended(when: string, key: IdentifiedKey | null): SessionCheck {
  const error = new AppError("session_ended", `Your session has ended${when}. Sign in again.`);
  return { ok: false, error, key };
}
