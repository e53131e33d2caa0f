import { isUtf8 } from "node:buffer";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { readBody } from "./read-body.ts";

declare module "fastify" {
  interface FastifyRequest {
    bodyBytesHeld: number;
  }
}

export interface BodyLimits {
  /** Of one decoded body. */
  bytesMax: number;
  /** Of all that the process holds at one moment. */
  bytesInFlightMax: number;
}

/**
 * Reads request bodies, plain or gzip, within limits of their own. JSON is parsed for every route but those that
 * ask for the bytes with `useRawJsonBody`.
 */
export function registerJsonBody(app: FastifyInstance, limits: BodyLimits): void {
  let bytesInFlight = 0;

  const read = (request: FastifyRequest): Promise<Buffer> =>
    readBody(request.raw, {
      bytesMax: limits.bytesMax,
      onBytes: (bytes) => {
        if (bytesInFlight + bytes > limits.bytesInFlightMax) {
          throw new AppError("service_unavailable", "Too many large requests at once. Try again shortly.", {
            data: { retryAfterSeconds: 1 },
          });
        }
        bytesInFlight += bytes;
        request.bodyBytesHeld += bytes;
      },
    });

  app.decorate("readRawBody", read);
  app.decorateRequest("bodyBytesHeld", 0);
  app.addHook("onResponse", async (request) => {
    bytesInFlight -= request.bodyBytesHeld;
    request.bodyBytesHeld = 0;
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (request: FastifyRequest) =>
    parseJson(await read(request)),
  );
}

declare module "fastify" {
  interface FastifyInstance {
    readRawBody: (request: FastifyRequest) => Promise<Buffer>;
  }
}

/** In this app's routes a JSON body is left as the bytes that came (decoded from gzip). */
export function useRawJsonBody(app: FastifyInstance): void {
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", (request: FastifyRequest) => app.readRawBody(request));
}

/** @throws AppError `malformed_json`, with the position where the parser gives one */
export function parseJson(body: Buffer): unknown {
  // As Fastify has it: no body at all is undefined, for the route's schema to judge.
  if (body.byteLength === 0) return undefined;
  if (!isUtf8(body)) throw new AppError("malformed_json", "The request body is not valid UTF-8.");
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
