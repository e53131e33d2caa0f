import { z } from "zod";
import type { NeededPermission } from "../api-keys/schema.ts";
import { ErrorResponse } from "../errors/schema.ts";
import type { OperationLimits } from "./limits.ts";

/** The address of an operation. Clients load it without the operation's texts and schemas, so it is declared beside them. */
export interface Address {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path, with parameters such as `:serviceId`. */
  readonly path: `/api/${string}`;
}

/**
 * An operation of the HTTP API. Its route, its part of `/openapi.json`, the requests of the command and the tests of keys
 * all follow from it.
 */
export interface Operation extends Address {
  /** The `operationId`, which never changes. */
  readonly id: string;
  /** A line for lists of operations, without a full stop. */
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  /** A strict object. An operation without one takes no query. */
  readonly query?: z.ZodObject;
  /** The names of headers are in lower case. */
  readonly headers?: z.ZodObject;
  /** A body that accepts null may be absent. */
  readonly body?: z.ZodType;
  /** The maximum size of the body in bytes, compressed or not. Default: 1 MiB, or `MAX_BODY_BYTES` if that is less. */
  readonly bodyBytesMax?: number;
  /** The responses of success, by status. */
  readonly responses: Responses;
  /** Statuses of errors besides those that follow from the rest, as `errorStatuses` has them. */
  readonly errors?: readonly ErrorStatus[];
  /** The limits that its requests count towards. Default: `default`. */
  readonly limits?: OperationLimits;
  /**
   * True if a session must have signed in lately, because the request can do much harm, or makes a key or gives rights by which somebody could.
   * It has no effect on requests with a key.
   */
  readonly needsRecentSignIn?: true;
  /** True if responses have an ETag, so that a client that has them gets 304 without their content. */
  readonly revalidates?: true;
}

export type Responses = { readonly [Status in SuccessStatus]?: z.ZodType };
export type SuccessStatus = 200 | 201 | 202 | 204;
export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 412 | 413 | 415 | 422 | 429 | 503;

/** The callers of an operation: everybody, or whoever has a valid key with all of these permissions. */
export type Access = "public" | KeyAccess;

export interface KeyAccess {
  /** All of them are needed. None: every valid key may call it. */
  readonly needs: readonly NeededPermission[];
  /** The kinds of resources that the scopes may be limited to: they grant the operation for the one that they name. */
  readonly within?: readonly ("service" | "environment" | "workflow")[];
  /** The `resourceType` that the scopes may be limited to: that of the items of a list, or of what is created. */
  readonly resourceType?: "service" | "environment" | "workflow" | "api_key";
  /** True for a list that has the items that the key may read, and no others. */
  readonly isFiltered?: true;
  /** A case in which less is needed, such as "the key revokes itself". Then no guard sees that the handler checks `needs`. */
  readonly unless?: string;
}

/** Returns an operation with the types of its parts. */
export function operation<const O extends Operation>(declared: O): O {
  return declared;
}

/** The response of an operation that has nothing to return. */
export const NoContent = z.null();

/** The query of an operation that takes none. */
export const NO_QUERY = z.strictObject({});

/**
 * The statuses of an operation's errors. Every operation refuses an unknown query field (400) and too many requests (429), every
 * one that needs a key refuses a wrong key (401) and one that may not call it (403), and what a path names may not exist (404).
 */
export function errorStatuses({ access, params, errors = [] }: Operation): ErrorStatus[] {
  const ofKeys = access === "public" ? [] : ([401, 403] as const);
  const ofPath = params === undefined ? [] : ([404] as const);
  return [...new Set<ErrorStatus>([400, ...ofKeys, ...ofPath, 429, ...errors])].toSorted((a, b) => a - b);
}

/** All responses of an operation, by status. */
export function responsesOf<O extends Operation>(declared: O): O["responses"] & ErrorResponses {
  const errors = errorStatuses(declared).map((status) => [status, ErrorResponse] as const);
  return { ...declared.responses, ...Object.fromEntries(errors) };
}

type ErrorResponses = { readonly [Status in ErrorStatus]?: typeof ErrorResponse };
