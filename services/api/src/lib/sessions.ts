import type { IdentifiedKey } from "@waymark/server/api-keys/check-key.ts";
import { updateSessionsLastUsed } from "@waymark/server/api-keys/sessions/queries.ts";
import {
  checkSession,
  closeSessions,
  openSession,
  SESSION_LIFETIME_SECONDS,
  type SessionByProvider,
  type SessionCheck,
} from "@waymark/server/api-keys/sessions/sessions.ts";
import type { PgPool } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { PublicAddress } from "./public-address.ts";
import { createTokenCookie } from "./token-cookie.ts";
import { createLastUsedRecorder } from "./last-used-recorder.ts";

export interface Sessions {
  /** Whether the request has the cookie, with any value and any number of times. */
  isSent(request: FastifyRequest): boolean;
  /** The token of the request's cookie; undefined if there is none, or more than one. */
  tokenOf(request: FastifyRequest): string | undefined;
  /**
   * Checks a token and records the use of its session.
   *
   * @throws AppError `permission_denied` for a request that a page of another site may have sent
   */
  check(request: FastifyRequest, token: string): Promise<SessionCheck>;
  /** Opens a session of a key, sets its cookie and ends the browser's previous session. @returns its expiry */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    key: IdentifiedKey,
    byProvider?: SessionByProvider,
  ): Promise<Date>;
  /**
   * Ends the session of every token in the request, and removes its cookie.
   *
   * @returns the keys of the ended sessions
   * @throws like `check`
   */
  end(request: FastifyRequest, reply: FastifyReply): Promise<IdentifiedKey[]>;
  /** Resolves when every use is recorded. */
  settled(): Promise<void>;
}

export function createSessions(
  pool: PgPool,
  options: { address: PublicAddress; idleMinutes: number; onError: (error: unknown) => void },
): Sessions {
  const { address, idleMinutes, onError } = options;
  const cookie = createTokenCookie(address, "waymark_session");
  const lastUsedRecorder = createLastUsedRecorder(
    (hashes: Buffer[]) => updateSessionsLastUsed(pool, hashes),
    {
      idOf: (hash) => hash.toString("base64"),
      onError,
    },
  );

  return {
    isSent: (request) => cookie.readAll(request).length > 0,
    tokenOf(request) {
      const [token, ...others] = cookie.readAll(request);
      return others.length === 0 ? token : undefined;
    },
    async check(request, token) {
      assertFromOwnPage(request, address);
      const check = await checkSession(pool, token, { idleMinutes, address: request.ip });
      if (check.ok && check.session.lastUsedDue) lastUsedRecorder.record(check.session.tokenHash);
      return check;
    },
    async open(request, reply, key, byProvider) {
      const previousTokens = cookie.readAll(request);
      const opened = await openSession(pool, key, { previousTokens, byProvider });
      cookie.set(request, reply, opened.token, SESSION_LIFETIME_SECONDS);
      return opened.expiresAt;
    },
    async end(request, reply) {
      const tokens = cookie.readAll(request);
      if (tokens.length > 0) assertFromOwnPage(request, address);
      const keys = await closeSessions(pool, tokens);
      cookie.clear(request, reply);
      return keys;
    },
    settled: lastUsedRecorder.settled,
  };
}

/**
 * CSRF protection: a request with the cookie that changes data must come from the console's own page. Browsers send the
 * origin of a request; without it, the cookie is not accepted.
 *
 * @throws AppError `permission_denied`
 */
export function assertFromOwnPage(request: FastifyRequest, address: PublicAddress): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  const { "sec-fetch-site": site, origin } = request.headers;
  const isOwn =
    site === undefined
      ? origin !== undefined && address.isOwnOrigin(origin, request)
      : site === "same-origin";
  if (isOwn) return;
  throw new AppError("permission_denied", "The console's cookie works from the console's own pages only.");
}
