import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { findRunTarget } from "@waymark/server/journey-runs/start/find-target.ts";
import { prepareRun } from "@waymark/server/journey-runs/start/prepare-run.ts";
import type { Compiler } from "@waymark/server/journeys/compiler/compiler.ts";
import type { SchedulerContext } from "./scheduler.ts";

/** Builds the journey of a schedule as a request for a run does: the key that set the schedule was allowed to. */
export function createPreparation(dependencies: {
  db: DatabasePool;
  compiler: Compiler;
}): SchedulerContext["prepare"] {
  return async ({ organizationId, documentId, environmentId, version }) => {
    const wanted = {
      journeyId: documentId,
      environmentId,
      ...(version === null ? {} : { version }),
    };
    const target = await withOrganization(dependencies.db, organizationId, (tx) =>
      findRunTarget(tx, { organizationId, wanted, assertAllowed: () => undefined, mayRead: () => true }),
    );
    return prepareRun(dependencies, { organizationId, target });
  };
}
