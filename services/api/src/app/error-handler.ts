import { AppError, type ErrorCode } from "@waymark/shared/errors/app-error.ts";
import type { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { isDatabaseUnavailable } from "@waymark/server/db/unavailable.ts";
import { redactApiKeys } from "@waymark/shared/lib/redact-api-keys.ts";
import { toError } from "@waymark/shared/lib/to-error.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { withoutBasePath } from "../lib/base-path.ts";
import type { PublicAddress } from "../lib/public-address.ts";
import { drainRequest, hasUnreadBody } from "../lib/drain-request.ts";
import type { RouteIndex } from "../lib/route-rules.ts";

const NOTHING_HERE = "Nothing exists at this address. See /docs for all routes.";

/** Converts every error to an ErrorResponse. A client that is still sending its body can read the response too. */
export function registerErrorHandler(
  app: FastifyInstance,
  { beforeAnswer }: { beforeAnswer: (request: FastifyRequest, error: AppError) => Promise<void> },
): void {
  app.setErrorHandler(async (thrown, request, reply) => {
    const error = await limitedRefusal(request, toAppError(thrown));
    await beforeAnswer(request, error);
    return sendError(error, request, reply);
  });
}

/** Says that there is no route with this address, or none with this method. */
export function sendNoRoute(
  { routes, address }: { routes: RouteIndex; address: Pick<PublicAddress, "basePath"> },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const hint = basePathHint(request.url, address);
  return sendError(noRoute(request, { allowedMethods: routes.methodsAt(request.url), hint }), request, reply);
}

function noRoute(
  { method }: FastifyRequest,
  { allowedMethods, hint }: { allowedMethods: readonly string[]; hint: string },
): AppError {
  // A route of a whole folder has the method, but not the file that was asked for.
  if (allowedMethods.length === 0 || allowedMethods.includes(method)) {
    return new AppError("not_found", NOTHING_HERE + hint);
  }
  const message = `This address has no ${method}. It has ${allowedMethods.join(", ")}.`;
  return new AppError("method_not_allowed", message, { data: { allowedMethods } });
}

/** Says what to change if the address looks as if a proxy in front and `PUBLIC_BASE_URL` disagree about a base path. */
function basePathHint(path: string, { basePath }: Pick<PublicAddress, "basePath">): string {
  if (basePath !== "" && withoutBasePath(path, basePath) !== path)
    return ` The address has ${basePath} twice: the client or a proxy adds it a second time.`;
  return /^(?:\/[\w.~-]+){1,5}?\/(?:api|assets|docs|healthz|readyz)(?:[/?]|$)/.test(path)
    ? " If Waymark is served below a path, PUBLIC_BASE_URL of the server must have that path."
    : "";
}

/** The error itself, or the limit's error if there were too many refused requests. */
async function limitedRefusal(request: FastifyRequest, error: AppError): Promise<AppError> {
  if (request.countRefusal === null || error.httpStatus >= 500) return error;
  try {
    await request.countRefusal();
    return error;
  } catch (exceeded) {
    return toAppError(exceeded);
  }
}

export async function sendError(
  error: AppError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  request.refusedWith = error.code;
  if (error.httpStatus >= 500) request.log.error({ err: error }, "request failed");
  reply.code(error.httpStatus).type("application/json; charset=utf-8").header("cache-control", "no-store");
  if (error.httpStatus === 401) reply.header("www-authenticate", "Bearer");
  const { allowedMethods } = error.data;
  if (allowedMethods !== undefined) reply.header("allow", allowedMethods.join(", "));
  if (error.data.retryAfterSeconds !== undefined) reply.header("retry-after", error.data.retryAfterSeconds);

  // Removes keys that were sent in a field by mistake, because clients log responses.
  const payload = redactApiKeys(JSON.stringify(toErrorResponse(error, request.id)));
  if (!hasUnreadBody(request.raw)) return reply.send(payload);

  // The response is sent now; the connection closes when the client has stopped sending.
  reply.header("connection", "close").header("content-length", Buffer.byteLength(payload));
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.writeHead(error.httpStatus);
  reply.raw.write(payload);
  await drainRequest(request.raw);
  reply.raw.end();
  return reply;
}

export function toErrorResponse(error: AppError, requestId?: string): ErrorResponse {
  return {
    error: {
      code: error.code,
      message: error.message,
      ...(error.data.details === undefined ? {} : { details: error.data.details }),
      ...(error.data.conflicts === undefined ? {} : { conflicts: error.data.conflicts }),
      ...(requestId === undefined ? {} : { requestId }),
    },
  };
}

/** Errors of the framework and their meaning for callers. */
const FRAMEWORK_ERRORS: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "unsupported_media_type",
    message: "The request body must be JSON: send Content-Type: application/json.",
  },
  FST_ERR_BAD_URL: { code: "validation_failed", message: "The address is not validly percent-encoded." },
  FST_ERR_ASYNC_CONSTRAINT: { code: "validation_failed", message: "The request can't be routed." },
  FST_ERR_MAX_PARAM_LENGTH: { code: "not_found", message: NOTHING_HERE },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: "validation_failed",
    message: "Content-Length does not match the body.",
  },
};

/**
 * Errors of libraries that have an HTTP status, usually for an address outside the folder of served files. For callers,
 * nothing exists there.
 */
function refusalOf(error: Error): AppError | undefined {
  const status = "statusCode" in error ? Number(error.statusCode) : 0;
  if (!(status >= 400 && status < 500)) return undefined;
  return status === 403 || status === 404
    ? new AppError("not_found", NOTHING_HERE, { cause: error })
    : new AppError("validation_failed", "The request's address or headers are not valid here.", {
        cause: error,
      });
}

/** Converts an error for the caller. Unknown errors become `internal_error`, because their messages may be unsafe to show. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const error = toError(thrown);
  const framework =
    "code" in error && typeof error.code === "string" ? FRAMEWORK_ERRORS[error.code] : undefined;
  if (framework !== undefined) return new AppError(framework.code, framework.message, { cause: error });
  const refused = refusalOf(error);
  if (refused !== undefined) return refused;
  if (isDatabaseUnavailable(error)) {
    return new AppError(
      "service_unavailable",
      "The database can't be reached right now. Try again shortly.",
      {
        cause: error,
        data: { retryAfterSeconds: 2 },
      },
    );
  }
  return new AppError(
    "internal_error",
    "An unexpected error happened on the server. Try again; if it persists, give the request id to the operator.",
    {
      cause: error,
    },
  );
}
