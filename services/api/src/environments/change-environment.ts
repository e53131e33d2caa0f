import { isDeepStrictEqual } from "node:util";
import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import { type AuditOrigin, insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { hostsOf } from "@waymark/shared/environments/hosts/schema.ts";
import { ENVIRONMENT_LIMITS } from "@waymark/shared/environments/limits.ts";
import {
  countEnvironments,
  deleteEnvironment,
  type EnvironmentSettings,
  findEnvironmentByName,
  insertEnvironment,
  lockEnvironment,
  lockEnvironmentNames,
  updateEnvironment,
} from "@waymark/server/environments/queries.ts";
import type { Environment, EnvironmentRequest } from "@waymark/shared/environments/schema.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { v7 as uuidv7 } from "uuid";
import { authorizedEnvironment } from "./route-definitions.ts";

interface Change {
  actor: Actor;
  origin: AuditOrigin;
}

interface ChangeOfOne extends Change {
  environmentId: string;
}

/** @throws AppError `permission_denied`, `environment_name_taken` or `limit_reached` */
export async function createEnvironmentAs(
  db: DatabasePool,
  { actor, origin, request }: Change & { request: EnvironmentRequest },
): Promise<Environment> {
  authorize(actor, "environments:write", { resourceType: "environment" });
  const { organizationId, apiKeyId } = actor;
  return withOrganization(db, organizationId, async (tx) => {
    await lockEnvironmentNames(tx, organizationId);
    await assertNameIsFree(tx, organizationId, request.name);
    const { environmentsMax } = ENVIRONMENT_LIMITS;
    if ((await countEnvironments(tx, organizationId)) >= environmentsMax) {
      throw new AppError(
        "limit_reached",
        `An organization can have ${environmentsMax} environments. Delete one that is no longer needed.`,
      );
    }
    const environment = await insertEnvironment(tx, {
      ...settingsOf(request),
      organizationId,
      id: uuidv7(),
      createdByKeyId: apiKeyId,
    });
    await record(tx, { actor, origin }, "environment.created", environment, {});
    return environment;
  });
}

/** @throws AppError `permission_denied`, `not_found`, `revision_conflict` or `environment_name_taken` */
export async function replaceEnvironmentAs(
  db: DatabasePool,
  {
    actor,
    origin,
    environmentId,
    revision,
    request,
  }: ChangeOfOne & { revision: number; request: EnvironmentRequest },
): Promise<Environment> {
  const { organizationId } = actor;
  return withOrganization(db, organizationId, async (tx) => {
    await lockEnvironmentNames(tx, organizationId);
    const found = await lockEnvironment(tx, { organizationId, environmentId }, "exclusive");
    const before = authorizedEnvironment(actor, "environments:write", found);
    if (before.revision !== revision) {
      throw new AppError(
        "revision_conflict",
        `The environment was changed: its revision is ${before.revision}, If-Match names ${revision}. Read it again and apply your change to it.`,
      );
    }
    if (before.name !== request.name) await assertNameIsFree(tx, organizationId, request.name);
    const settings = settingsOf(request);
    const environment = await updateEnvironment(tx, { ...settings, organizationId, environmentId });
    const changed = changedFields(before, settings);
    await record(tx, { actor, origin }, "environment.updated", environment, {
      revision: environment.revision,
      changed,
    });
    return environment;
  });
}

/** Deletes the environment with its secrets and releases. @throws AppError `permission_denied`, `not_found`, `environment_in_use` */
export async function deleteEnvironmentAs(
  db: DatabasePool,
  { actor, origin, environmentId }: ChangeOfOne,
): Promise<void> {
  const { organizationId } = actor;
  await withOrganization(db, organizationId, async (tx) => {
    const found = await lockEnvironment(tx, { organizationId, environmentId }, "exclusive");
    const environment = authorizedEnvironment(actor, "environments:write", found);
    await record(tx, { actor, origin }, "environment.deleted", environment, {});
    if (await deleteEnvironment(tx, { organizationId, environmentId })) return;
    throw new AppError(
      "environment_in_use",
      "Runs or schedules need this environment. Delete its schedules; runs are deleted when their retention ends.",
    );
  });
}

async function assertNameIsFree(
  tx: DatabaseTransactionConnection,
  organizationId: string,
  name: string,
): Promise<void> {
  if ((await findEnvironmentByName(tx, { organizationId, name })) === null) return;
  throw new AppError("environment_name_taken", "There is already an environment with this name.");
}

function settingsOf({ allowedHosts, ...settings }: EnvironmentRequest): EnvironmentSettings {
  return { ...settings, allowedHosts: allowedHosts ?? hostsOf(settings.servers) };
}

/** The names of the settings that differ: their values may be long. */
function changedFields(before: Environment, after: EnvironmentSettings): string[] {
  const earlier = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([name, value]) => !isDeepStrictEqual(earlier.get(name), value),
  );
  return changed.map(([name]) => name);
}

async function record(
  tx: DatabaseTransactionConnection,
  { actor: { organizationId }, origin }: Change,
  action: "environment.created" | "environment.updated" | "environment.deleted",
  environment: Environment,
  details: { revision?: number; changed?: string[] },
): Promise<void> {
  await insertAuditEvent(tx, {
    ...origin,
    id: uuidv7(),
    organizationId,
    apiKeyId: null,
    action,
    details: { environmentId: environment.id, name: environment.name, ...details },
  });
}
