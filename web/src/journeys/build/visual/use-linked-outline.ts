import { JourneyDocumentDetail, DocumentText } from "@waymark/shared/journeys/schema.ts";
import { openForEdits } from "@waymark/journey-authoring/edit/opened-text.ts";
import { isObject } from "@waymark/openapi/json.ts";
import { getJourney, getJourneyVersion } from "@waymark/shared/journeys/addresses.ts";
import { useQuery } from "@tanstack/react-query";
import { callApi } from "../../../lib/api.ts";
import { linkedJourneys } from "../operations/linked-journeys.ts";
import { outlineOf, type WorkflowOutline } from "./outline.ts";
import type { LinkedJourney } from "./sub-journeys-context.ts";

interface LinkedOutline {
  /** Undefined if the document's text has no steps of its own, as that of a variant. */
  workflows: WorkflowOutline[] | undefined;
  linked: LinkedJourney[];
}

/** The workflows of the newest version of a stored document. */
export function useLinkedOutline(documentId: string) {
  return useQuery({
    queryKey: ["journey", documentId, "outline"],
    queryFn: ({ signal }) => loadOutline(documentId, signal),
  });
}

async function loadOutline(journeyId: string, signal: AbortSignal): Promise<LinkedOutline> {
  const document = await callApi(
    getJourney,
    { params: { journeyId } },
    { signal, read: JourneyDocumentDetail },
  );
  const linked = linkedJourneys(document.links);
  if (document.kind !== "journey") return { workflows: undefined, linked };
  const params = { journeyId, version: document.headVersion };
  const { text } = await callApi(getJourneyVersion, { params }, { signal, read: DocumentText });
  const { value } = openForEdits(text, { file: document.path });
  return { workflows: isObject(value) ? outlineOf(value) : undefined, linked };
}
