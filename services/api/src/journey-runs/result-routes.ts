import { REPORT_MEDIA_TYPES } from "@waymark/journeys/report/formats.ts";
import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { type FoundJourneyRun, readJourneyResult } from "@waymark/server/journey-runs/queries.ts";
import { VERSION } from "@waymark/shared/version.ts";
import * as operations from "@waymark/shared/journey-runs/operations.ts";
import { actorOf } from "../lib/authenticate.ts";
import { matchesEtag, notModified } from "../lib/etag.ts";
import { findAuthorizedRun, type JourneyRunRouteDependencies } from "./route-definitions.ts";
import type { Serve } from "../lib/serve.ts";

type ResultRouteDependencies = Pick<JourneyRunRouteDependencies, "db" | "reports">;

export function registerRunResultRoutes(serve: Serve, { db, reports }: ResultRouteDependencies): void {
  serve(operations.getJourneyRunResult, async (request, reply) => {
    const { found, read } = await findResult(actorOf(request), request.params.runId);
    if (found.resultHash === null) throw noResult(found);
    const etag = etagOf(found, "result");
    // Without reading a result of up to 8 MB, or rendering its report.
    if (matchesEtag(request.headers["if-none-match"], etag)) return notModified(reply, etag).send();
    reply.header("etag", etag);
    // As it was stored: reading and writing 8 MB again would stop all other requests for 0.2 s.
    return reply.type(REPORT_MEDIA_TYPES.json).send(await read());
  });

  serve(
    operations.getJourneyRunReport,
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
      return reply.type(REPORT_MEDIA_TYPES[format]).header("content-disposition", name).send(report);
    },
    { config: { compressesBytes: true } },
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
