import { Alert, Anchor, Code, Group, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import type { Service } from "@waymark/shared/services/schema.ts";
import { useMemo } from "react";
import { Link } from "wouter";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { countOf } from "../lib/count-of.ts";
import type { DescriptionIndex } from "../lib/description/messages.ts";
import { useDescription } from "../lib/description/use-description.ts";
import { MarkedText } from "../lib/endpoint/marked-text.tsx";
import { NoDescription } from "../lib/endpoint/no-description.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { Time } from "../lib/time.tsx";
import { useService } from "../lib/use-service.ts";
import { useUrlState } from "../lib/use-url-state.ts";
import { DescribedOperations, DescribedSchemas } from "./described-parts.tsx";
import { filterOperations } from "./filter-operations.ts";

/** The whole description of a service's current run, or of the run that the address names. It only reads: it has no client. */
export default function DescriptionPage({ serviceId }: { serviceId: string }) {
  const service = useService(serviceId);
  const [run] = useUrlState("run");
  if (service.isPending) return <Skeleton height={600} aria-label="Loading the service" />;
  if (service.isLoadingError)
    return <ErrorAlert error={service.error} onRetry={() => void service.refetch()} />;
  const scanRunId = run === "" ? service.data.currentScanRunId : run;
  return (
    <Stack gap="md">
      <title>{`Description · ${service.data.name} · Waymark`}</title>
      <Head service={service.data} scanRunId={scanRunId} />
      {scanRunId === null ? (
        <Text>No successful scan yet.</Text>
      ) : (
        <Described serviceId={serviceId} scanRunId={scanRunId} />
      )}
    </Stack>
  );
}

function Head({ service, scanRunId }: { service: Service; scanRunId: string | null }) {
  const isCurrent = scanRunId === service.currentScanRunId;
  return (
    <div>
      <Breadcrumbs
        steps={[
          { href: "/services", label: "Services" },
          { href: `/services/${service.id}`, label: service.name },
        ]}
      />
      <Title order={1}>Description</Title>
      {scanRunId !== null && (
        <Text size="sm" c="dimmed">
          Of{" "}
          <Anchor component={Link} href={`/scan-runs/${scanRunId}`} underline="always">
            {isCurrent ? "the current run" : "a run that is not current"}
          </Anchor>
          {isCurrent && service.lastScannedAt !== null && (
            <>
              , scanned <Time at={service.lastScannedAt} />
            </>
          )}
        </Text>
      )}
    </div>
  );
}

function Described({ serviceId, scanRunId }: { serviceId: string; scanRunId: string }) {
  const description = useDescription(scanRunId);
  if (description.isPending) return <Skeleton height={480} aria-label="Reading the description" />;
  if (description.isLoadingError)
    return <NoDescription error={description.error} onRetry={() => void description.refetch()} />;
  return <Index serviceId={serviceId} scanRunId={scanRunId} index={description.data} />;
}

function Index(props: { serviceId: string; scanRunId: string; index: DescriptionIndex }) {
  const { serviceId, scanRunId, index } = props;
  const [text, setText] = useUrlState("q");
  const found = useMemo(() => filterOperations(index, text), [index, text]);
  return (
    <>
      <div>
        <Title order={2} className="breaks">
          {index.title} {index.version}
        </Title>
        <Text size="sm" c="dimmed">
          {[
            index.language,
            countOf(index.operations.length, "operations"),
            countOf(index.schemas.length, "schemas"),
          ].join(", ")}
        </Text>
      </div>
      {index.description !== null && <MarkedText text={index.description} />}
      {index.servers.length > 0 && (
        <Text size="sm" className="breaks">
          Servers:{" "}
          {index.servers.map((server) => (
            <span key={server}>
              <Code>{server}</Code>{" "}
            </span>
          ))}
        </Text>
      )}
      <Group align="end" gap="sm">
        <TextInput
          label="Search"
          placeholder="Path, operation, summary, tag or schema"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          w={360}
          maw="100%"
          data-search
        />
        <Text role="status" size="sm">
          {countOf(found.operationCount, "operations")}
        </Text>
      </Group>
      {found.operationCount === 0 && found.schemas.length === 0 && (
        <Alert color="gray" title="Nothing in the description has these words" role="status" />
      )}
      {found.sections.map((section) => (
        <DescribedOperations
          key={`${text} ${section.key}`}
          serviceId={serviceId}
          scanRunId={scanRunId}
          section={section}
        />
      ))}
      {found.schemas.length > 0 && (
        <DescribedSchemas key={text} scanRunId={scanRunId} schemas={found.schemas} />
      )}
    </>
  );
}
