import type { FastifyRequest } from "fastify";

/** How browsers and clients reach this server. With `PUBLIC_BASE_URL` nothing that a request says is believed. */
export interface PublicAddress {
  /** Where links to this server start: the configured base, or else the request's own origin. No trailing slash. */
  baseUrlOf: (request: FastifyRequest) => string;
  /** Whether the configured base is https. */
  isAlwaysHttps: boolean;
  /** Whether that is so, or the request came over TLS. */
  isHttps: (request: FastifyRequest) => boolean;
  /** Whether an `Origin` header names this server. */
  isOwnOrigin: (origin: string, request: FastifyRequest) => boolean;
}

export function createPublicAddress(publicBaseUrl: string | undefined): PublicAddress {
  if (publicBaseUrl === undefined) {
    return { baseUrlOf: ownOrigin, isAlwaysHttps: false, isHttps, isOwnOrigin: hasOwnHost };
  }
  const base = new URL(publicBaseUrl);
  const isAlwaysHttps = base.protocol === "https:";
  return {
    baseUrlOf: () => publicBaseUrl,
    isAlwaysHttps,
    isHttps: (request) => isAlwaysHttps || isHttps(request),
    isOwnOrigin: (origin) => origin === base.origin,
  };
}

/** Fastify reads `X-Forwarded-Proto` and `X-Forwarded-Host` only where `TRUST_PROXY` trusts the other end. */
function isHttps(request: FastifyRequest): boolean {
  return request.protocol === "https";
}

function ownOrigin(request: FastifyRequest): string {
  const scheme = isHttps(request) ? "https" : "http";
  const origin = `${scheme}://${request.host}`;
  // The Host header is the client's to choose: what is no address gives the socket's own.
  if (URL.canParse(origin)) return new URL(origin).origin;
  return `${scheme}://127.0.0.1:${request.socket.localPort ?? 80}`;
}

/** The host alone: behind a proxy that nobody trusts, this process does not know its own scheme. */
function hasOwnHost(origin: string, request: FastifyRequest): boolean {
  return URL.canParse(origin) && new URL(origin).host === request.host.toLowerCase();
}
