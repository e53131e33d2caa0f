import { ErrorResponse, type VersionConflict } from "@waymark/shared/errors/schema.ts";
import * as operations from "@waymark/shared/journeys/operations.ts";
import {
  DocumentPath,
  DocumentText,
  type JourneyChangeset,
  JourneyChangesetResult,
  JourneyDocument,
} from "@waymark/shared/journeys/schema.ts";
import { z } from "zod";
import {
  type ApiConnection,
  call,
  compressed,
  exchange,
  jsonRequestOf,
  understand,
} from "../../../api/api-client.ts";
import { parseJson } from "../../../lib/parse-json.ts";
import { readPages } from "../../../api/read-pages.ts";

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
  const reading = { what: "listing journeys", read: RemotePage };
  for await (const { journeys } of readPages(connection, operations.listJourneys, reading)) {
    for (const document of journeys) documents.set(document.path, document);
  }
  return documents;
}

export function readRemote(
  connection: ApiConnection,
  { id, version }: { id: string; version: number },
): Promise<RemoteText> {
  const params = { journeyId: id, version: String(version) };
  return call(
    connection,
    operations.getJourneyVersion,
    { what: "reading a journey", read: RemoteText },
    { params },
  );
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
  const what = "pushing journeys";
  const request = jsonRequestOf(operations.createJourneyChangeset, what, {
    headers: { "idempotency-key": idempotencyKey },
    body: changeset,
  });
  const response = await exchange(connection, compressed(request));
  const refusal = response.status === 409 ? ErrorResponse.safeParse(parseJson(response.body)) : undefined;
  const conflicts = refusal?.data?.error.conflicts;
  if (conflicts !== undefined) return { ok: false, conflicts };
  const result = understand(connection, { what, read: JourneyChangesetResult, response });
  return { ok: true, result };
}
