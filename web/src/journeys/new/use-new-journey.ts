import * as addresses from "@waymark/shared/journeys/addresses.ts";
import {
  type DocumentChange,
  JourneyBinding,
  JourneyChangesetResult,
  type JourneyDocument,
  JourneyDocumentDetail,
} from "@waymark/shared/journeys/schema.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getScanDescription } from "@waymark/shared/scans/descriptions/addresses.ts";
import { ScanRun } from "@waymark/shared/scans/schema.ts";
import { getCurrentScanRun } from "@waymark/shared/services/addresses.ts";
import { z } from "zod";
import { ApiError, callApi } from "../../lib/api.ts";
import { loadCode } from "../../lib/load-code.ts";
import { loadInventory } from "../../lib/load-inventory.ts";
import type { NamedText } from "./coverable.ts";
import type { Source } from "./make-journey.ts";

/** The number of the newest descriptions among which bound ones are searched. */
const DESCRIPTIONS_MAX = 50;

/** The endpoints of a service's current run. */
export function useEndpoints(serviceId: string) {
  return useQuery({
    queryKey: ["service", serviceId, "endpoints"],
    queryFn: ({ signal }) => loadInventory(serviceId, signal),
  });
}

const CurrentRun = ScanRun.pick({ id: true });

/** The description of a service's current run, as canonical JSON; null if there is none that the session may read. */
export function useCurrentDescription(serviceId: string, { enabled = true } = {}) {
  return useQuery({
    queryKey: ["service", serviceId, "current description"],
    enabled,
    // A text of megabytes, which only this form needs.
    gcTime: 0,
    queryFn: async ({ signal }) => {
      try {
        const run = { params: { serviceId }, query: {} };
        const { id } = await callApi(getCurrentScanRun, run, { signal, read: CurrentRun });
        const described = { params: { scanRunId: id }, query: { form: "canonical" as const } };
        const value = await callApi(getScanDescription, described, { signal, read: z.unknown() });
        return { scanRunId: id, text: JSON.stringify(value) };
      } catch (error) {
        if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return null;
        throw error;
      }
    },
  });
}

/** The stored descriptions of a service, newest first. */
export function useDescriptions(serviceId: string, documents: readonly JourneyDocument[]) {
  const descriptions = documents.filter(({ kind }) => kind === "openapi").slice(0, DESCRIPTIONS_MAX);
  return useQuery({
    queryKey: ["service", serviceId, "descriptions", descriptions.map(({ id }) => id)],
    enabled: serviceId !== "",
    queryFn: async ({ signal }) => {
      const details = await Promise.all(
        descriptions.map(({ id }) =>
          callApi(
            addresses.getJourney,
            { params: { journeyId: id } },
            { signal, read: JourneyDocumentDetail },
          ),
        ),
      );
      return details.filter(({ binding }) => binding?.serviceId === serviceId);
    },
  });
}

export interface NewDocuments {
  source: Source;
  title: string;
  path: string;
  /** A description that is stored together with the journey. */
  description?: NamedText & {
    /** The service that it is bound to by hand: it was made from its scan. */
    service: { id: string } | undefined;
    /** The run that it is stored with. */
    scanRunId: string | undefined;
  };
}

/** Creates the text and stores it as the first version. @returns the id of the new document */
export function useCreateJourney() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ source, title, path, description }: NewDocuments) => {
      const { makeJourney } = await loadCode("What makes journeys", () => import("./make-journey.ts"));
      const made = await makeJourney(source, { title, path });
      if (!made.ok) throw new Error(made.message);
      const changes: DocumentChange[] = [{ path, text: made.text, baseVersion: null }];
      if (description !== undefined) changes.push(changeOf(description));
      const body = { message: "New journey", changes };
      const result = await callApi(
        addresses.createJourneyChangeset,
        { body },
        { read: JourneyChangesetResult },
      );
      const idOf = (wanted: string) => result.documents.find((one) => one.path === wanted)?.id ?? "";
      if (description?.service !== undefined) {
        await callApi(
          addresses.bindJourney,
          {
            params: { journeyId: idOf(description.path) },
            body: { serviceId: description.service.id, pathPrefix: "" },
          },
          { read: JourneyBinding },
        );
      }
      return idOf(path);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["journeys"] }),
  });
}

function changeOf({ path, text, scanRunId }: Required<NewDocuments>["description"]): DocumentChange {
  const content = scanRunId === undefined ? { text } : { description: { scanRunId } };
  return { path, ...content, baseVersion: null };
}
