import type { FastifyReply, FastifyRequest } from "fastify";
import type { PublicAddress } from "../lib/public-address.ts";

/** On every answer. Routes whose answers may be kept, such as the console's assets, replace `cache-control`. */
const ALWAYS = { "x-content-type-options": "nosniff", "cache-control": "no-store" } as const;
/** HSTS for a year. Other names below the host's are not this server's to decide for. */
const OVER_TLS = { ...ALWAYS, "strict-transport-security": "max-age=31536000" } as const;

/** Headers of every answer that keep browsers and proxies from guessing its type, keeping it, or leaving TLS. */
export interface ResponseHeaders {
  addTo(request: FastifyRequest, reply: FastifyReply): void;
  /** Those of an answer to what never became a request. */
  withoutRequest: Readonly<Record<string, string>>;
}

export function createResponseHeaders(address: PublicAddress): ResponseHeaders {
  return {
    addTo(request, reply) {
      reply.headers(address.isHttps(request) ? OVER_TLS : ALWAYS);
    },
    withoutRequest: address.isAlwaysHttps ? OVER_TLS : ALWAYS,
  };
}
