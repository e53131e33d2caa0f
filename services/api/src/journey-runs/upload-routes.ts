import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { readBlob } from "@waymark/server/db/blobs.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { findBuiltFrom } from "@waymark/server/journey-runs/builds/queries.ts";
import * as operations from "@waymark/shared/journey-runs/operations.ts";
import { pathOf } from "@waymark/shared/operations/request.ts";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { JourneyRunRouteDependencies } from "./route-definitions.ts";
import { triggerOf } from "./trigger.ts";
import { uploadResult } from "./upload-result.ts";
import type { Serve } from "../lib/serve.ts";

export function registerUploadRoutes(serve: Serve, dependencies: JourneyRunRouteDependencies): void {
  const { db, baseUrlOf } = dependencies;

  serve(operations.uploadJourneyResult, async (request, reply) => {
    const { result, ci = null, path = null } = request.body;
    const { isNew, artifact } = await uploadResult(dependencies, actorOf(request), {
      result,
      ci,
      path,
      trigger: triggerOf(request),
      origin: auditOriginOf(request),
    });
    return reply.code(isNew ? 201 : 200).send({
      runId: result.runId,
      status: result.status,
      artifact,
      programId: result.artifact,
      resultUrl: baseUrlOf(request) + pathOf(operations.getJourneyRun, result),
    });
  });

  serve(operations.getJourneyArtifact, async (request, reply) => {
    const actor = actorOf(request);
    const { organizationId } = actor;
    const hash = Buffer.from(request.params.hash, "hex");
    const bytes = await withOrganization(db, organizationId, async (tx) => {
      const built = await findBuiltFrom(tx, { organizationId, artifactHash: hash });
      authorize(
        actor,
        "journeys:read",
        built === null ? {} : { workflowId: built.documentId, environmentId: built.environmentId },
      );
      return built === null ? null : readBlob(tx, { organizationId, hash });
    });
    if (bytes === null) throw new AppError("not_found", "There is no artifact with this hash.");
    return reply.type("application/json; charset=utf-8").send(bytes.toString());
  });
}
