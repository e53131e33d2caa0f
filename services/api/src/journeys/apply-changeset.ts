import { createHash } from "node:crypto";
import { type Actor, denial } from "@waymark/shared/api-keys/authorize.ts";
import { storeBlobs, toBlob, type Blob } from "@waymark/server/db/blobs.ts";
import { withOrganization } from "@waymark/server/db/organization.ts";
import type { DatabaseTransactionConnection } from "@waymark/server/db/pool.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { bindSource } from "@waymark/server/journeys/bindings.queries.ts";
import {
  adoptDocuments,
  archiveDocuments,
  countDocuments,
  insertVersions,
  lockDocuments,
  type NewVersion,
} from "@waymark/server/journeys/changes.queries.ts";
import { documentKind } from "@waymark/shared/journeys/document-kind.ts";
import { listSchedulesOfDocuments } from "@waymark/server/journey-schedules/queries.ts";
import { JOURNEY_LIMITS } from "@waymark/shared/journeys/limits.ts";
import { listUsers } from "@waymark/server/journeys/links.queries.ts";
import {
  findChangesetRequest,
  saveChangesetRequest,
  tryLockChangesetRequest,
} from "@waymark/server/journeys/requests.queries.ts";
import type { ChangedDocument, JourneyChangesetResult } from "@waymark/shared/journeys/schema.ts";
import { v7 as uuidv7 } from "uuid";
import { requestInProgress } from "../lib/idempotency-key.ts";
import { mayReadJourney } from "../lib/visible-journeys.ts";
import { validationError } from "../lib/zod-routes.ts";
import { authorizeReferences } from "./authorize-references.ts";
import type { ChangesetRequest, TextChange } from "./changeset.ts";
import { type ExaminationDependencies, type ExaminedChanges, examineChanges } from "./examine-changes.ts";
import { type PlannedChange, planChanges } from "./plan-changes.ts";
import { readChanges } from "./read-changes.ts";
import { storeContents } from "./store-contents.ts";

/**
 * Applies all changes or none. Documents with errors are stored as well: a draft must not be lost.
 *
 * @throws AppError `validation_failed`, `permission_denied`, `not_found`, `description_missing`, `version_conflict`, `document_managed`, `document_in_use`,
 *   `limit_reached`, or an error of the Idempotency-Key
 */
export async function applyChangeset(
  dependencies: ExaminationDependencies,
  request: ChangesetRequest,
): Promise<JourneyChangesetResult> {
  const { db } = dependencies;
  const { actor, changeset } = request;
  const { organizationId } = actor;
  const first = await withOrganization(db, organizationId, async (tx) => {
    const repeated = await findRepeated(tx, request);
    if (repeated !== null) return { repeated };
    const changes = await readChanges(tx, request);
    assertSizes(changes);
    return { changes, planned: await planChanges(tx, request, changes) };
  });
  if (first.repeated !== undefined) return first.repeated;
  // Before the lock: it can take seconds.
  const examined = await examineChanges(dependencies, { organizationId, planned: first.planned });
  const { examinations } = examined;
  await withOrganization(db, organizationId, (tx) =>
    authorizeReferences(tx, { actor, planned: first.planned, examinations }),
  );
  if (changeset.dryRun === true) return resultOf(actor, null, toDocuments(first.planned, examined), examined);
  const blobs = await blobsOf(first.planned);
  const { changes } = first;
  return withOrganization(db, organizationId, (tx) => store(tx, { request, changes, examined, blobs }));
}

async function store(
  tx: DatabaseTransactionConnection,
  {
    request,
    changes,
    examined,
    blobs,
  }: {
    request: ChangesetRequest;
    changes: readonly TextChange[];
    examined: ExaminedChanges;
    blobs: readonly Blob[];
  },
): Promise<JourneyChangesetResult> {
  const { actor, changeset, origin } = request;
  const { organizationId, apiKeyId } = actor;
  const repeated = await findRepeated(tx, request);
  if (repeated !== null) return repeated;
  await lockDocuments(tx, organizationId);
  const planned = await planChanges(tx, request, changes);
  await authorizeReferences(tx, { actor, planned, examinations: examined.examinations });
  await assertRoom(tx, { organizationId, planned });
  const documents = toDocuments(planned, examined);
  const changesetId = uuidv7();
  const needed = new Set(planned.flatMap(({ effect, hash }) => (effect === "version" ? [hash] : [])));
  const missing = blobs.filter(({ hash }) => needed.has(hash.toString("hex")));
  await storeBlobs(tx, { organizationId, blobs: missing });
  await insertVersions(tx, {
    facts: {
      organizationId,
      changesetId,
      message: changeset.message ?? null,
      origin,
      source: changeset.source ?? {},
      managedRepository: changeset.managedBy?.repository ?? null,
      createdByKeyId: apiKeyId,
    },
    versions: planned.flatMap((change, n) => newVersionOf(change, documents[n], examined)),
  });
  await adopt(tx, { request, planned });
  await archive(tx, { actor, planned });
  await storeContents(tx, { organizationId, documents, examined });
  await bindDescribed(tx, { organizationId, documents, planned });
  const result = resultOf(actor, changesetId, documents, examined);
  await remember(tx, request, result);
  return result;
}

/** Binds documents to the services whose descriptions became their texts. */
async function bindDescribed(
  tx: DatabaseTransactionConnection,
  {
    organizationId,
    documents,
    planned,
  }: {
    organizationId: string;
    documents: readonly ChangedDocument[];
    planned: readonly PlannedChange[];
  },
): Promise<void> {
  for (const [n, { change, head }] of planned.entries()) {
    const documentId = head?.id ?? documents[n]?.id;
    if (change.serviceId === undefined || documentId === undefined) continue;
    const { serviceId } = change;
    await bindSource(tx, { organizationId, documentId, serviceId, pathPrefix: "", how: "description" });
  }
}

function assertSizes(changes: readonly TextChange[]): void {
  for (const [n, { path, kind, text }] of changes.entries()) {
    if (text === null) continue;
    const { descriptionBytesMax, documentBytesMax } = JOURNEY_LIMITS;
    const isDescription = (kind ?? documentKind(path, text)) === "openapi";
    const bytesMax = isDescription ? descriptionBytesMax : documentBytesMax;
    const bytes = Buffer.byteLength(text);
    if (bytes <= bytesMax) continue;
    const message = `must be at most ${bytesMax} bytes in UTF-8, is ${bytes}`;
    throw validationError([{ path: `changes[${n}].text`, message }]);
  }
}

async function assertRoom(
  tx: DatabaseTransactionConnection,
  { organizationId, planned }: { organizationId: string; planned: readonly PlannedChange[] },
): Promise<void> {
  const added = planned.filter(({ head, effect }) => head === undefined && effect === "version").length;
  if (added === 0) return;
  const { documentsMax } = JOURNEY_LIMITS;
  if ((await countDocuments(tx, organizationId)) + added <= documentsMax) return;
  throw new AppError(
    "limit_reached",
    `An organization has at most ${documentsMax} documents: archive some that are not needed any more.`,
  );
}

function toDocuments(planned: readonly PlannedChange[], examined: ExaminedChanges): ChangedDocument[] {
  return planned.map(({ change, head, effect }) => {
    const examination = examined.examinations.get(change.path);
    const programId = examination?.programId ?? null;
    return {
      id: head?.id ?? uuidv7(),
      path: change.path,
      kind: examination?.kind ?? head?.kind ?? "openapi",
      version: (head?.version ?? 0) + (effect === "version" ? 1 : 0),
      unchanged: effect === "none",
      archived: effect === "archive",
      problems: examination?.problems ?? [],
      errorCount: examination?.errorCount ?? 0,
      warningCount: examination?.warningCount ?? 0,
      programId,
      programMatches:
        change.programId === undefined || programId === null ? null : change.programId === programId,
    };
  });
}

function newVersionOf(
  { change, head, hash, effect }: PlannedChange,
  document: ChangedDocument | undefined,
  { examinations }: ExaminedChanges,
): NewVersion[] {
  const examination = examinations.get(change.path);
  if (effect !== "version" || hash === null || document === undefined || examination === undefined) return [];
  const { head: facts, links } = examination;
  return [
    {
      documentId: document.id,
      path: change.path,
      kind: examination.kind,
      journeyKey: facts.self ?? document.id,
      title: facts.title ?? null,
      isTemplate: facts.isTemplate,
      tags: facts.tags,
      infoVersion: facts.version ?? null,
      extendsVersion: facts.extendsVersion ?? null,
      version: document.version,
      parentVersion: head?.version ?? null,
      hash,
      errorCount: examination.errorCount,
      warningCount: examination.warningCount,
      links: links.map(({ role, name, target, path }) => ({ role, name, target, path: path ?? null })),
    },
  ];
}

/** A repository also becomes the owner of documents whose text it does not change. */
async function adopt(
  tx: DatabaseTransactionConnection,
  { request, planned }: { request: ChangesetRequest; planned: readonly PlannedChange[] },
): Promise<void> {
  const { actor, changeset } = request;
  if (changeset.managedBy === undefined) return;
  const documentIds = planned.flatMap(({ head, effect }) =>
    head !== undefined && effect === "none" ? [head.id] : [],
  );
  const { repository } = changeset.managedBy;
  await adoptDocuments(tx, { organizationId: actor.organizationId, documentIds, repository });
}

async function archive(
  tx: DatabaseTransactionConnection,
  { actor, planned }: { actor: Actor; planned: readonly PlannedChange[] },
): Promise<void> {
  const { organizationId } = actor;
  const archived = planned.filter(({ effect }) => effect === "archive");
  if (archived.length === 0) return;
  const documentIds = archived.flatMap(({ head }) => (head === undefined ? [] : [head.id]));
  await assertNotScheduled(tx, { actor, archived, documentIds });
  await archiveDocuments(tx, { organizationId, documentIds });
  const paths = archived.map(({ change }) => change.path);
  const users = await listUsers(tx, { organizationId, paths });
  if (users.length === 0) return;
  const names = users.filter(({ id }) => mayReadJourney(actor, id)).map(({ path }) => path);
  const named = names.length === 0 ? "other documents" : names.slice(0, 5).join(", ");
  const more = names.length > 0 && users.length > Math.min(names.length, 5) ? " and others" : "";
  throw new AppError(
    "document_in_use",
    `${paths.length === 1 ? paths[0] : "A document of these"} is used by ${named}${more}: change or archive what uses it first, or in the same changeset.`,
  );
}

/** @throws AppError `document_in_use` */
async function assertNotScheduled(
  tx: DatabaseTransactionConnection,
  {
    actor,
    archived,
    documentIds,
  }: { actor: Actor; archived: readonly PlannedChange[]; documentIds: readonly string[] },
): Promise<void> {
  const { organizationId } = actor;
  const [schedule] = await listSchedulesOfDocuments(tx, { organizationId, documentIds });
  const document = archived.find(({ head }) => head !== undefined && head.id === schedule?.documentId);
  if (schedule === undefined || document === undefined) return;
  const { documentId: workflowId, environmentId } = schedule;
  const mayRead = denial(actor, ["journeys:read"], { workflowId, environmentId }) === undefined;
  throw new AppError(
    "document_in_use",
    `${mayRead ? `The schedule ${schedule.name}` : "A schedule"} runs ${document.change.path}: delete the schedule or give it another journey first.`,
  );
}

async function blobsOf(planned: readonly PlannedChange[]): Promise<Blob[]> {
  const texts = planned.flatMap(({ change: { text } }) => (text === null ? [] : [Buffer.from(text)]));
  return Promise.all(texts.map(toBlob));
}

function resultOf(
  actor: Actor,
  changesetId: string | null,
  documents: ChangedDocument[],
  { affected, uncheckedCount }: ExaminedChanges,
): JourneyChangesetResult {
  const readable = affected.filter(({ id }) => mayReadJourney(actor, id));
  return { changesetId, documents, affected: readable, uncheckedCount };
}

/** The response that the same request got before. Call it before taking any other lock. */
async function findRepeated(
  tx: DatabaseTransactionConnection,
  request: ChangesetRequest,
): Promise<JourneyChangesetResult | null> {
  const id = requestId(request);
  if (id === null) return null;
  if (!(await tryLockChangesetRequest(tx, id))) throw requestInProgress();
  const earlier = await findChangesetRequest(tx, id);
  if (earlier === null) return null;
  if (earlier.requestHash.equals(id.requestHash)) return earlier.response;
  throw new AppError(
    "idempotency_key_reused",
    "This Idempotency-Key was used for another changeset. Use a new one for each changeset.",
  );
}

async function remember(
  tx: DatabaseTransactionConnection,
  request: ChangesetRequest,
  response: JourneyChangesetResult,
): Promise<void> {
  const id = requestId(request);
  if (id !== null) await saveChangesetRequest(tx, { ...id, response });
}

function requestId({ actor, changeset, idempotencyKey }: ChangesetRequest) {
  if (idempotencyKey === null || changeset.dryRun === true) return null;
  // The schema's parser has normalized the order of fields.
  const requestHash = createHash("sha256").update(JSON.stringify(changeset)).digest();
  const { organizationId, apiKeyId: createdBy } = actor;
  return { organizationId, createdBy, idempotencyKey, requestHash };
}
