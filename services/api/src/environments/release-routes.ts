import * as operations from "@waymark/shared/environments/operations.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { Serve } from "../lib/serve.ts";
import { describeOne, previewRelease } from "./describe-release.ts";
import { buildCandidate, releaseJourneyAs, takeReleaseBackAs } from "./release-journey.ts";
import type { EnvironmentRouteDependencies } from "./route-definitions.ts";

export function registerReleaseRoutes(
  serve: Serve,
  { db, compiler }: Pick<EnvironmentRouteDependencies, "db" | "compiler">,
): void {
  serve(operations.previewJourneyRelease, async (request) => {
    const actor = actorOf(request);
    const candidate = await buildCandidate({ db, compiler }, actor, {
      ...request.params,
      ...request.query,
      permission: "environments:read",
    });
    return previewRelease(db, actor.organizationId, candidate);
  });

  serve(operations.releaseJourney, async (request) => {
    const { release, documents, environment } = await releaseJourneyAs(
      { db, compiler },
      {
        actor: actorOf(request),
        origin: auditOriginOf(request),
        ...request.params,
        ...request.body,
      },
    );
    return describeOne(release, documents, environment);
  });

  serve(operations.deleteJourneyRelease, async (request, reply) => {
    const actor = actorOf(request);
    await takeReleaseBackAs(db, { actor, origin: auditOriginOf(request), ...request.params });
    return reply.code(204).send(null);
  });
}
