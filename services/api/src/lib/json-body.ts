import { isUtf8 } from "node:buffer";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { readBody } from "./read-body.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The decoded bytes of a JSON body, as they came. */
    rawBody: Buffer | null;
    bodyBytesHeld: number;
  }
}

/**
 * Reads JSON bodies, plain or gzip, within limits of its own: `bytesMax` for one decoded body and
 * `bytesInFlightMax` for all that the process holds at one moment.
 */
export function registerJsonBody(
  app: FastifyInstance,
  options: { bytesMax: number; bytesInFlightMax: number },
): void {
  let bytesInFlight = 0;

  const parse = async (request: FastifyRequest): Promise<unknown> => {
    const body = await readBody(request.raw, {
      bytesMax: options.bytesMax,
      onBytes: (bytes) => {
        if (bytesInFlight + bytes > options.bytesInFlightMax) {
          throw new AppError("service_unavailable", "Too many large requests at once. Try again shortly.", {
            data: { retryAfterSeconds: 1 },
          });
        }
        bytesInFlight += bytes;
        request.bodyBytesHeld += bytes;
      },
    });
    request.rawBody = body;
    return parseJson(body);
  };

  app.decorateRequest("rawBody", null);
  app.decorateRequest("bodyBytesHeld", 0);
  app.addHook("onResponse", async (request) => {
    bytesInFlight -= request.bodyBytesHeld;
    request.bodyBytesHeld = 0;
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", parse);
}

function parseJson(body: Buffer): unknown {
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
