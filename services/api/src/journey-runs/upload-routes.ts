import { JourneyResult } from "@waymark/journeys/result/result-model.ts";
import { authorize } from "@waymark/shared/api-keys/authorize.ts";
import { readBlob } from "@waymark/shared/db/blobs.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { findBuiltFrom } from "@waymark/shared/journey-runs/builds/queries.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import { JourneyRunCi, UploadedJourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { DocumentPath } from "@waymark/shared/journeys/schema.ts";
import { OpenObject, Uuid } from "@waymark/shared/lib/schema.ts";
import { z } from "zod";
import { auditOriginOf } from "../lib/audit-origin.ts";
import { actorOf } from "../lib/authenticate.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import { type JourneyRunRouteDependencies, RUN_ERRORS, START_ERRORS } from "./route-definitions.ts";
import { triggerOf } from "./trigger.ts";
import { uploadResult } from "./upload-result.ts";

const UploadRequest = z
  .strictObject({
    // Inputs as those of a run that is started here: they are stored and shown in the same way.
    result: JourneyResult.extend({ runId: Uuid, inputs: OpenObject }).meta({
      id: "UploadedJourneyResult",
      description: "As `waymark journey run --report json=…` writes it.",
    }),
    ci: JourneyRunCi.optional(),
    path: DocumentPath.optional().meta({
      description:
        "The path of the journey's document: if the server has not built its artifact yet, it builds it for the environment that the result names.",
    }),
  })
  .meta({ id: "UploadJourneyResultRequest" });

const ArtifactParams = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/) });

export function registerUploadRoutes(app: ZodApp, dependencies: JourneyRunRouteDependencies): void {
  const { db, authenticate, baseUrlOf } = dependencies;

  app.post(
    "/api/journey-results",
    {
      schema: {
        operationId: "uploadJourneyResult",
        summary: "Upload the result of a run",
        description:
          "Of a run elsewhere, such as in a pipeline. It is stored as a claim of its uploader, if it does not contradict an artifact that this server built. The same result is stored once: then the response is 200.",
        tags: ["journey runs"],
        body: UploadRequest,
        response: { 200: UploadedJourneyRun, 201: UploadedJourneyRun, ...START_ERRORS, 413: ErrorResponse },
      },
      config: { bodyBytesMax: JOURNEY_RUN_LIMITS.uploadBytesMax },
      onRequest: authenticate,
    },
    async (request, reply) => {
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
        resultUrl: `${baseUrlOf(request)}/api/journey-runs/${result.runId}`,
      });
    },
  );

  app.get(
    "/api/journey-artifacts/:hash",
    {
      schema: {
        operationId: "getJourneyArtifact",
        summary: "Read an artifact",
        description:
          "The file that a run executes, byte for byte, under the SHA-256 of its bytes. It never changes.",
        tags: ["journey runs"],
        params: ArtifactParams,
        response: {
          200: z.string().meta({ description: "JSON, as `waymark journey build` writes it." }),
          ...RUN_ERRORS,
        },
      },
      onRequest: authenticate,
    },
    async (request, reply) => {
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
    },
  );
}
