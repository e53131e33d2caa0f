import type { Api, DemoService } from "./services.ts";

const ID = { name: "id", in: "path", required: true, schema: { type: "string" } };

/** Returns the OpenAPI description of a service's API. Some texts are missing, as in most descriptions. */
export function describeApi({ name, resource }: DemoService, api: Api, version: string): object {
  const { properties, required, isOpen } = api;
  return {
    openapi: "3.1.0",
    info: { title: `Shop ${name}`, version },
    servers: [{ url: `https://${name}.shop.example` }],
    ...(!isOpen && { security: [{ token: [] }] }),
    paths: {
      [`/${resource.toLowerCase()}s`]: pathOfMany(name, resource, api),
      [`/${resource.toLowerCase()}s/{id}`]: pathOfOne(name, resource, api),
      ...Object.fromEntries(
        Object.entries(api.lists).map(([path, operationId]) => [
          path,
          pathOfList(path, operationId, resource),
        ]),
      ),
    },
    components: {
      schemas: {
        [resource]: { type: "object", required, properties: { id: { type: "string" }, ...properties } },
      },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

function pathOfMany(tag: string, resource: string, { filters }: Api): object {
  const limit = { name: "limit", in: "query", schema: { type: "integer", maximum: 100 } };
  const others = filters.map((filter) => ({ name: filter, in: "query", schema: { type: "string" } }));
  const content = contentOf({ $ref: `#/components/schemas/${resource}` });
  return {
    get: {
      operationId: `list${resource}s`,
      tags: [tag],
      summary: `List the ${resource.toLowerCase()}s`,
      parameters: [limit, ...others],
      responses: { "200": listOf(resource) },
    },
    post: {
      operationId: `create${resource}`,
      tags: [tag],
      summary: `Create a ${resource.toLowerCase()}`,
      requestBody: { required: true, content },
      responses: { "201": { description: "Created", content } },
    },
  };
}

function pathOfOne(tag: string, resource: string, { canDelete }: Api): object {
  const content = contentOf({ $ref: `#/components/schemas/${resource}` });
  return {
    parameters: [ID],
    get: {
      operationId: `read${resource}`,
      tags: [tag],
      summary: `Read a ${resource.toLowerCase()}`,
      responses: { "200": { description: "Found", content }, "404": { description: "Unknown" } },
    },
    ...(canDelete && {
      delete: {
        operationId: `delete${resource}`,
        tags: [tag],
        responses: { "204": { description: "Deleted" } },
      },
    }),
  };
}

function pathOfList(path: string, operationId: string, resource: string): object {
  const get = { operationId, summary: "List what belongs to it", responses: { "200": listOf(resource) } };
  return path.includes("{id}") ? { parameters: [ID], get } : { get };
}

function listOf(resource: string): object {
  const items = { $ref: `#/components/schemas/${resource}` };
  return { description: "A page", content: contentOf({ type: "array", items }) };
}

const contentOf = (schema: object) => ({ "application/json": { schema } });
