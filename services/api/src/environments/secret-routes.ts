import { withOrganization } from "@waymark/shared/db/organization.ts";
import { ENVIRONMENT_LIMITS } from "@waymark/shared/environments/limits.ts";
import { findEnvironment } from "@waymark/shared/environments/queries.ts";
import { listSecrets } from "@waymark/shared/environments/secrets/queries.ts";
import {
  EnvironmentSecretList,
  SecretName,
  SetSecretRequest,
} from "@waymark/shared/environments/secrets/schema.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { z } from "zod";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { deleteSecretAs, setSecretAs } from "./change-secret.ts";
import {
  authorizedEnvironment,
  CHANGE_ERRORS,
  ENVIRONMENT_ERRORS,
  EnvironmentParams,
  type EnvironmentRouteDependencies,
} from "./route-definitions.ts";

const SecretParams = EnvironmentParams.extend({ name: SecretName });

/** JSON may write each byte of a value as six characters. */
const BODY_BYTES_MAX = 6 * ENVIRONMENT_LIMITS.secretBytesMax + 16 * 1024;

export function registerSecretRoutes(
  app: ZodApp,
  { db, authenticate, keyRing }: EnvironmentRouteDependencies,
): void {
  app.get(
    "/api/environments/:environmentId/secrets",
    {
      schema: {
        operationId: "listEnvironmentSecrets",
        summary: "List an environment's secrets",
        description: "Names, hosts, versions and last use. No response ever contains a value.",
        tags: ["environments"],
        params: EnvironmentParams,
        response: { 200: EnvironmentSecretList, ...ENVIRONMENT_ERRORS, 404: ErrorResponse },
      },
      onRequest: authenticate,
    },
    async (request) => {
      const actor = actorOf(request);
      const environmentRef = { organizationId: actor.organizationId, ...request.params };
      return withOrganization(db, actor.organizationId, async (tx) => {
        authorizedEnvironment(actor, "environments:read", await findEnvironment(tx, environmentRef));
        return { secrets: await listSecrets(tx, environmentRef) };
      });
    },
  );

  app.put(
    "/api/environments/:environmentId/secrets/:name",
    {
      schema: {
        operationId: "setEnvironmentSecret",
        summary: "Set a secret",
        description: "Creates it or replaces its value. The value is encrypted, and can't be read again.",
        tags: ["environments"],
        params: SecretParams,
        body: SetSecretRequest,
        response: { 204: z.null(), ...CHANGE_ERRORS },
      },
      config: { bodyBytesMax: BODY_BYTES_MAX },
      onRequest: authenticate,
    },
    async (request, reply) => {
      await setSecretAs(db, keyRing, {
        actor: actorOf(request),
        origin: auditOriginOf(request),
        ...request.params,
        request: request.body,
      });
      return reply.code(204).send(null);
    },
  );

  app.delete(
    "/api/environments/:environmentId/secrets/:name",
    {
      schema: {
        operationId: "deleteEnvironmentSecret",
        summary: "Delete a secret",
        tags: ["environments"],
        params: SecretParams,
        response: { 204: z.null(), ...CHANGE_ERRORS },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const origin = auditOriginOf(request);
      await deleteSecretAs(db, { actor: actorOf(request), origin, ...request.params });
      return reply.code(204).send(null);
    },
  );
}
