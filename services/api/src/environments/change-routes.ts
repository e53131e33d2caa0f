import { Environment, EnvironmentRequest } from "@waymark/shared/environments/schema.ts";
import { ENVIRONMENT_LIMITS } from "@waymark/shared/environments/limits.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { z } from "zod";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { createEnvironmentAs, deleteEnvironmentAs, replaceEnvironmentAs } from "./change-environment.ts";
import {
  CHANGE_ERRORS,
  ENVIRONMENT_ERRORS,
  EnvironmentParams,
  type EnvironmentRouteDependencies,
} from "./route-definitions.ts";

const config = { bodyBytesMax: ENVIRONMENT_LIMITS.bodyBytesMax };

const REVISION = 'is required: the environment\'s revision in quotes, such as "3"';
const RevisionHeader = z.object({
  "if-match": z
    .string(REVISION)
    .regex(/^"[0-9]{1,9}"$/, 'must be the environment\'s revision in quotes, such as "3"')
    .meta({ description: "The revision that the change was made from, in quotes." }),
});

export function registerChangeEnvironmentRoutes(
  app: ZodApp,
  { db, authenticate }: EnvironmentRouteDependencies,
): void {
  app.post(
    "/api/environments",
    {
      schema: {
        operationId: "createEnvironment",
        summary: "Create an environment",
        tags: ["environments"],
        body: EnvironmentRequest,
        response: { 201: Environment, ...ENVIRONMENT_ERRORS, 409: ErrorResponse },
      },
      config,
      onRequest: authenticate,
    },
    async (request, reply) => {
      const environment = await createEnvironmentAs(db, {
        actor: actorOf(request),
        origin: auditOriginOf(request),
        request: request.body,
      });
      return reply
        .code(201)
        .headers({ location: `/api/environments/${environment.id}`, etag: `"${environment.revision}"` })
        .send(environment);
    },
  );

  app.put(
    "/api/environments/:environmentId",
    {
      schema: {
        operationId: "replaceEnvironment",
        summary: "Replace an environment's settings",
        description:
          "Settings that are absent get their defaults. Secrets and releases stay, and so do the hosts of secrets.",
        tags: ["environments"],
        params: EnvironmentParams,
        headers: RevisionHeader,
        body: EnvironmentRequest,
        response: { 200: Environment, ...CHANGE_ERRORS, 412: ErrorResponse },
      },
      config,
      onRequest: authenticate,
    },
    async (request, reply) => {
      const environment = await replaceEnvironmentAs(db, {
        actor: actorOf(request),
        origin: auditOriginOf(request),
        environmentId: request.params.environmentId,
        revision: Number(request.headers["if-match"].slice(1, -1)),
        request: request.body,
      });
      return reply.header("etag", `"${environment.revision}"`).send(environment);
    },
  );

  app.delete(
    "/api/environments/:environmentId",
    {
      schema: {
        operationId: "deleteEnvironment",
        summary: "Delete an environment",
        description: "With its secrets and releases.",
        tags: ["environments"],
        params: EnvironmentParams,
        response: { 204: z.null(), ...CHANGE_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      await deleteEnvironmentAs(db, {
        actor: actorOf(request),
        origin: auditOriginOf(request),
        environmentId: request.params.environmentId,
      });
      return reply.code(204).send(null);
    },
  );
}
