import { gzipSync } from "node:zlib";
import { ErrorResponse, type VersionConflict } from "@waymark/shared/errors/schema.ts";
import {
  DocumentPath,
  DocumentText,
  type JourneyChangeset,
  JourneyChangesetResult,
  JourneyDocument,
} from "@waymark/shared/journeys/schema.ts";
import { z } from "zod";
import { type ApiConnection, call, exchange, understand } from "../../../api-client.ts";
import { parseJson } from "../../../api-errors.ts";
import { GZIP_ABOVE_BYTES } from "../../../http/sizes.ts";
import { readPages } from "../../../read-pages.ts";

/** The fields of a document that the command needs. Its path is checked: files are written there. */
const RemoteDocument = JourneyDocument.pick({
  id: true,
  kind: true,
  headVersion: true,
  headHash: true,
  managedBy: true,
}).extend({ path: DocumentPath });
export type RemoteDocument = z.infer<typeof RemoteDocument>;

const RemotePage = z.object({ journeys: z.array(RemoteDocument), nextCursor: z.string().optional() });
const RemoteText = DocumentText.pick({ text: true, hash: true, origin: true });
export type RemoteText = z.infer<typeof RemoteText>;

/** Every document of the organization that is not archived, by path. */
export async function listRemote(connection: ApiConnection): Promise<Map<string, RemoteDocument>> {
  const documents = new Map<string, RemoteDocument>();
  const request = { what: "listing journeys", path: "/api/journeys", schema: RemotePage };
  for await (const { journeys } of readPages(connection, request)) {
    for (const document of journeys) documents.set(document.path, document);
  }
  return documents;
}

export function readRemote(
  connection: ApiConnection,
  { id, version }: { id: string; version: number },
): Promise<RemoteText> {
  const path = `/api/journeys/${id}/versions/${version}`;
  return call(connection, { what: "reading a journey", method: "GET", path, schema: RemoteText });
}

export type PushOutcome =
  | { ok: true; result: JourneyChangesetResult }
  | { ok: false; conflicts: VersionConflict[] };

/** Sends a changeset. @throws {CliError} for every refusal but a conflict */
export async function sendChangeset(
  connection: ApiConnection,
  changeset: JourneyChangeset,
  idempotencyKey: string,
): Promise<PushOutcome> {
  const request = { what: "pushing journeys", method: "POST", path: "/api/journey-changesets" } as const;
  const json = Buffer.from(JSON.stringify(changeset));
  const isLarge = json.length > GZIP_ABOVE_BYTES;
  const headers = {
    "content-type": "application/json",
    "idempotency-key": idempotencyKey,
    ...(isLarge ? { "content-encoding": "gzip" } : {}),
  };
  const body = isLarge ? gzipSync(json) : json;
  const response = await exchange(connection, { ...request, headers, body });
  const refusal = response.status === 409 ? ErrorResponse.safeParse(parseJson(response.body)) : undefined;
  const conflicts = refusal?.data?.error.conflicts;
  if (conflicts !== undefined) return { ok: false, conflicts };
  const { baseUrl } = connection;
  const result = understand({ baseUrl }, { ...request, schema: JourneyChangesetResult, response });
  return { ok: true, result };
}
