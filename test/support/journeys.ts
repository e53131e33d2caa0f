import { randomUUID } from "node:crypto";
import type {
  AffectedDocument,
  ChangedDocument,
  DocumentChange,
  JourneyDocumentDetail,
  JourneyChangesetResult,
} from "@waymark/shared/journeys/schema.ts";
import type { HttpClient, HttpRequest, HttpResponse } from "./http-client.ts";

/** A journey of one step that needs no description. */
export function journeyText(title: string, version = "1.0.0"): string {
  return `arazzo: 1.1.0
info: { title: ${title}, version: ${version}, x-journey: { schema: 1, tags: [smoke] } }
sourceDescriptions: []
workflows:
  - workflowId: main
    steps:
      - stepId: ping
        x-operation: { url: "https://api.example/ping", method: get }
        successCriteria: [{ condition: $statusCode == 200 }]
`;
}

/** An overlay that changes the timeout of that step. */
export function overlayText(id: string, base: string, timeout = 1000): string {
  return `overlay: 1.1.0
info: { title: ${id}, version: 1.0.0, x-overlay: { id: ${id}, extendsVersion: ^1.0.0 } }
extends: ${base}
actions:
  - target: $.workflows[?@.workflowId=='main'].steps[?@.stepId=='ping']
    update: { timeout: ${timeout} }
`;
}

export interface SentChangeset {
  message?: string;
  dryRun?: boolean;
  managedBy?: { repository: string };
  unlock?: boolean;
  source?: Record<string, string>;
  changes: DocumentChange[];
}

type Client = { http: HttpClient };

export function sendChangeset(
  { http }: Client,
  changeset: SentChangeset,
  options: HttpRequest = {},
): Promise<HttpResponse<JourneyChangesetResult>> {
  return http.post("/api/journey-changesets", changeset, options);
}

/** Stores one document, which must be accepted. */
export async function storeDocument(
  client: Client,
  change: { path: string; text: string | null; baseVersion?: number | null },
): Promise<ChangedDocument & { affected: AffectedDocument[] }> {
  const answer = await sendChangeset(client, { changes: [{ baseVersion: null, ...change }] });
  const [document] = answer.body.documents ?? [];
  if (document === undefined) throw new Error(`the document was refused: ${answer.text}`);
  return { ...document, affected: answer.body.affected };
}

/** Stores a journey under a new path. @returns its id */
export async function createJourney(client: Client): Promise<string> {
  const path = `journeys/${randomUUID()}.journey.yaml`;
  return (await storeDocument(client, { path, text: journeyText("Ping") })).id;
}

/** A path that no document has. */
export function newJourneyPath(kind = "journey"): string {
  return `t/${randomUUID()}.${kind}.yaml`;
}

export async function readDocument({ http }: Client, id: string): Promise<JourneyDocumentDetail> {
  return (await http.get<JourneyDocumentDetail>(`/api/journeys/${id}`)).body;
}

/** Waits until a run has ended, and returns it. */
export async function waitForJourneyRun<Run>({ http }: Client, runId: string): Promise<Run> {
  const path = `/api/journey-runs/${runId}`;
  for (let tries = 0; tries < 20; tries++) {
    const { body } = await http.get<{ isFinal: boolean }>(`${path}/steps?after=1000&waitSeconds=5`);
    if (body.isFinal) return (await http.get<Run>(path)).body;
  }
  throw new Error(`run ${runId} did not end`);
}

/** Starts a run, which must be accepted, and waits until it has ended. @returns its id */
export async function runToEnd(
  client: Client,
  request: { path: string; environmentId: string },
): Promise<string> {
  const { body, text } = await client.http.post<{ runId?: string }>("/api/journey-runs", request);
  if (body.runId === undefined) throw new Error(`the run was refused: ${text}`);
  await waitForJourneyRun(client, body.runId);
  return body.runId;
}
