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

/** Routes of the returned app are validated and serialized by their zod schemas, and typed by them. */
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
    // An id in a path that can't be one names nothing.
    if (httpPart === "params") return { error: new AppError("not_found", "There is nothing with this id.") };
    if (httpPart === "headers") return { error: headerError(result.error.issues) };
    return { error: validationError(issueDetails(result.error.issues)) };
  };

// Parsing an answer strips what its schema does not name, so that no column can slip out by accident. The library's
// own compiler encodes instead, which the bounded arrays of the scan contract have no inverse for.
const zodSerializer: FastifySerializerCompiler<z.ZodType> =
  ({ schema }) =>
  (data) =>
    JSON.stringify(schema.parse(data));

/** The faults of headers, which say that they are no fields of the body. */
export function headerError(issues: readonly z.core.$ZodIssue[]): AppError {
  return validationError(
    issueDetails(issues).map(({ path, message }) => ({ path: `header ${path}`, message })),
  );
}

export function validationError(details: ReturnType<typeof issueDetails>): AppError {
  const first = details[0];
  const place = first === undefined ? "" : ` ${first.path === "" ? "" : `${first.path}: `}${first.message}.`;
  return new AppError("validation_failed", `The request does not fit the contract.${place}`, {
    data: { details },
  });
}
