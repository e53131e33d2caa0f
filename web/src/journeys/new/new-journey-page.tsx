import { NativeSelect, Skeleton, Stack, Title } from "@mantine/core";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { Breadcrumbs } from "../../lib/breadcrumbs.tsx";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LacksPermission } from "../../lib/lacks-permission.tsx";
import { useUrlState } from "../../lib/use-url-state.ts";
import { useJourneys } from "../use-journeys.ts";
import { FileFields } from "./file-fields.tsx";
import { FromDocumentFields } from "./from-document-fields.tsx";
import { NewJourneyForm } from "./new-journey-form.tsx";
import { ServiceFields } from "./service-fields.tsx";
import { UrlFields } from "./url-fields.tsx";

const ORIGINS = {
  service: "From a scanned service",
  template: "From a template",
  variant: "As a variant of another journey",
  file: "From a file: Arazzo, an overlay, Postman or HAR",
  empty: "Empty, with one request",
} as const;
type Origin = keyof typeof ORIGINS;

/** Creates the first version of a journey, and opens it in build mode. */
export default function NewJourneyPage() {
  const journeys = useJourneys();
  const [wanted, setWanted] = useUrlState("from");
  const origin = isOrigin(wanted) ? wanted : "service";
  return (
    <Stack maw="48rem">
      <div>
        <Breadcrumbs steps={[{ href: "/journeys", label: "Journeys" }]} />
        <Title order={1}>New journey</Title>
      </div>
      <LacksPermission permission="journeys:write" purpose="store a journey" />
      <NativeSelect
        label="It begins"
        value={origin}
        data={Object.entries(ORIGINS).map(([value, label]) => ({ value, label }))}
        onChange={(event) => setWanted(event.currentTarget.value)}
      />
      {journeys.isPending && <Skeleton height={240} aria-label="Loading the journeys" />}
      {journeys.isLoadingError && (
        <ErrorAlert error={journeys.error} onRetry={() => void journeys.refetch()} />
      )}
      {journeys.data !== undefined && <Fields key={origin} origin={origin} documents={journeys.data} />}
    </Stack>
  );
}

function isOrigin(text: string): text is Origin {
  return Object.hasOwn(ORIGINS, text);
}

function Fields({ origin, documents }: { origin: Origin; documents: readonly JourneyDocument[] }) {
  const finish = (choice: Parameters<typeof NewJourneyForm>[0]["choice"]) => (
    <NewJourneyForm choice={choice} documents={documents} />
  );
  switch (origin) {
    case "empty":
      return <UrlFields finish={finish} />;
    case "file":
      return <FileFields finish={finish} />;
    case "service":
      return <ServiceFields documents={documents} finish={finish} />;
    default:
      return <FromDocumentFields kind={origin} documents={documents} finish={finish} />;
  }
}
