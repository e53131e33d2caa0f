import { gzip } from "node:zlib";
import type { FastifyInstance, onSendHookHandler } from "fastify";
import { acceptsGzip } from "../lib/accepts-gzip.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether responses of bytes are compressed, too. */
    compressesBytes?: boolean;
  }
}

/** A smaller response fits a packet or two as it is. */
const BYTES_MIN = 1024;

/**
 * Compresses responses of GET routes with gzip: 200 endpoints are 26 KB as JSON and 2.4 KB compressed, in 0.3 ms of processor
 * time; 2,000 are 266 KB and 19 KB, in 4 ms. Other routes have none of its cost: their responses are small, and some contain a new
 * key, whose compressed length would tell something about it.
 */
export function registerCompression(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    if (route.method === "GET") route.onSend = [...[route.onSend ?? []].flat(), compress];
  });
}

const compress: onSendHookHandler = (request, reply, payload, done) => {
  const { compressesBytes = false } = request.routeOptions.config;
  const isText = typeof payload === "string" || (compressesBytes && Buffer.isBuffer(payload));
  if (!isText || Buffer.byteLength(payload) < BYTES_MIN) {
    done(null, payload);
    return;
  }
  reply.header("vary", "accept-encoding");
  if (!acceptsGzip(request.headers["accept-encoding"])) {
    done(null, payload);
    return;
  }
  gzip(payload, (error, compressed) => {
    if (error !== null) {
      done(error);
      return;
    }
    reply.header("content-encoding", "gzip").removeHeader("content-length");
    done(null, compressed);
  });
};
