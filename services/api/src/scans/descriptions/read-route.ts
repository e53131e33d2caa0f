import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabasePool } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { readTextChunk } from "@waymark/server/lib/text-chunks.ts";
import * as operations from "@waymark/shared/scans/descriptions/operations.ts";
import { findScanDescription, readDescriptionChunks } from "@waymark/server/scans/descriptions/queries.ts";
import { findScanRun } from "@waymark/server/scans/queries.ts";
import { acceptsGzip } from "../../lib/accepts-gzip.ts";
import { actorOf } from "../../lib/authenticate.ts";
import { matchesEtag, notModified, revalidationHeaders } from "../../lib/etag.ts";
import type { Serve } from "../../lib/serve.ts";
import { authorizedRun } from "../authorized-run.ts";

const MEDIA_TYPES = { json: "application/json; charset=utf-8", yaml: "application/yaml; charset=utf-8" };
/** A smaller response fits a packet or two as it is. */
const GZIP_FROM_BYTES = 1024;

/** Registers the route that reads the description of a run. Its response is a stream: a text may have 20 MB. */
export function registerReadDescriptionRoute(serve: Serve, { db }: { db: DatabasePool }): void {
  serve(operations.getScanDescription, async (request, reply) => {
    const { organizationId } = actorOf(request);
    const { scanRunId } = request.params;
    const { form } = request.query;
    const found = await withOrganization(db, organizationId, async (tx) => {
      authorizedRun(request, "endpoints:read", await findScanRun(tx, { organizationId, scanRunId }));
      const description = await findScanDescription(tx, { organizationId, scanRunId });
      if (description === null)
        throw new AppError("description_missing", "This scan run has no description.");
      const isOriginal = form === "original";
      const etag = `W/"${isOriginal ? description.hash : description.canonicalHash}"`;
      if (matchesEtag(request.headers["if-none-match"], etag)) return { etag, chunks: undefined };
      const chunks = await readDescriptionChunks(tx, { organizationId, hash: description.hash, form });
      const type = MEDIA_TYPES[isOriginal ? description.format : "json"];
      return { etag, chunks, type, bytes: isOriginal ? description.bytes : description.canonicalBytes };
    });
    if (found.chunks === undefined) return notModified(reply, found.etag).send();
    const { chunks, type, bytes, etag } = found;
    const text = Readable.from(textOf(chunks), { objectMode: false });
    reply.headers(revalidationHeaders(etag)).type(type);
    if (bytes < GZIP_FROM_BYTES || !acceptsGzip(request.headers["accept-encoding"]))
      return reply.header("content-length", bytes).send(text);
    // The response's own stream reports what fails.
    const compressed = pipeline(text, createGzip(), () => undefined);
    return reply.header("content-encoding", "gzip").send(compressed);
  });
}

function* textOf(chunks: readonly Buffer[]): Generator<Buffer> {
  for (const chunk of chunks) yield readTextChunk(chunk);
}
