import { Select, Skeleton, Text } from "@mantine/core";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { useState } from "react";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { type Choice as Service, useServiceChoices } from "../../lib/use-choices.ts";
import { useUrlState } from "../../lib/use-url-state.ts";
import { useVersionText } from "../use-journeys.ts";
import { CoversFields, type Description } from "./covers-fields.tsx";
import { descriptionOfScan } from "./description-of-scan.ts";
import { FileInput, type TextFile } from "./file-input.tsx";
import type { OriginProps } from "./new-journey-form.tsx";
import { newPath } from "./new-path.ts";
import { useCurrentDescription, useDescriptions, useEndpoints } from "./use-new-journey.ts";

type Props = OriginProps & { documents: readonly JourneyDocument[] };

/** The fields for a journey of a service, from its description or its scan. */
export function ServiceFields(props: Props) {
  const [id, setId] = useUrlState("service");
  const services = useServiceChoices();
  const service = services.find((one) => one.id === id);
  return (
    <>
      <Select
        label="Service"
        data={services.map((one) => ({ value: one.id, label: one.name }))}
        value={service?.id ?? null}
        onChange={(next) => setId(next ?? "")}
        searchable
        nothingFoundMessage="No services yet, or your key can't list them."
      />
      {service === undefined ? (
        props.finish(undefined)
      ) : (
        <OfService key={service.id} {...props} service={service} />
      )}
    </>
  );
}

const CURRENT = "current";
const SCAN = "scan";
const FILE = "file";

function OfService(props: Props & { service: Service }) {
  const { service, documents } = props;
  const stored = useDescriptions(service.id, documents);
  const hasNone = stored.data?.length === 0;
  // It may have megabytes, so it is not loaded where another one is chosen first.
  const current = useCurrentDescription(service.id, { enabled: hasNone });
  const [typed, setTyped] = useState<string>();
  if (stored.isPending || (hasNone && current.isPending))
    return <Skeleton height={60} aria-label="Loading the descriptions" />;
  if (stored.isLoadingError) return <ErrorAlert error={stored.error} onRetry={() => void stored.refetch()} />;
  const mayHaveCurrent = current.data !== null;
  const chosen = typed ?? stored.data[0]?.id ?? (mayHaveCurrent ? CURRENT : SCAN);
  const document = stored.data.find((one) => one.id === chosen);
  return (
    <>
      <Select
        label="Description"
        description="What the operations and their values are read from."
        data={[
          ...stored.data.map((one) => ({ value: one.id, label: one.path })),
          ...(mayHaveCurrent ? [{ value: CURRENT, label: "The description of its current scan" }] : []),
          { value: SCAN, label: "The endpoints of its last scan, which have no schemas" },
          { value: FILE, label: "A file, which is stored with the journey" },
        ]}
        value={chosen}
        onChange={(next) => setTyped(next ?? undefined)}
        allowDeselect={false}
      />
      {document !== undefined && <Stored {...props} document={document} />}
      {chosen === CURRENT && <Described {...props} />}
      {chosen === SCAN && <Scanned {...props} />}
      {chosen === FILE && <Uploaded {...props} />}
    </>
  );
}

function Stored({ service, document, finish }: Props & { service: Service; document: JourneyDocument }) {
  const text = useVersionText(document.id, document.headVersion ?? 1);
  if (text.isLoadingError) return <ErrorAlert error={text.error} onRetry={() => void text.refetch()} />;
  if (text.isPending) return <Skeleton height={60} aria-label="Loading the description" />;
  const description: Description = { path: document.path, text: text.data.text, stored: true };
  return <CoversFields service={service} description={description} finish={finish} />;
}

function Described({ service, documents, finish }: Props & { service: Service }) {
  const current = useCurrentDescription(service.id);
  if (current.isLoadingError)
    return <ErrorAlert error={current.error} onRetry={() => void current.refetch()} />;
  if (current.isPending) return <Skeleton height={60} aria-label="Loading the description" />;
  if (current.data === null) {
    return (
      <>
        <Text role="alert">The current scan has no description, or your key can't read it.</Text>
        {finish(undefined)}
      </>
    );
  }
  const taken = new Set(documents.map((document) => document.path));
  const path = newPath(service.name, { kind: "described", taken });
  const description = { path, ...current.data, stored: false };
  return <CoversFields service={service} description={description} finish={finish} />;
}

function Scanned({ service, documents, finish }: Props & { service: Service }) {
  const endpoints = useEndpoints(service.id);
  if (endpoints.isLoadingError)
    return <ErrorAlert error={endpoints.error} onRetry={() => void endpoints.refetch()} />;
  if (endpoints.isPending) return <Skeleton height={60} aria-label="Loading the endpoints" />;
  const taken = new Set(documents.map((document) => document.path));
  const description: Description = {
    path: newPath(service.name, { kind: "openapi", taken }),
    text: descriptionOfScan(service.name, endpoints.data),
    stored: false,
    bindTo: service,
  };
  return <CoversFields service={service} description={description} finish={finish} />;
}

function Uploaded({ service, documents, finish }: Props & { service: Service }) {
  const [file, setFile] = useState<TextFile>();
  const path = `journeys/${(file?.name ?? "").replaceAll(/[\\/:]|^\./g, "-")}`;
  const taken = file !== undefined && documents.some((document) => document.path === path);
  return (
    <>
      <FileInput
        label="OpenAPI file"
        description="If it is the file that was scanned, it is bound to the service by itself."
        onRead={setFile}
      />
      {taken && <Text role="alert">There is a document at {path} already: give the file another name.</Text>}
      {file === undefined || taken ? (
        finish(undefined)
      ) : (
        <CoversFields
          key={path}
          service={service}
          description={{ path, text: file.text, stored: false }}
          finish={finish}
        />
      )}
    </>
  );
}
