import { createHash } from "node:crypto";
import type { FastifyInstance, onSendHookHandler } from "fastify";
import { matchesEtag, notModified, revalidationHeaders } from "../lib/etag.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** True if responses have an ETag, so that a client that has them gets 304 without their content. */
    revalidates?: boolean;
  }
}

/**
 * Gives responses of GET routes with `revalidates` an ETag: the route's own, or a hash of the text, which is right for content that
 * changes as well as for content that never does. `private, no-cache` lets a client keep the response and makes it ask before each
 * use. A 304 replaces a response that the route has made, so it is for callers that may read it. Register it before the compression:
 * the ETag is weak, and the same with and without gzip.
 */
export function registerRevalidation(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    if (route.method === "GET" && route.config?.revalidates === true) {
      route.onSend = [...[route.onSend ?? []].flat(), revalidate];
    }
  });
}

const revalidate: onSendHookHandler = (request, reply, payload, done) => {
  const isContent = typeof payload === "string" || Buffer.isBuffer(payload);
  if (reply.statusCode !== 200 || !isContent) {
    done(null, payload);
    return;
  }
  const own = reply.getHeader("etag")?.toString();
  const etag = own ?? `W/"${createHash("sha256").update(payload).digest("base64url")}"`;
  if (matchesEtag(request.headers["if-none-match"], etag)) {
    notModified(reply, etag);
    done(null, null);
  } else {
    reply.headers(revalidationHeaders(etag));
    done(null, payload);
  }
};
