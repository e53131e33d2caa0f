import { DocumentText } from "@waymark/shared/journeys/schema.ts";
import { getJourneyVersion } from "@waymark/shared/journeys/addresses.ts";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { callApi } from "../../../lib/api.ts";
import { loadCode } from "../../../lib/load-code.ts";
import type { Journey } from "../../document/journey-page.tsx";
import { readJourney } from "../../use-journeys.ts";
import { type KnownOperations, NOTHING_KNOWN } from "./known-operation.ts";
import { linkedJourneys } from "./linked-journeys.ts";

const OVERLAYS_MAX = 20;
/** Reading a larger description would stop the page for seconds. */
const CHARS_MAX = 4_000_000;

/** The operations of the descriptions that the stored versions of a journey, and of its bases, refer to. */
export function useOperations(journey: Journey) {
  const query = useQuery({
    queryKey: ["journey", journey.id, "operations", journey.headVersion],
    queryFn: ({ client, signal }) => loadOperations(client, journey, signal),
    enabled: journey.kind !== "openapi",
    staleTime: 60_000,
  });
  return { ...query, operations: query.data ?? NOTHING_KNOWN };
}

async function loadOperations(
  client: QueryClient,
  journey: Journey,
  signal: AbortSignal,
): Promise<KnownOperations> {
  const links = (await withBases(client, journey)).flatMap((one) => one.links);
  const sources = new Map(links.filter(({ role }) => role === "source").map((link) => [link.name, link]));
  const linked = linkedJourneys(links);
  if (sources.size === 0) return { operations: [], isComplete: true, linked };
  const { readOperations } = await loadCode("What reads descriptions", () => import("./read-operations.ts"));
  const read = await Promise.all(
    [...sources.values()].map(async ({ name, documentId }) => {
      if (documentId === null) return undefined;
      const text = await headText(client, documentId, signal);
      return text.length > CHARS_MAX ? undefined : readOperations(name, text);
    }),
  );
  return {
    operations: read.flatMap((operations) => operations ?? []),
    isComplete: !read.includes(undefined),
    linked,
  };
}

async function withBases(client: QueryClient, journey: Journey): Promise<Journey[]> {
  const found = [journey];
  let baseId = journey.base?.id ?? null;
  while (baseId !== null && found.length <= OVERLAYS_MAX) {
    const base: Journey = await readJourney(client, baseId);
    found.push(base);
    baseId = base.base?.id ?? null;
  }
  return found.toReversed();
}

async function headText(client: QueryClient, documentId: string, signal: AbortSignal): Promise<string> {
  const { headVersion: version } = await readJourney(client, documentId);
  return (
    await callApi(
      getJourneyVersion,
      { params: { journeyId: documentId, version } },
      { signal, read: DocumentText },
    )
  ).text;
}
