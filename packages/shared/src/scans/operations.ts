import { z } from "zod";
import { idempotencyKeyHeader } from "../operations/idempotency-key.ts";
import { optionalWholeNumber, wholeNumber } from "../lib/query-fields.ts";
import { IsoDateTime, Uuid } from "../lib/schema.ts";
import { waitSecondsField } from "../operations/wait-seconds.ts";
import { PAGE_LIMIT_DEFAULT, PageQuery } from "../operations/page-query.ts";
import { VERDICT_PAGE_MAX } from "./comparisons/schema.ts";
import { ItemPageQuery } from "./item-page-query.ts";
import {
  EndpointPage,
  FINDINGS_MAX,
  FindingDetails,
  FindingPage,
  PROMOTION_UNDO_MINUTES,
  ScanChanges,
  ScanIngestionPayload,
  ScanIngestionResult,
  ScanRun,
} from "./schema.ts";
import { SOURCE_HEADERS } from "./source/headers.ts";
import { operation } from "../operations/operation.ts";
import * as addresses from "./addresses.ts";

const RunParams = z.object({ scanRunId: Uuid });

const FindingParams = RunParams.extend({
  index: wholeNumber({ min: 0, max: FINDINGS_MAX }).meta({
    description: "The finding's place in submitted order, from 0.",
  }),
});

/** Headers that change how a scan is accepted. Header names are lower case, as in Node. */
const IngestHeaders = z.object({
  "idempotency-key": idempotencyKeyHeader(
    "For 24 h, a request with the same Idempotency-Key and body gets the first response again.",
  ),
  "scanned-at": IsoDateTime
    // Postgres returns years BC as text that date parsers can't read, which would cause a 500 in later requests.
    .refine((time) => !(Date.parse(time) < 0), "must not be before 1970")
    .optional()
    .meta({ description: "When the scan was made, if earlier than now. It can only move a run back." }),
  "waymark-promote": z
    .enum(["true", "false"], "must be true or false")
    .optional()
    .meta({ description: "false stores the run without making it the service's current one." }),
  ...SOURCE_HEADERS,
});

const RunQuery = z.strictObject({
  waitSeconds: waitSecondsField("How long to wait until the run is completed or failed."),
});

export const getScanRunChanges = operation({
  id: "getScanRunChanges",
  ...addresses.getScanRunChanges,
  summary: "Compare a scan run with another",
  description:
    "With the service's previous promoted run, or any other completed run by its id. A run that is not promoted and has a base branch is " +
    "compared with the last run of that branch, if there is one. The verdicts on the description come in pages. A worker has compared a run with the " +
    "one before it; a comparison with another run, also of another service, is made when it is asked for, and can take some seconds.",
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"] },
  params: RunParams,
  query: PageQuery.extend({
    against: z.union([z.literal("previous"), Uuid]).default("previous"),
    limit: optionalWholeNumber({ min: 1, max: VERDICT_PAGE_MAX, default: PAGE_LIMIT_DEFAULT }).meta({
      description: "How many verdicts the response may have.",
    }),
  }),
  revalidates: true,
  responses: { 200: ScanChanges },
  errors: [409, 503],
});

export const getScanRunFinding = operation({
  id: "getScanRunFinding",
  ...addresses.getScanRunFinding,
  summary: "Read a finding of a scan run",
  description: "With when a scan of its service first and last had it, and the page that explains its rule.",
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"] },
  params: FindingParams,
  revalidates: true,
  responses: { 200: FindingDetails },
  errors: [409],
});

export const ingestScan = operation({
  id: "ingestScan",
  ...addresses.ingestScan,
  summary: "Submit a scan",
  description:
    "Accepts normalized scan output. The organization is resolved from the API key and must not be in the body. " +
    "After a 201 the scan is durable; its rows are persisted moments later.",
  tag: "scans",
  access: {
    needs: ["scans:create", "services:update", "endpoints:write"],
    within: ["service"],
    unless:
      "the scan has no endpoints, or creates its service, which needs services:create instead of services:update",
  },
  headers: IngestHeaders,
  body: ScanIngestionPayload,
  limits: "ingest",
  responses: { 201: ScanIngestionResult },
  errors: [409, 413, 415, 422, 503],
});

export const promoteScanRun = operation({
  id: "promoteScanRun",
  ...addresses.promoteScanRun,
  summary: "Make a scan run current",
  description:
    "For a run that was submitted with Waymark-Promote: false. It becomes its service's current run unless a " +
    "newer one is current. Idempotent.",
  tag: "scans",
  access: { needs: ["services:update"], within: ["service"] },
  params: RunParams,
  responses: { 200: ScanRun },
  errors: [409],
});

export const undoPromotion = operation({
  id: "undoPromotion",
  ...addresses.undoPromotion,
  summary: "Undo a promotion",
  description:
    `For a run that a request promoted in the last ${PROMOTION_UNDO_MINUTES} minutes. The run that was current before is current again. ` +
    "Nothing is undone if another run was promoted since. Idempotent.",
  tag: "scans",
  access: { needs: ["services:update"], within: ["service"] },
  params: RunParams,
  responses: { 200: ScanRun },
  errors: [409],
});

export const getScanRun = operation({
  id: "getScanRun",
  ...addresses.getScanRun,
  summary: "Read a scan run",
  description:
    "Can wait until the run is completed or failed: then the response has the run as it is, or as it is after `waitSeconds`. " +
    "`GET /api/limits` says how many requests may wait.",
  tag: "scans",
  access: { needs: ["services:read"], within: ["service"] },
  params: RunParams,
  query: RunQuery,
  revalidates: true,
  responses: { 200: ScanRun },
});

export const listScanRunEndpoints = operation({
  id: "listScanRunEndpoints",
  ...addresses.listScanRunEndpoints,
  summary: "List a scan run's endpoints",
  description: "In submitted order. Empty until the run is completed.",
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"] },
  params: RunParams,
  query: ItemPageQuery,
  revalidates: true,
  responses: { 200: EndpointPage },
});

export const listScanRunFindings = operation({
  id: "listScanRunFindings",
  ...addresses.listScanRunFindings,
  summary: "List a scan run's findings",
  description: "In submitted order. Empty until the run is completed.",
  tag: "scans",
  access: { needs: ["endpoints:read"], within: ["service"] },
  params: RunParams,
  query: ItemPageQuery,
  revalidates: true,
  responses: { 200: FindingPage },
});
