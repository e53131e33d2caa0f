import { z } from "zod";
import { idempotencyKeyHeader } from "../operations/idempotency-key.ts";
import { flag, optionalFlag, wholeNumber } from "../lib/query-fields.ts";
import { text, Uuid } from "../lib/schema.ts";
import { VERSION_MAX } from "./limits.ts";
import { PageQuery } from "../operations/page-query.ts";
import {
  BindJourneyRequest,
  CheckJourneyRequest,
  DocumentKind,
  DocumentText,
  DocumentVersionPage,
  JourneyBinding,
  JourneyChangeset,
  JourneyChangesetResult,
  JourneyComposition,
  JourneyDocument,
  JourneyDocumentDetail,
  JourneyDocumentPage,
  RestoreDocumentRequest,
} from "./schema.ts";
import { NoContent, operation } from "../operations/operation.ts";
import * as addresses from "./addresses.ts";

const JourneyParams = z.object({ journeyId: Uuid });

const ArchiveQuery = z.strictObject({
  baseVersion: wholeNumber({ min: 1, max: VERSION_MAX })
    .optional()
    .meta({ description: "The newest version that the caller knows. Default: any." }),
});

const ChangesetHeaders = z.object({
  "idempotency-key": idempotencyKeyHeader(
    "For 24 h, a request with the same Idempotency-Key and body gets the first response again.",
  ),
});

const CompositionQuery = z.strictObject({
  version: wholeNumber({ min: 1, max: VERSION_MAX })
    .optional()
    .meta({ description: "Of the document. Default: the newest. What it refers to is always the newest." }),
});

const ListQuery = PageQuery.extend({
  kind: DocumentKind.optional(),
  tag: text({ max: 80 }).optional(),
  template: flag().optional(),
  path: text({ max: 400 }).optional().meta({ description: "The document with this path." }),
  q: text({ max: 200 }).optional().meta({ description: "A part of the path or the title." }),
  archived: optionalFlag().meta({ description: "true lists archived documents, and no others." }),
});

const VersionParams = JourneyParams.extend({
  version: wholeNumber({ min: 1, max: VERSION_MAX }),
});

export const bindJourney = operation({
  id: "bindJourney",
  ...addresses.bindJourney,
  summary: "Bind a description to a service",
  description:
    "For coverage. A description is bound by itself to the service that was scanned from the same bytes; a binding by hand replaces that one and stays.",
  tag: "journeys",
  access: { needs: ["journeys:write", "services:read"] },
  params: JourneyParams,
  body: BindJourneyRequest,
  responses: { 200: JourneyBinding },
});

export const unbindJourney = operation({
  id: "unbindJourney",
  ...addresses.unbindJourney,
  summary: "Take a description's binding back",
  description: "It is bound by itself again where a service was scanned from the same bytes.",
  tag: "journeys",
  access: { needs: ["journeys:write"], within: ["workflow"] },
  params: JourneyParams,
  responses: { 204: NoContent },
});

export const restoreJourney = operation({
  id: "restoreJourney",
  ...addresses.restoreJourney,
  summary: "Make an old text the newest version",
  description: "An archived document is brought back.",
  tag: "journeys",
  access: { needs: ["journeys:write"], within: ["workflow"] },
  params: JourneyParams,
  body: RestoreDocumentRequest,
  responses: { 200: JourneyDocument },
  errors: [409, 413, 422, 503],
});

export const archiveJourney = operation({
  id: "archiveJourney",
  ...addresses.archiveJourney,
  summary: "Archive a journey, an overlay or a description",
  description: "Its versions stay and its path is free again. 409 while another document refers to it.",
  tag: "journeys",
  access: { needs: ["journeys:write"], within: ["workflow"] },
  params: JourneyParams,
  query: ArchiveQuery,
  responses: { 200: JourneyDocument },
  errors: [409, 413, 422, 503],
});

export const createJourneyChangeset = operation({
  id: "createJourneyChangeset",
  ...addresses.createJourneyChangeset,
  summary: "Change journeys, overlays and descriptions",
  description:
    "All changes are stored, or none. A change names the version that it was made from: if the document has moved on, the response is 409 with the versions. Documents with errors are stored too, and can't be run.",
  tag: "journeys",
  access: { needs: ["journeys:write"], unless: "the request repeats one with its Idempotency-Key" },
  headers: ChangesetHeaders,
  body: JourneyChangeset,
  responses: { 200: JourneyChangesetResult, 201: JourneyChangesetResult },
  errors: [404, 409, 413, 422, 503],
});

export const getJourneyComposition = operation({
  id: "getJourneyComposition",
  ...addresses.getJourneyComposition,
  summary: "Read a journey with its overlays applied",
  description: "The composed text, which overlay wrote which field, and everything that is wrong.",
  tag: "journeys",
  access: { needs: ["journeys:read"], within: ["workflow"] },
  params: JourneyParams,
  query: CompositionQuery,
  responses: { 200: JourneyComposition },
  errors: [413, 503],
});

export const checkJourney = operation({
  id: "checkJourney",
  ...addresses.checkJourney,
  summary: "Check a journey, also with texts that are not stored",
  description:
    "Stores nothing. Texts can refer to every document, so sending them needs journeys:read for all journeys.",
  tag: "journeys",
  access: { needs: ["journeys:read"], within: ["workflow"] },
  params: JourneyParams,
  body: CheckJourneyRequest,
  responses: { 200: JourneyComposition },
  errors: [413, 503],
});

export const listJourneys = operation({
  id: "listJourneys",
  ...addresses.listJourneys,
  summary: "List journeys, overlays and descriptions",
  description: "Newest first. A key whose scope is limited to one journey must read it by its id.",
  tag: "journeys",
  access: { needs: ["journeys:read"] },
  query: ListQuery,
  responses: { 200: JourneyDocumentPage },
});

export const getJourney = operation({
  id: "getJourney",
  ...addresses.getJourney,
  summary: "Read a journey, an overlay or a description",
  description: "Its metadata, what it refers to and what refers to it. Its text is a version's.",
  tag: "journeys",
  access: { needs: ["journeys:read"], within: ["workflow"] },
  params: JourneyParams,
  responses: { 200: JourneyDocumentDetail },
});

export const listJourneyVersions = operation({
  id: "listJourneyVersions",
  ...addresses.listJourneyVersions,
  summary: "List a document's versions",
  description: "Newest first.",
  tag: "journeys",
  access: { needs: ["journeys:read"], within: ["workflow"] },
  params: JourneyParams,
  query: PageQuery,
  responses: { 200: DocumentVersionPage },
});

export const getJourneyVersion = operation({
  id: "getJourneyVersion",
  ...addresses.getJourneyVersion,
  summary: "Read the text of a version",
  description: "A version never changes: its ETag is the hash of its bytes.",
  tag: "journeys",
  access: { needs: ["journeys:read"], within: ["workflow"] },
  params: VersionParams,
  revalidates: true,
  responses: { 200: DocumentText },
});
