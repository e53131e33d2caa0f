import type { FastifyReply, FastifyRequest } from "fastify";
import type { PublicAddress } from "../lib/public-address.ts";

/** On every answer. Routes whose answers may be kept, such as the console's assets, replace `cache-control`. */
const ALWAYS = { "x-content-type-options": "nosniff", "cache-control": "no-store" } as const;
/** A year. Other names below the host's are not this server's to decide for. */
const HSTS = { "strict-transport-security": "max-age=31536000" } as const;

/** Headers of every answer that keep browsers and proxies from guessing its type, keeping it, or leaving TLS. */
export interface ResponseHeaders {
  addTo(request: FastifyRequest, reply: FastifyReply): void;
  /** Those of an answer to what never became a request. */
  withoutRequest: Readonly<Record<string, string>>;
}

export function createResponseHeaders(address: PublicAddress): ResponseHeaders {
  return {
    addTo(request, reply) {
      reply.headers(address.isHttps(request) ? { ...ALWAYS, ...HSTS } : ALWAYS);
    },
    withoutRequest: address.isAlwaysHttps ? { ...ALWAYS, ...HSTS } : ALWAYS,
  };
}
