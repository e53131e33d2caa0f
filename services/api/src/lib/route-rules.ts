import { AppError } from "@waymark/shared/errors/app-error.ts";
import { NO_QUERY } from "@waymark/shared/operations/operation.ts";
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import { z } from "zod";

/** Finds the methods of the routes at an address. */
export interface RouteIndex {
  methodsAt: (url: string) => readonly string[];
}

/**
 * Applies the rules that all routes share, so that a new route can't miss one. Register it before the routes.
 *
 * - A route of the API without a schema of its query takes no query: unknown query fields are refused on every route.
 * - A query must be validly percent-encoded. The parser of queries would keep other text as it is.
 * - `methodsAt` knows every route, for responses with 405.
 */
export function registerRouteRules(app: FastifyInstance): RouteIndex {
  const addresses = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook("onRoute", (route) => {
    const address = addresses.get(route.url) ?? { pattern: patternOf(route.url), methods: new Set() };
    for (const method of [route.method].flat()) address.methods.add(method);
    addresses.set(route.url, address);
    if (route.url.startsWith("/api/")) applyQueryRules(route);
  });
  return {
    methodsAt(url) {
      const path = url.split("?", 1)[0] ?? "";
      const found = [...addresses.values()].filter(({ pattern }) => pattern.test(path));
      return [...new Set(found.flatMap(({ methods }) => [...methods]))].toSorted();
    },
  };
}

function applyQueryRules(route: RouteOptions): void {
  const querystring = route.schema?.querystring ?? NO_QUERY;
  if (!isStrict(querystring)) {
    throw new Error(`the query of ${String(route.method)} ${route.url} must be a z.strictObject`);
  }
  route.schema = { ...route.schema, querystring };
  route.preValidation = [assertQueryEncoding, ...[route.preValidation ?? []].flat()];
}

function isStrict(schema: unknown): boolean {
  return schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever;
}

async function assertQueryEncoding({ url }: FastifyRequest): Promise<void> {
  const start = url.indexOf("?");
  if (start === -1) return;
  try {
    decodeURIComponent(url.slice(start + 1));
  } catch (error) {
    throw new AppError("validation_failed", "The query is not validly percent-encoded.", { cause: error });
  }
}

/** Parameters of a pattern match one segment, and `*` matches every rest. */
function patternOf(url: string): RegExp {
  const source = url
    .split("/")
    .map((segment) => {
      if (segment === "*") return ".*";
      return segment.startsWith(":") ? "[^/]+" : segment.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    })
    .join("/");
  return new RegExp(`^${source}$`);
}
