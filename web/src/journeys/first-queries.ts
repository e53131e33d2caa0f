import type { JourneyDocumentDetail } from "@waymark/shared/journeys/schema.ts";
import type { z } from "zod";
import type { ApiQuery } from "../lib/api-query.ts";
import { apiKeyNamesQuery, apiKeyQuery } from "../lib/api-queries.ts";
import { type FirstQuery, leadingTo, type Opened } from "../lib/first-queries.ts";
import { isKeyShown } from "../lib/is-key-shown.ts";
import { hasPermission } from "../lib/permissions.ts";
import * as queries from "./api-queries.ts";

type Journey = z.infer<typeof JourneyDocumentDetail>;
type OpenedJourney = Opened<{ journeyId: string }>;

/** Returns the queries of a document's page: the document, and what its open tab shows. */
export function firstOfJourney(opened: OpenedJourney): readonly FirstQuery[] {
  return [
    leadingTo(queries.journeyQuery(opened.params.journeyId), (journey) => queriesOfTab(opened, journey)),
  ];
}

function queriesOfTab(
  { params: { journeyId }, search, session }: OpenedJourney,
  { kind, headVersion }: Journey,
): readonly ApiQuery[] {
  const version = search.get("version") ?? "";
  switch (search.get("tab") ?? (kind === "openapi" ? "text" : "runs")) {
    case "runs":
      return [queries.journeyRunsQuery(journeyId)];
    case "schedules":
      return [queries.schedulesQuery(journeyId)];
    case "text":
      return [
        queries.versionTextQuery(journeyId, /^[1-9]\d*$/.test(version) ? Number(version) : headVersion),
      ];
    case "versions":
      return [
        queries.versionsQuery(journeyId),
        ...(hasPermission(session, "api-keys:read") ? [apiKeyNamesQuery(session)] : []),
      ];
    default:
      return [];
  }
}

/** Returns the queries of build mode: the document, then its newest text and its last run. */
export function firstOfBuildMode({ params: { journeyId } }: OpenedJourney): readonly FirstQuery[] {
  return [
    leadingTo(queries.journeyQuery(journeyId), ({ headVersion, lastRun }) => [
      queries.versionTextQuery(journeyId, headVersion),
      ...(lastRun === null ? [] : [queries.journeyRunQuery(lastRun.id)]),
    ]),
  ];
}

/** Returns the queries of a run's page: the run, its steps, and the key that started it. */
export function firstOfJourneyRun({
  params: { runId },
  session,
}: Opened<{ runId: string }>): readonly FirstQuery[] {
  const run = leadingTo(queries.journeyRunQuery(runId), ({ creator, createdByKeyId }) =>
    isKeyShown({ creator }, session) ? [apiKeyQuery(createdByKeyId, session)] : [],
  );
  return [run, queries.runStepsQuery(runId)];
}
