import { AppError } from "@waymark/shared/errors/app-error.ts";
import { type ErrorDetail, issueDetails } from "@waymark/shared/lib/error-details.ts";
import { unstorable } from "@waymark/shared/lib/schema.ts";
import type { FastifyInstance, FastifySerializerCompiler } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";

export type ZodApp = FastifyInstance<
  import("node:http").Server,
  import("node:http").IncomingMessage,
  import("node:http").ServerResponse,
  import("fastify").FastifyBaseLogger,
  ZodTypeProvider
>;

/** The routes of the returned app are validated, serialized and typed by their zod schemas. */
export function withZodRoutes(app: FastifyInstance): ZodApp {
  app.setValidatorCompiler(zodValidator);
  app.setSerializerCompiler(zodSerializer);
  return app.withTypeProvider<ZodTypeProvider>();
}

/** Validates a part of a request by its schema. */
export function zodValidator({ schema, httpPart }: { schema: z.ZodType; httpPart?: string | undefined }) {
  return (data: unknown): { value: unknown } | { error: AppError } => {
    // Bodies check their own texts. Here one rule is for every parameter, also for those that no schema limits.
    const faults = httpPart === "params" || httpPart === "querystring" ? unstorableValues(data) : [];
    const result = schema.safeParse(data);
    if (result.success && faults.length === 0) return { value: result.data };
    // For a malformed id in a path, nothing exists.
    if (httpPart === "params") return { error: new AppError("not_found", "Nothing exists with this id.") };
    const issues = result.success ? [] : result.error.issues;
    if (httpPart === "headers") return { error: headerError(issues) };
    return { error: validationError(faults.length > 0 ? faults : issueDetails(issues)) };
  };
}

/** The texts that Postgres can't store, with their names. */
function unstorableValues(data: unknown): ErrorDetail[] {
  return Object.entries(data ?? {}).flatMap(([path, value]: [string, unknown]) => {
    const message = typeof value === "string" ? unstorable(value) : undefined;
    return message === undefined ? [] : [{ path, message }];
  });
}

// Parsing a response removes fields that its schema does not contain, so that no column leaks. The library's own
// serializer encodes instead, which the bounded arrays of the scan contract don't support.
const zodSerializer: FastifySerializerCompiler<z.ZodType> =
  ({ schema }) =>
  (data) =>
    JSON.stringify(schema.parse(data));

/** The error for invalid headers; its paths show that they are not fields of the body. */
export function headerError(issues: readonly z.core.$ZodIssue[]): AppError {
  return validationError(
    issueDetails(issues).map(({ path, message }) => ({ path: `header ${path}`, message })),
  );
}

export function validationError(details: ReturnType<typeof issueDetails>): AppError {
  const first = details[0];
  const fault = first === undefined ? "" : ` ${first.path === "" ? "" : `${first.path}: `}${first.message}.`;
  return new AppError("validation_failed", `The request does not match the schema.${fault}`, {
    data: { details },
  });
}
