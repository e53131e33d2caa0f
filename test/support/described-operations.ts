import type { Stack } from "./stack.ts";

export interface JsonSchema {
  type?: string;
  format?: string;
  enum?: unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  $ref?: string;
  required?: string[];
  properties?: Record<string, JsonSchema>;
}

export interface Parameter {
  name: string;
  in: "query" | "path" | "header";
  required?: boolean;
  schema: JsonSchema;
}

export interface Operation {
  operationId: string;
  method: string;
  /** The pattern, such as `/api/scan-runs/{scanRunId}`. */
  path: string;
  parameters: Parameter[];
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, Partial<Operation> & { requestBody?: unknown; responses: unknown }>>;
  components: { schemas: Record<string, JsonSchema> };
}

export async function readOpenApi(stack: Stack): Promise<OpenApiDocument> {
  return (await stack.http.get<OpenApiDocument>("/openapi.json", { key: null })).body;
}

/** Every operation that the server describes, with its parameters. */
export function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId = "", parameters = [] }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      parameters,
    })),
  );
}
