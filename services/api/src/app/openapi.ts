import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import { VERSION } from "@waymark/shared/version.ts";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { z } from "zod";

/**
 * Serves `/openapi.json` and `/docs`, generated from the routes' zod schemas. A schema with an id becomes a component with
 * that name. Register it before the routes.
 */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Waymark",
        version: VERSION,
        description: "Stores the contract of every API in an organization. All bodies are JSON.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/" }],
      components: {
        securitySchemes: {
          apiKey: { type: "http", scheme: "bearer", description: "A scoped API key: wmk_…" },
        },
      },
      security: [{ apiKey: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => mergeInputModels(jsonSchemaTransformObject(document)),
  });
  await app.register(swaggerUi, { routePrefix: "/docs", staticCSP: true });
  app.get("/openapi.json", { schema: { hide: true }, serializerCompiler: () => JSON.stringify }, async () =>
    app.swagger(),
  );
}

/** The library writes every model twice, as `X` and `XInput`. These are equal here, so one is removed. */
function mergeInputModels<T extends object>(document: T): T {
  const text = JSON.stringify(document, (key, value: unknown) => {
    if (key === "requestBody") return mayBeAbsent(value) ? { ...value, required: false } : value;
    if (key !== "schemas" || typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).filter(([name]) => !isInputTwin(name, value)));
  });
  return JSON.parse(text.replaceAll(/"#\/components\/schemas\/(\w+?)Input"/g, '"#/components/schemas/$1"'));
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

function isInputTwin(name: string, schemas: object): boolean {
  return name.endsWith("Input") && name.slice(0, -"Input".length) in schemas;
}
