import { z } from "zod";
import { optionalFlag, optionalWholeNumber } from "../lib/query-fields.ts";
import { Cursor, Uuid, label } from "../lib/schema.ts";
import { PAGE_LIMIT_DEFAULT, PageQuery } from "../operations/page-query.ts";
import { ITEM_PAGE_LIMIT_MAX } from "../scans/item-page-query.ts";
import { JOURNEY_COVERAGE_LIMITS } from "./limits.ts";
import { BrokenJourneys, JourneyCoverage, ServiceJourneyPage } from "./schema.ts";
import { operation } from "../operations/operation.ts";
import * as addresses from "./addresses.ts";

const { windowDaysDefault, windowDaysMax } = JOURNEY_COVERAGE_LIMITS;

const Query = z.strictObject({
  window: optionalWholeNumber({ min: 1, max: windowDaysMax, default: windowDaysDefault }).meta({
    description: "Only runs that ended in the last so many days count.",
  }),
  environmentId: Uuid.optional().meta({ description: "Only runs in this environment count." }),
  serviceId: Uuid.optional().meta({
    description: "Only the operations of this service, and criteria of journeys that call it.",
  }),
  origin: z.enum(["cloud", "uploaded"]).optional().meta({ description: "Only runs of this origin count." }),
  severity: label({ min: 1, max: 80 }).optional().meta({ description: "Only criteria of this severity." }),
  gaps: optionalFlag().meta({
    description: "true lists only criteria that are not proven and operations not asserted.",
  }),
  totals: optionalFlag().meta({
    description: "true leaves both lists empty, for any number of endpoints: only shares and counts.",
  }),
  limit: optionalWholeNumber({ min: 1, max: ITEM_PAGE_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT }).meta({
    description: "Of criteria and of operations.",
  }),
  criteriaCursor: Cursor,
  operationsCursor: Cursor,
});

export const listServiceJourneys = operation({
  id: "listServiceJourneys",
  ...addresses.listServiceJourneys,
  summary: "List the journeys that call a service",
  description:
    "Newest first, with the operations that their newest versions call. A key that is limited to journeys gets these.",
  tag: "journey coverage",
  access: { needs: ["journeys:read", "services:read"] },
  params: z.object({ serviceId: Uuid }),
  query: PageQuery,
  responses: { 200: ServiceJourneyPage },
});

export const listBrokenJourneys = operation({
  id: "listBrokenJourneys",
  ...addresses.listBrokenJourneys,
  summary: "List the journeys that a scan breaks",
  description:
    "The journeys that call operations which the service's previous promoted run has and this one lacks. A renamed path parameter breaks nothing. Needs a scope with journeys:read that is not limited to some journeys, environments or services, because the answer is about all journeys.",
  tag: "journey coverage",
  access: { needs: ["journeys:read", "services:read"] },
  params: z.object({ scanRunId: Uuid }),
  responses: { 200: BrokenJourneys },
  errors: [409],
});

export const getJourneyCoverage = operation({
  id: "getJourneyCoverage",
  ...addresses.getJourneyCoverage,
  summary: "Read the coverage of journeys",
  description:
    "Acceptance criteria with their state, and the operations of scanned services with what called them. Only runs of the newest versions count. A key that is limited to journeys or services gets these; one whose journeys:read is limited to an environment must name it in the query, and gets the criteria of what ran there.",
  tag: "journey coverage",
  access: { needs: ["journeys:read", "services:read", "endpoints:read"] },
  query: Query,
  responses: { 200: JourneyCoverage },
  errors: [404],
});
