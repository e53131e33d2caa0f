import { DocumentText } from "@waymark/shared/journeys/schema.ts";
import { getJourneyVersion } from "@waymark/shared/journeys/addresses.ts";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { callApi } from "../../../lib/api.ts";
import type { Journey } from "../../document/journey-page.tsx";
import { readJourney } from "../../use-journeys.ts";
import type { BaseTexts, NamedText } from "./base-texts.ts";

/** The largest number of overlays of a journey. */
const OVERLAYS_MAX = 20;

/** The newest texts that a variant is built on. */
export function useBaseTexts({ id, base }: Pick<Journey, "id" | "base">) {
  return useQuery({
    // A saved text may extend another document.
    queryKey: ["journey", id, "base", base?.id ?? null],
    queryFn: ({ client, signal }) => loadBaseTexts(client, base, signal),
    retry: (count, error) => !(error instanceof MissingBase) && count < 2,
  });
}

class MissingBase extends Error {}

async function loadBaseTexts(
  client: QueryClient,
  first: Journey["base"],
  signal: AbortSignal,
): Promise<BaseTexts> {
  const overlays: NamedText[] = [];
  let base = first;
  while (overlays.length <= OVERLAYS_MAX) {
    if (base?.id === null || base?.id === undefined)
      throw new MissingBase(
        `${base?.path ?? "Its base"} is not stored here, so the steps of this variant can't be shown. Its text can be changed.`,
      );
    const document = await readJourney(client, base.id);
    const params = { journeyId: base.id, version: document.headVersion };
    const { text } = await callApi(getJourneyVersion, { params }, { signal, read: DocumentText });
    const named = { path: document.path, text };
    if (document.kind !== "overlay") return { journey: named, overlays };
    overlays.unshift(named);
    ({ base } = document);
  }
  throw new MissingBase(`More than ${OVERLAYS_MAX} variants extend one another.`);
}
