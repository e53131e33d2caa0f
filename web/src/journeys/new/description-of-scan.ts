import { pathParameters } from "@waymark/journey-authoring/template/openapi-shape.ts";
import type { ServiceEndpoint } from "@waymark/shared/scans/schema.ts";

type Endpoint = Pick<ServiceEndpoint, "method" | "path" | "operationId" | "summary">;

/**
 * Returns an OpenAPI description with the parts of the scanned one that a scan stores: methods, paths and their
 * parameters, operation ids and summaries. It has no schemas.
 */
export function descriptionOfScan(serviceName: string, endpoints: readonly Endpoint[]): string {
  const paths = new Map<string, Record<string, unknown>>();
  for (const { method, path, operationId, summary } of endpoints) {
    const item = paths.get(path) ?? {};
    const parameters = pathParameters(path).map((name) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    }));
    item[method.toLowerCase()] = {
      ...(operationId !== null && { operationId }),
      ...(summary !== null && { summary }),
      ...(parameters.length > 0 && { parameters }),
      responses: { default: { description: "Not described: made from a scan" } },
    };
    paths.set(path, item);
  }
  const info = { title: serviceName, version: "1.0.0", description: "Made from the endpoints of a scan." };
  return `${JSON.stringify({ openapi: "3.1.0", info, paths: Object.fromEntries(paths) }, null, 2)}\n`;
}
