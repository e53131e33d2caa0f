import type { PgPool, DatabasePool } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import type { Compiler } from "@waymark/server/journeys/compiler/compiler.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import * as operations from "@waymark/shared/scans/descriptions/operations.ts";
import { sha256OfDigest } from "@waymark/shared/scans/descriptions/schema.ts";
import { storesDescriptions } from "@waymark/server/organizations/queries.ts";
import { readEndedScanRuns } from "@waymark/server/scans/progress.queries.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { findScanRun } from "@waymark/server/scans/queries.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { actorOf, type Authenticate } from "../../lib/authenticate.ts";
import { completedRun } from "../../lib/completed-run.ts";
import { createServe, type ReplyOf, type RequestOf } from "../../lib/serve.ts";
import type { Waits } from "../../lib/waits/waits.ts";
import { validationError, type ZodApp, zodValidator } from "../../lib/zod-routes.ts";
import { authorizedRun } from "../authorized-run.ts";
import type { DailyQuotas } from "../daily-quota.ts";
import { readText } from "./read-text.ts";
import { linkKnown, type StoredDescription, storeText } from "./store-description.ts";

export interface DescriptionRouteDependencies {
  db: DatabasePool;
  pool: PgPool;
  waits: Waits;
  /** Reads texts outside of this process. */
  compiler: Compiler;
  authenticate: Authenticate;
  quotas: DailyQuotas;
  /** The limit of one decoded scan. */
  bodyBytesMax: number;
}

type PutRequest = RequestOf<typeof operations.putScanDescription>;
type PutReply = ReplyOf<typeof operations.putScanDescription>;

const MEDIA_TYPES = [
  "application/json",
  "application/yaml",
  "application/x-yaml",
  "text/yaml",
  "application/openapi+json",
  "application/openapi+yaml",
];

/** Registers the route that stores descriptions, in a separate app, whose bodies stay bytes. */
export function registerPutDescriptionRoute(app: ZodApp, dependencies: DescriptionRouteDependencies): void {
  const { db, pool, waits, compiler, quotas } = dependencies;
  const bytesMax = Math.min(SCAN_LIMITS.descriptionBytesMax, 2 * dependencies.bodyBytesMax);
  useTextAsSent(app);
  const serve = createServe(app, dependencies.authenticate);
  const runWaits = waits.watch((rows) => readEndedScanRuns(pool, rows));

  const findRun = async (request: FastifyRequest, scanRunId: string): Promise<ScanRun> => {
    const { organizationId, apiKeyId } = actorOf(request);
    const { found, isStored } = await withOrganization(db, organizationId, async (tx) => ({
      found: await findScanRun(tx, { organizationId, scanRunId }),
      isStored: await storesDescriptions(tx, organizationId),
    }));
    // The key that has submitted the run may say what it was scanned from.
    const isOwn = found?.createdByKeyId === apiKeyId;
    const run = isOwn ? found : authorizedRun(request, "endpoints:write", found);
    if (isStored) return run;
    throw new AppError(
      "descriptions_disabled",
      "This organization stores no descriptions: its operator has switched them off.",
    );
  };
  /** Returns the run when it is completed, or after the time that the request gives it. */
  const findCompleted = async (request: PutRequest, reply: PutReply): Promise<ScanRun> => {
    const { scanRunId } = request.params;
    const run = await findRun(request, scanRunId);
    const { waitSeconds } = request.query;
    if (run.status !== "accepted" || waitSeconds === 0) return completedRun(run);
    await runWaits.until({ actor: actorOf(request), reply, id: run.id, waitSeconds }, (isEnded) => isEnded);
    return completedRun(await findRun(request, scanRunId));
  };

  serve(
    operations.putScanDescription,
    async (request, reply) => {
      const { organizationId, apiKeyId } = actorOf(request);
      const digest = request.headers["repr-digest"];
      const body: unknown = request.body;
      if (!Buffer.isBuffer(body) || body.length === 0) {
        if (digest === undefined)
          throw validationError([{ path: "", message: "a text or Repr-Digest is required" }]);
        const run = await findCompleted(request, reply);
        const hash = Buffer.from(sha256OfDigest(digest), "base64").toString("hex");
        const linked = await linkKnown(db, { organizationId, run, hash, apiKeyId });
        return reply.code(linked.isNew ? 201 : 200).send(linked.description);
      }
      const bytes = await app.decodeBody(request, body);
      const quota = quotas({ organizationId, bytes: bytes.length, scans: 0 }, reply);
      quota?.assertRoom();
      const text = await readText(compiler, { organizationId, bytes, bytesMax, digest });
      const run = await findCompleted(request, reply);
      const storing = storeText(db, { organizationId, run, text, apiKeyId, counted: quota?.counted ?? null });
      const stored = await (quota === null ? storing : quota.accept<StoredDescription>(storing));
      return reply.code(stored.isNew ? 201 : 200).send(stored.description);
    },
    {
      // Before the body is read.
      onRequest: async (request) => {
        await findRun(request, validParams(request).scanRunId);
      },
      config: { bodyBytesMax: bytesMax, bodyBytesCap: bytesMax, acceptsBrotli: true },
      validatorCompiler: ({ httpPart }) =>
        httpPart === "body" ? keepBytes : (validators.get(httpPart ?? "") ?? keepBytes),
    },
  );
}

const { params, query, headers } = operations.putScanDescription;
const validators = new Map<string, ReturnType<typeof zodValidator>>([
  ["params", zodValidator({ schema: params, httpPart: "params" })],
  ["querystring", zodValidator({ schema: query, httpPart: "querystring" })],
  ["headers", zodValidator({ schema: headers, httpPart: "headers" })],
]);

function keepBytes(value: unknown) {
  return { value };
}

/** Reads the parameters before the framework validates them. @throws AppError `not_found` */
function validParams(request: FastifyRequest): PutRequest["params"] {
  const parsed = params.safeParse(request.params);
  if (parsed.success) return parsed.data;
  throw new AppError("not_found", "Nothing exists with this id.");
}

function useTextAsSent(app: FastifyInstance): void {
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser(MEDIA_TYPES, (request: FastifyRequest) => app.readBodyAsSent(request));
  app.addContentTypeParser("*", async () => {
    throw new AppError(
      "unsupported_media_type",
      "Send the description with Content-Type: application/json or application/yaml.",
    );
  });
}
