import type { IncomingMessage, ServerResponse } from "node:http";
import { asRead } from "@waymark/server/db/replica/as-read.ts";
import type { NeededPermission } from "@waymark/shared/api-keys/schema.ts";
import {
  NO_QUERY,
  type Operation,
  responsesOf,
  type SuccessStatus,
} from "@waymark/shared/operations/operation.ts";
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onSendHookHandler,
  RawServerDefault,
  RouteGenericInterface,
  RouteOptions,
  RouteShorthandOptions,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import type { Authenticate } from "./authenticate.ts";
import { assertRecentSignIn } from "./recent-sign-in.ts";

type PartOf<O extends Operation, Name extends "params" | "query" | "headers" | "body"> =
  O extends Record<Name, infer Schema extends z.ZodType> ? z.output<Schema> : unknown;

type ResponseOf<O extends Operation, Status extends SuccessStatus> =
  O["responses"] extends Record<Status, infer Schema extends z.ZodType> ? z.output<Schema> : never;

/** A request of an operation, with its validated parts. */
export type RequestOf<O extends Operation> = FastifyRequest<{
  Params: PartOf<O, "params">;
  Querystring: PartOf<O, "query">;
  Headers: PartOf<O, "headers">;
  Body: PartOf<O, "body">;
}>;

/** A reply that sends what the operation declares. */
export type ReplyOf<O extends Operation> = FastifyReply<
  RouteGenericInterface,
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyContextConfig,
  { response: O["responses"] },
  ZodTypeProvider
>;

/** Answers a request of the operation. A returned value is sent with the status 200. */
export type Handler<O extends Operation> = (
  request: RequestOf<O>,
  reply: ReplyOf<O>,
) => Promise<ResponseOf<O, 200> | ReplyOf<O>>;

export interface ServeOptions extends Pick<RouteShorthandOptions, "errorHandler" | "validatorCompiler"> {
  /** Runs before the body is read: after the authentication, or instead of it if the operation is public. */
  onRequest?: Authenticate;
  config?: FastifyContextConfig;
}

/** Registers the route of an operation. */
export type Serve = <O extends Operation>(declared: O, handler: Handler<O>, options?: ServeOptions) => void;

/**
 * Makes routes from operations. A route authenticates unless its operation is public, and validates what the operation declares. Its
 * handler checks the operation's permissions for the resource that it finds: a route that has not checked all of them does not respond.
 */
export function createServe(app: FastifyInstance, authenticate: Authenticate): Serve {
  return (declared, handler, { onRequest, config = {}, ...options } = {}) => {
    const isPublic = declared.access === "public";
    const guarded = guardedPermissions(declared);
    const { id: operationId, summary, description, tag, params, headers, body, query = NO_QUERY } = declared;
    const route: RouteOptions = {
      method: declared.method,
      url: declared.path,
      schema: {
        operationId,
        summary,
        ...(description !== undefined && { description }),
        tags: [tag],
        ...(isPublic && { security: [] }),
        ...(params && { params }),
        ...(headers && { headers }),
        querystring: query,
        ...(body && { body }),
        response: responsesOf(declared),
      },
      config: {
        ...(declared.limits && { limits: declared.limits }),
        ...(declared.bodyBytesMax !== undefined && { bodyBytesMax: declared.bodyBytesMax }),
        ...(declared.revalidates && { revalidates: true }),
        ...config,
      },
      onRequest: [
        ...(isPublic ? [] : [authenticate]),
        ...(declared.needsRecentSignIn ? [assertRecentSignIn] : []),
        ...(guarded.length > 0 ? [collectChecks] : []),
        ...(onRequest ? [onRequest] : []),
      ],
      ...(guarded.length > 0 && { onSend: assertChecked(operationId, guarded) }),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation types it, from the same schemas as Fastify would
      handler: (declared.method === "GET"
        ? readOnly(handler)
        : handler) as unknown as RouteOptions["handler"],
      ...options,
    };
    app.route(route);
  };
}

/** The handler of a request that changes nothing. */
function readOnly<O extends Operation>(handler: Handler<O>): Handler<O> {
  return (request, reply) => asRead(() => handler(request, reply));
}

/** The permissions that every successful request of the operation has to check. */
function guardedPermissions({ access }: Operation): readonly NeededPermission[] {
  return access === "public" || access.unless !== undefined ? [] : access.needs;
}

async function collectChecks(request: FastifyRequest): Promise<void> {
  if (request.actor !== null) request.actor = { ...request.actor, checked: new Set() };
}

/** Replaces the response of a route that forgot a permission by an internal error, before a byte is sent. */
function assertChecked(operationId: string, guarded: readonly NeededPermission[]): onSendHookHandler {
  return (request, reply, payload, done) => {
    const forgotten = guarded.filter((permission) => request.actor?.checked?.has(permission) !== true);
    const isFault = reply.statusCode < 400 && forgotten.length > 0;
    if (isFault) done(new Error(`${operationId} did not check ${forgotten.join(" and ")}`));
    else done(null, payload);
  };
}
