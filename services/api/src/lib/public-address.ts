import type { FastifyRequest } from "fastify";
import { basePathOf } from "./base-path.ts";

/** The public address of this server. If `PUBLIC_BASE_URL` is set, request headers don't influence it. */
export interface PublicAddress {
  /** The path of the configured base, such as `/waymark`. Empty at the root of a host. */
  basePath: string;
  /** The base of links to this server: the configured one, otherwise the request's origin. No trailing slash. */
  baseUrlOf: (request: FastifyRequest) => string;
  /** Whether the configured base is https. */
  isAlwaysHttps: boolean;
  /** Whether the configured base is https, or the request came over TLS. */
  isHttps: (request: FastifyRequest) => boolean;
  /** Whether an `Origin` header matches this server. */
  isOwnOrigin: (origin: string, request: FastifyRequest) => boolean;
}

export function createPublicAddress(publicBaseUrl: string | undefined): PublicAddress {
  if (publicBaseUrl === undefined) {
    return { basePath: "", baseUrlOf: ownOrigin, isAlwaysHttps: false, isHttps, isOwnOrigin: hasOwnHost };
  }
  const base = new URL(publicBaseUrl);
  const isAlwaysHttps = base.protocol === "https:";
  return {
    basePath: basePathOf(publicBaseUrl),
    baseUrlOf: () => publicBaseUrl,
    isAlwaysHttps,
    isHttps: (request) => isAlwaysHttps || isHttps(request),
    isOwnOrigin: (origin) => origin === base.origin,
  };
}

/** Fastify reads `X-Forwarded-Proto` and `X-Forwarded-Host` only from proxies that `TRUST_PROXY` trusts. */
function isHttps(request: FastifyRequest): boolean {
  return request.protocol === "https";
}

function ownOrigin(request: FastifyRequest): string {
  const scheme = isHttps(request) ? "https" : "http";
  const origin = `${scheme}://${request.host}`;
  // The client chooses the Host header. If it is invalid, the socket's address is used.
  if (URL.canParse(origin)) return new URL(origin).origin;
  return `${scheme}://127.0.0.1:${request.socket.localPort ?? 80}`;
}

/** Compares only the host: behind an untrusted proxy, this process doesn't know the public scheme. */
function hasOwnHost(origin: string, request: FastifyRequest): boolean {
  return URL.canParse(origin) && new URL(origin).host === request.host.toLowerCase();
}
