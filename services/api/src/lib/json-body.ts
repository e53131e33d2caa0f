import { isUtf8 } from "node:buffer";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { BodyBudget } from "./body-budget.ts";
import { findExcessiveDepth } from "./json-depth.ts";
import { decodeBody, readBody } from "./read-body.ts";

/** The default limit of a body: more than any key or setting needs. */
const BODY_BYTES_DEFAULT = 1024 * 1024;
/** A scan nests four levels deep, the constraints of a scope up to 32 levels below their position. */
const JSON_DEPTH_MAX = 64;

declare module "fastify" {
  interface FastifyContextConfig {
    /** The limit of a body on this route, encoded and decoded. Default: 1 MiB, or `MAX_BODY_BYTES` if that is less. */
    bodyBytesMax?: number;
    /** The limit that `MAX_BODY_BYTES` sets for this route, if it is another than for the others. */
    bodyBytesCap?: number;
    /** True if bodies may be compressed with Brotli, too. */
    acceptsBrotli?: boolean;
  }
  interface FastifyInstance {
    /** The body as received, possibly compressed. */
    readBodyAsSent: (request: FastifyRequest) => Promise<Buffer | undefined>;
    decodeBody: (request: FastifyRequest, sent: Buffer) => Promise<Buffer>;
  }
}

export interface BodyLimits {
  /** The limit of one decoded body on any route. */
  bytesMax: number;
  /** The limit of all bodies in memory. */
  budget: BodyBudget;
}

/**
 * Reads request bodies, plain or gzip, within their limits. Parses JSON for every route, except for those that get the
 * bytes with `useBodyAsSent`.
 */
export function registerJsonBody(app: FastifyInstance, { bytesMax, budget }: BodyLimits): void {
  async function withinBudget(
    request: FastifyRequest,
    read: (options: Parameters<typeof readBody>[1]) => Promise<Buffer>,
  ): Promise<Buffer> {
    try {
      const { bodyBytesCap, bodyBytesMax, acceptsBrotli } = request.routeOptions.config;
      return await read({
        bytesMax: Math.min(bodyBytesCap ?? bytesMax, bodyBytesMax ?? BODY_BYTES_DEFAULT),
        acceptsBrotli,
        onBytes: (bytes) => budget.take(request, bytes),
      });
    } catch (error) {
      budget.release(request);
      throw error;
    }
  }
  app.decorate("readBodyAsSent", async (request: FastifyRequest) => {
    // No route accepts plain text.
    if (request.is404) return undefined;
    return withinBudget(request, (options) => readBody(request.raw, options));
  });
  app.decorate("decodeBody", (request: FastifyRequest, sent: Buffer) =>
    withinBudget(request, (options) => decodeBody(request.raw, sent, options)),
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (request: FastifyRequest) => {
    const sent = await app.readBodyAsSent(request);
    return sent === undefined ? undefined : parseJson(await app.decodeBody(request, sent));
  });
}

/** The routes of this app get a JSON body as the received bytes. */
export function useBodyAsSent(app: FastifyInstance): void {
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", (request: FastifyRequest) => app.readBodyAsSent(request));
}

/** @throws AppError `malformed_json`, with the position if it is known */
export function parseJson(body: Buffer): unknown {
  // As in Fastify, a missing body is undefined; the route's schema decides whether that is valid.
  if (body.byteLength === 0) return undefined;
  if (!isUtf8(body)) throw new AppError("malformed_json", "The request body is not valid UTF-8.");
  const tooDeepAt = findExcessiveDepth(body, JSON_DEPTH_MAX);
  if (tooDeepAt !== undefined) {
    throw new AppError(
      "malformed_json",
      `The request body nests deeper than ${JSON_DEPTH_MAX} levels (at byte ${tooDeepAt}).`,
    );
  }
  try {
    const parsed: unknown = JSON.parse(body.toString("utf8"));
    return parsed;
  } catch (error) {
    // V8's message quotes the text around the fault, which may be secret. Only the position is used.
    const position = /position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    throw new AppError(
      "malformed_json",
      `The request body is not valid JSON${position === undefined ? "" : ` (at ${position})`}.`,
    );
  }
}
