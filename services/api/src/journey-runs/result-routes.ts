import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/shared/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { ErrorResponse } from "@waymark/shared/errors/schema.ts";
import { type FoundJourneyRun, readJourneyResult } from "@waymark/shared/journey-runs/queries.ts";
import { VERSION } from "@waymark/shared/version.ts";
import { z } from "zod";
import { actorOf } from "../lib/authenticate.ts";
import { matchesEtag, notModified } from "../lib/etag.ts";
import type { ZodApp } from "../lib/zod-routes.ts";
import {
  findAuthorizedRun,
  type JourneyRunRouteDependencies,
  RUN_ERRORS,
  RunParams,
} from "./route-definitions.ts";

const ReportParams = RunParams.extend({ format: z.enum(["json", "junit", "html", "har", "ctrf"]) });

// Not checked and not read: it is sent as it was stored.
const Result = z.unknown().meta({
  id: "JourneyResult",
  type: "object",
  description: "The one document of a run, as `waymark journey run --report json=…` writes it.",
});

const MEDIA_TYPES = {
  json: "application/json; charset=utf-8",
  junit: "application/xml; charset=utf-8",
  // Foreign text: it is saved, and never shown as a page of this server.
  html: "application/octet-stream",
  har: "application/json; charset=utf-8",
  ctrf: "application/json; charset=utf-8",
} as const;

type ResultRouteDependencies = Pick<JourneyRunRouteDependencies, "db" | "authenticate" | "reports">;

export function registerRunResultRoutes(
  app: ZodApp,
  { db, authenticate, reports }: ResultRouteDependencies,
): void {
  app.get(
    "/api/journey-runs/:runId/result",
    {
      schema: {
        operationId: "getJourneyRunResult",
        summary: "Read the result of a run",
        description:
          "Before the run has ended, the response is 409 with Retry-After. `GET …/steps` with `waitSeconds` waits for the end.",
        tags: ["journey runs"],
        params: RunParams,
        response: { 200: Result, ...RUN_ERRORS, 409: ErrorResponse },
      },
      config: { revalidates: true },
      onRequest: authenticate,
    },
    async (request, reply) => {
      const { found, read } = await findResult(actorOf(request), request.params.runId);
      if (found.resultHash === null) throw noResult(found);
      const etag = etagOf(found, "result");
      // Without reading a result of up to 8 MB, or rendering its report.
      if (matchesEtag(request.headers["if-none-match"], etag)) return notModified(reply, etag).send();
      reply.header("etag", etag);
      // As it was stored: reading and writing 8 MB again would stop all other requests for 0.2 s.
      return reply.type(MEDIA_TYPES.json).send(await read());
    },
  );

  app.get(
    "/api/journey-runs/:runId/reports/:format",
    {
      schema: {
        operationId: "getJourneyRunReport",
        summary: "Read a report of a run",
        description: "Made from the result, as the command makes it. HTML is to be saved.",
        tags: ["journey runs"],
        params: ReportParams,
        response: {
          200: z.unknown().meta({ type: "string" }),
          ...RUN_ERRORS,
          409: ErrorResponse,
          503: ErrorResponse,
        },
      },
      onRequest: authenticate,
      config: { compressesBytes: true, revalidates: true },
    },
    async (request, reply) => {
      const { runId, format } = request.params;
      const { organizationId } = actorOf(request);
      const { found, read } = await findResult(actorOf(request), runId);
      if (found.resultHash === null) throw noResult(found);
      const etag = etagOf(found, format);
      // Without reading a result of up to 8 MB, or rendering its report.
      if (matchesEtag(request.headers["if-none-match"], etag)) return notModified(reply, etag).send();
      reply.header("etag", etag);
      // Retention takes evidence away, which changes the result.
      const resultKey = `${runId} ${found.run.kept} ${found.resultHash.toString("hex")}`;
      const name = `attachment; filename="${runId}.${format === "html" ? "html" : `${format}.txt`}"`;
      const report = await reports.render({ organizationId, resultKey, format, read });
      return reply.type(MEDIA_TYPES[format]).header("content-disposition", name).send(report);
    },
  );

  async function findResult(
    actor: Actor,
    runId: string,
  ): Promise<{ found: FoundJourneyRun; read: () => Promise<string> }> {
    const { organizationId } = actor;
    const found = await withOrganization(db, organizationId, (tx) =>
      findAuthorizedRun(tx, actor, { runId, permission: "journeys:read" }),
    );
    const { resultHash } = found;
    const read = async () => {
      const text = await withOrganization(db, organizationId, (tx) =>
        readJourneyResult(tx, { organizationId, runId, resultHash }),
      );
      // Retention has deleted it since.
      if (text === null) throw new AppError("not_found", DELETED);
      return text;
    };
    return { found, read };
  }
}

/** Returns the ETag of a representation of a result. Reports can differ between versions of Waymark. */
function etagOf({ run, resultHash }: FoundJourneyRun, representation: string): string {
  return `W/"${resultHash?.toString("base64url")}.${run.kept}.${representation}.${VERSION}"`;
}

/** Most runs end within this time. */
const RETRY_AFTER_SECONDS = 5;
const DELETED = "The result of this run was deleted for its age.";

function noResult({ run }: FoundJourneyRun): AppError {
  if (run.endedAt !== null) return new AppError("not_found", DELETED);
  const message = `The run ${run.id} is ${run.status} and has no result yet. Try again when it has ended.`;
  return new AppError("run_not_completed", message, { data: { retryAfterSeconds: RETRY_AFTER_SECONDS } });
}
