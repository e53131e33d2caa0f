import { AppError } from "@waymark/shared/errors/app-error.ts";
import { issueDetails } from "@waymark/shared/lib/error-details.ts";
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";

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

const zodValidator: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data) => {
    const result = schema.safeParse(data);
    if (result.success) return { value: result.data };
    // For a malformed id in a path, nothing exists.
    if (httpPart === "params") return { error: new AppError("not_found", "Nothing exists with this id.") };
    if (httpPart === "headers") return { error: headerError(result.error.issues) };
    return { error: validationError(issueDetails(result.error.issues)) };
  };

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
