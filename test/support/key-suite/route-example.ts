import type { RouteWorld } from "./world.ts";

export interface RouteRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A request that tries an operation with every kind of key. */
export interface RouteExample {
  /** Creates a request that succeeds with the operation's permissions. Called for each attempt, so that it may use something up. */
  request: (world: RouteWorld) => RouteRequest | Promise<RouteRequest>;
  /** 400, 404 and 409 where the world has nothing to do it to, and 422 where it can't reach what the operation reads. */
  success: 200 | 201 | 202 | 204 | 400 | 404 | 409 | 422;
  /**
   * The response for another organization's key with full access: an error, or a response about its own organization, without
   * any data of this one.
   */
  stranger: "not_found" | "organization_mismatch" | "artifact_unknown" | "validation_failed" | "its own";
  /** True if each request makes a resource and uses it up: no scope can be limited to it before. */
  usesUp?: true;
}

export const get = (path: string): RouteRequest => ({ method: "GET", path });
export const post = (path: string, body: unknown = {}): RouteRequest => ({ method: "POST", path, body });

export function ofOrganization(request: RouteExample["request"], success: 200 | 201 = 200): RouteExample {
  return { request, success, stranger: "its own" };
}

/** A list over all services: a key that is limited to some gets what belongs to these. */
export function ofVisibleServices(path: string): RouteExample {
  return {
    request: () => get(path),
    success: 200,
    stranger: "its own",
  };
}
