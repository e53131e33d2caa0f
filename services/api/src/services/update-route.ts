import { insertAuditEvent } from "@waymark/server/audit/queries.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool, DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import {
  archiveService,
  lockServiceNames,
  renameService,
  setLabels,
  setLinks,
} from "@waymark/server/services/lifecycle.queries.ts";
import { findService, setDefaultBranch } from "@waymark/server/services/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import * as operations from "@waymark/shared/services/operations.ts";
import { ALIASES_MAX, type Service, type ServiceUpdate } from "@waymark/shared/services/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import { lockedCallerGrant } from "../lib/caller-grant.ts";
import { assertRecentSignIn } from "../lib/recent-sign-in.ts";
import type { RequestOf, Serve } from "../lib/serve.ts";
import { authorizedService } from "./authorized-service.ts";
import { assertMayName } from "./may-name.ts";
import { changeOwner } from "./set-owner.ts";

type AuditDetails = NonNullable<Parameters<typeof insertAuditEvent>[1]["details"]>;

/** Registers the route that changes a service. */
export function registerUpdateServiceRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.updateService, (request) => {
    const { organizationId } = actorOf(request);
    const { serviceId } = request.params;
    return withOrganization(db, organizationId, async (tx) => {
      const find = () => findService(tx, { organizationId, serviceId });
      let service = authorizedService(request, await find(), "services:update");
      const { ownerTeam } = request.body;
      const holder = ownerTeam === undefined ? undefined : await lockedCallerGrant(tx, actorOf(request));
      const changesNames = request.body.name !== undefined || request.body.aliases !== undefined;
      if (changesNames) await lockServiceNames(tx, { organizationId, serviceId });
      if (changesNames || holder !== undefined) {
        // Its names or its owner may have changed before they were locked.
        service = authorizedService(request, await find(), "services:update");
      }
      const changed = await applyUpdate(tx, request, service);
      if (ownerTeam !== undefined && holder !== undefined) {
        const owner = await changeOwner(tx, {
          organizationId,
          holder,
          service,
          name: ownerTeam,
          assertRecentSignIn: () => assertRecentSignIn(request),
        });
        if (owner !== undefined) changed["ownerTeam"] = owner.slug;
      }
      if (Object.keys(changed).length === 0) return service;
      await insertAuditEvent(tx, {
        id: uuidv7(),
        organizationId,
        apiKeyId: null,
        action: "service.updated",
        details: { serviceId, ...changed },
        ...auditOriginOf(request),
      });
      return (await find()) ?? service;
    });
  });
}

/** Applies what the request changes. Returns what differs from before, for the audit record. */
async function applyUpdate(
  tx: DatabaseTransactionConnection,
  request: RequestOf<typeof operations.updateService>,
  service: Service,
): Promise<AuditDetails> {
  const { organizationId } = actorOf(request);
  const of = { organizationId, serviceId: service.id };
  const { defaultBranch, archived, labels, links } = request.body;
  const changed: AuditDetails = {};
  const names = namesAfter(service, request.body);
  if (names !== undefined) {
    assertMayName(actorOf(request), { service, names });
    const outcome = await renameService(tx, { ...of, ...names });
    if (outcome === "taken") throw nameTaken();
    if (outcome === "renamed") Object.assign(changed, names);
  }
  if (defaultBranch !== undefined && (await setDefaultBranch(tx, { ...of, defaultBranch })))
    changed["defaultBranch"] = defaultBranch;
  if (archived !== undefined && (await archiveService(tx, { ...of, archived })))
    changed["archived"] = archived;
  if (labels !== undefined && (await setLabels(tx, { ...of, labels }))) changed["labels"] = labels;
  if (links !== undefined && (await setLinks(tx, { ...of, links }))) changed["links"] = links;
  return changed;
}

/**
 * Returns the names of a service after an update; undefined if it doesn't change them. A name that it is no longer shown by becomes an alias,
 * so that pipelines that send it go on.
 *
 * @throws AppError `limit_reached` if an alias too many would be kept
 */
function namesAfter(
  service: Service,
  update: ServiceUpdate,
): { name: string; aliases: string[] } | undefined {
  if (update.name === undefined && update.aliases === undefined) return undefined;
  const name = update.name ?? service.name;
  const aliases = [...new Set(update.aliases ?? [...service.aliases, service.name])].filter(
    (alias) => alias !== name,
  );
  if (aliases.length > ALIASES_MAX) {
    throw new AppError(
      "limit_reached",
      `A service has at most ${ALIASES_MAX} aliases. Send \`aliases\` without those that no pipeline uses any more.`,
    );
  }
  return { name, aliases };
}

/** Names no service: the caller may not be allowed to see it. */
function nameTaken(): AppError {
  return new AppError(
    "service_name_taken",
    "Another service has this name, as its name or as an alias. Choose another name, or rename or delete that service, or remove its alias, first.",
  );
}
