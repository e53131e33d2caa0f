import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import { PUBLISHED_DEFAULT } from "@waymark/shared/lib/query-fields.ts";
import { VERSION } from "@waymark/shared/version.ts";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { z } from "zod";
import type { PublicAddress } from "../lib/public-address.ts";
import { mergeModels } from "./merge-models.ts";

/**
 * Serves `/openapi.json` and `/docs`, generated from the routes' zod schemas. A schema with an id becomes a component with
 * that name. Register it before the routes.
 */
export async function registerOpenApi(
  app: FastifyInstance,
  { basePath }: Pick<PublicAddress, "basePath">,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Waymark",
        version: VERSION,
        description: "Stores the contract of every API in an organization. All bodies are JSON.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: basePath === "" ? "/" : basePath }],
      components: {
        securitySchemes: {
          apiKey: { type: "http", scheme: "bearer", description: "A scoped API key: wmk_…" },
        },
      },
      security: [{ apiKey: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => completeRequests(mergeModels(jsonSchemaTransformObject(document))),
  });
  await app.register(swaggerUi, { routePrefix: "/docs", indexPrefix: basePath, staticCSP: true });
  app.get("/openapi.json", { schema: { hide: true }, serializerCompiler: () => JSON.stringify }, async () =>
    app.swagger(),
  );
}

/** Marks the bodies of requests that may be absent, and names the defaults of transformed fields as OpenAPI does. */
function completeRequests<T extends object>(document: T): T {
  const text = JSON.stringify(document, (key, value: unknown) =>
    key === "requestBody" && mayBeAbsent(value) ? { ...value, required: false } : value,
  );
  return JSON.parse(text.replaceAll(`"${PUBLISHED_DEFAULT}":`, '"default":'));
}

/** The library marks every body as required. A route whose body is optional accepts null, which stands for no body. */
function mayBeAbsent(requestBody: unknown): requestBody is object {
  return OptionalBody.safeParse(requestBody).success;
}

const OptionalBody = z.object({
  content: z.object({
    "application/json": z.object({
      schema: z.object({
        anyOf: z.array(z.unknown()).refine((types) => types.some((type) => NullType.safeParse(type).success)),
      }),
    }),
  }),
});
const NullType = z.object({ type: z.literal("null") });
