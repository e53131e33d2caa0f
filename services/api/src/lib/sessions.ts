import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import * as Iron from "iron-webcrypto";
import { z } from "zod";

const COOKIE = "waymark_session";
const LIFETIME_MS = 12 * 3600 * 1000;

/** What the cookie seals: which key, and until when. Never the key's secret. */
const SealedSession = z.object({ prefix: z.string(), apiKeyId: z.string(), expiresAt: z.number() });

export interface OpenSession {
  prefix: string;
  apiKeyId: string;
  expiresAt: Date;
}

export interface Sessions {
  /** Puts a session into the answer's cookie. */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    key: { prefix: string; apiKeyId: string },
  ): Promise<OpenSession>;
  /** The session of a request's cookie; null when there is none, or none that was sealed here and still lives. */
  read(request: FastifyRequest): Promise<OpenSession | null>;
  /** Takes the cookie away. */
  end(request: FastifyRequest, reply: FastifyReply): void;
}

/** @param secret at least 32 characters, shared by all apis; without one, sessions end with this process */
export function createSessions(secret: string = randomBytes(32).toString("base64url")): Sessions {
  const setCookie = (request: FastifyRequest, reply: FastifyReply, value: string, maxAgeSeconds: number) => {
    // Strict: no other site's page can send it along. It is Secure wherever the page came over TLS.
    const secure = request.protocol === "https" ? "; Secure" : "";
    reply.header(
      "set-cookie",
      `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`,
    );
  };

  return {
    async open(request, reply, key) {
      const expiresAt = new Date(Date.now() + LIFETIME_MS);
      const sealed = await Iron.seal({ ...key, expiresAt: expiresAt.getTime() }, secret, Iron.defaults);
      setCookie(request, reply, sealed, LIFETIME_MS / 1000);
      return { ...key, expiresAt };
    },
    async read(request) {
      const sealed = cookieOf(request.headers.cookie);
      if (sealed === undefined) return null;
      try {
        const session = SealedSession.parse(await Iron.unseal(sealed, secret, Iron.defaults));
        return session.expiresAt <= Date.now()
          ? null
          : { ...session, expiresAt: new Date(session.expiresAt) };
      } catch (error) {
        request.log.debug({ reason: String(error) }, "a session cookie was not sealed here");
        return null;
      }
    },
    end(request, reply) {
      setCookie(request, reply, "", 0);
    },
  };
}

function cookieOf(header: string | undefined): string | undefined {
  for (const part of header?.split(";") ?? []) {
    const [name, value] = part.trim().split("=", 2);
    if (name === COOKIE && value !== undefined && value !== "") return value;
  }
  return undefined;
}

/**
 * Whether a request that changes something comes from the console's own page. Browsers say where a request comes
 * from; what doesn't say, a cookie is no credential for.
 */
export function isFromOwnPage(request: FastifyRequest): boolean {
  if (request.method === "GET" || request.method === "HEAD") return true;
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const origin = request.headers.origin;
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === request.headers.host;
}
