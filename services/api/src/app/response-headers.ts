import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { PublicAddress } from "../lib/public-address.ts";

/** For every response. Routes with cacheable responses, such as the console's assets, replace `cache-control`. */
const ALWAYS = { "x-content-type-options": "nosniff", "cache-control": "no-store" } as const;
/** HSTS for a year, without subdomains, which may not belong to this server. */
const OVER_TLS = { ...ALWAYS, "strict-transport-security": "max-age=31536000" } as const;

/** Headers of every response that stop browsers and proxies from guessing its type, caching it, or leaving TLS. */
export interface ResponseHeaders {
  addTo(request: FastifyRequest, reply: FastifyReply): void;
  /** The headers of a response to input that the parser refused. */
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

/** Puts the base path before the paths in `Location`, so that routes and redirects need not know it. */
export function addBasePathToLocations(
  app: FastifyInstance,
  { basePath }: Pick<PublicAddress, "basePath">,
): void {
  if (basePath === "") return;
  app.addHook("onSend", (_request, reply, _payload, done) => {
    const location = reply.getHeader("location");
    if (typeof location === "string" && location.startsWith("/"))
      reply.header("location", basePath + location);
    done();
  });
}
