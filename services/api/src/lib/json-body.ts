import { isUtf8 } from "node:buffer";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { BodyBudget } from "./body-budget.ts";
import { findExcessiveDepth } from "./json-depth.ts";
import { decodeBody, readBody } from "./read-body.ts";

/** Of a body on a route that says nothing else: more than any key or setting needs. */
const BODY_BYTES_DEFAULT = 1024 * 1024;
/** A scan nests four levels deep, the constraints of a scope up to 32 below their own place. */
const JSON_DEPTH_MAX = 64;

declare module "fastify" {
  interface FastifyContextConfig {
    /** Of a body on this route, encoded and decoded. Default: 1 MiB, or `MAX_BODY_BYTES` where that is less. */
    bodyBytesMax?: number;
  }
  interface FastifyInstance {
    /** As it was sent, which may be compressed. */
    readBodyAsSent: (request: FastifyRequest) => Promise<Buffer | undefined>;
    decodeBody: (request: FastifyRequest, sent: Buffer) => Promise<Buffer>;
  }
}

export interface BodyLimits {
  /** Of one decoded body, whatever its route says. */
  bytesMax: number;
  /** Of all that the process holds at one moment. */
  budget: BodyBudget;
}

/**
 * Reads request bodies, plain or gzip, within limits of their own. JSON is parsed for every route but those that
 * ask for the bytes with `useBodyAsSent`.
 */
export function registerJsonBody(app: FastifyInstance, { bytesMax, budget }: BodyLimits): void {
  async function withinBudget(
    request: FastifyRequest,
    read: (options: Parameters<typeof readBody>[1]) => Promise<Buffer>,
  ): Promise<Buffer> {
    try {
      return await read({
        bytesMax: Math.min(bytesMax, request.routeOptions.config.bodyBytesMax ?? BODY_BYTES_DEFAULT),
        onBytes: (bytes) => budget.take(request, bytes),
      });
    } catch (error) {
      budget.release(request);
      throw error;
    }
  }
  app.decorate("readBodyAsSent", async (request: FastifyRequest) => {
    // Nobody has asked for it, and nobody needs it.
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

/** In this app's routes a JSON body is left as the bytes that were sent. */
export function useBodyAsSent(app: FastifyInstance): void {
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", (request: FastifyRequest) => app.readBodyAsSent(request));
}

/** @throws AppError `malformed_json`, with the position where it can be told */
export function parseJson(body: Buffer): unknown {
  // As Fastify has it: no body at all is undefined, for the route's schema to judge.
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
    // V8 quotes the text around the fault, which may be anything: only the position is passed on.
    const position = /position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    throw new AppError(
      "malformed_json",
      `The request body is not valid JSON${position === undefined ? "" : ` (at ${position})`}.`,
    );
  }
}
