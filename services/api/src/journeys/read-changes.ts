import { type Actor, authorize } from "@waymark/shared/api-keys/authorize.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { joinTextChunks } from "@waymark/server/lib/text-chunks.ts";
import { findScanDescription, readDescriptionChunks } from "@waymark/server/scans/descriptions/queries.ts";
import { findScanRun } from "@waymark/server/scans/queries.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { JOURNEY_LIMITS } from "@waymark/shared/journeys/limits.ts";
import type { JourneyChangeset } from "@waymark/shared/journeys/schema.ts";
import { serviceOfRun } from "../lib/visible-services.ts";
import { validationError } from "../lib/zod-routes.ts";
import type { TextChange } from "./changeset.ts";

/**
 * Returns the changes of a changeset with their texts. The descriptions of scan runs are read from the database.
 *
 * @throws AppError `permission_denied`, `not_found`, `description_missing` or `validation_failed`
 */
export async function readChanges(
  tx: DatabaseTransactionConnection,
  { actor, changeset }: { actor: Actor; changeset: JourneyChangeset },
): Promise<TextChange[]> {
  const changes: TextChange[] = [];
  for (const [n, { text = null, description, ...change }] of changeset.changes.entries()) {
    if (description === undefined) {
      changes.push({ ...change, text });
      continue;
    }
    const place = `changes[${n}].description`;
    changes.push({
      ...change,
      ...(await readDescribed(tx, { actor, scanRunId: description.scanRunId, place })),
    });
  }
  return changes;
}

async function readDescribed(
  tx: DatabaseTransactionConnection,
  { actor, scanRunId, place }: { actor: Actor; scanRunId: string; place: string },
): Promise<{ text: string; serviceId: string; kind: "openapi" }> {
  const { organizationId } = actor;
  const run = await findScanRun(tx, { organizationId, scanRunId });
  authorize(actor, "endpoints:read", serviceOfRun(run));
  if (run === null) throw new AppError("not_found", "There is no scan run with this id.");
  const description = await findScanDescription(tx, { organizationId, scanRunId });
  if (description === null) throw new AppError("description_missing", "This scan run has no description.");
  const { hash, bytes } = description;
  const bytesMax = JOURNEY_LIMITS.descriptionBytesMax;
  if (bytes > bytesMax) {
    const message = `has ${bytes} bytes, and a document at most ${bytesMax}: send the part that the journeys need as a text`;
    throw validationError([{ path: place, message }]);
  }
  const chunks = await readDescriptionChunks(tx, { organizationId, hash, form: "original" });
  const text = (await joinTextChunks(chunks)).toString("utf8");
  return { text, serviceId: run.serviceId, kind: "openapi" };
}
