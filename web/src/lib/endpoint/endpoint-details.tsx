import { Alert, Anchor, Code, List, Skeleton, Stack, Text } from "@mantine/core";
import type { RunFinding } from "@waymark/shared/scans/schema.ts";
import { Link } from "wouter";
import { useDescribedOperation } from "../description/use-description.ts";
import { ErrorAlert } from "../error-alert.tsx";
import { Fact, Facts } from "../facts.tsx";
import { SeverityBadge } from "../severity.tsx";
import { Time } from "../time.tsx";
import { useMay } from "../use-session.ts";
import type { EndpointName } from "./endpoint-address.ts";
import { EndpointHistory } from "./endpoint-history.tsx";
import { NoDescription } from "./no-description.tsx";
import { OperationParts, Part } from "./operation-parts.tsx";
import { Deprecated } from "./schema-tree.tsx";
import { useFindingsOf, useJourneysOf, useSeen } from "./use-endpoint.ts";

interface Shown {
  serviceId: string;
  /** The run that the endpoint is read from. */
  scanRunId: string;
  endpoint: EndpointName;
  /** True on a page of its own. */
  isPage?: boolean;
}

/** All that Waymark knows about an endpoint: what its description says, since when it is there, and what was found on it. */
export function EndpointDetails({ serviceId, scanRunId, endpoint, isPage = false }: Shown) {
  const operation = useDescribedOperation(scanRunId, { ...endpoint, kind: "operation" });
  const seen = useSeen(serviceId, endpoint);
  return (
    <Stack gap="lg">
      {operation.data?.summary && (
        <Text className="breaks" fw={600}>
          {operation.data.summary}
        </Text>
      )}
      <Facts>
        <Fact name="Operation">{operation.data?.operationId ?? seen.data?.operationId ?? "–"}</Fact>
        <Fact name="Tags">{(operation.data?.tags ?? seen.data?.tags ?? []).join(", ") || "–"}</Fact>
        {operation.data?.deprecated === true && (
          <Fact name="State">
            <Deprecated />
            {operation.data.sunset !== null && <>&nbsp;until {operation.data.sunset}</>}
          </Fact>
        )}
        <Fact name="First seen">
          <Time at={seen.data?.firstSeenAt ?? null} />
        </Fact>
        <Fact name="Last seen">
          <Time at={seen.data?.lastSeenAt ?? null} />
        </Fact>
      </Facts>
      {seen.data === null && (
        <Alert color="gray" title="The service's current run does not have this endpoint" role="status">
          The rest is from the run that is shown.
        </Alert>
      )}
      {operation.isLoadingError && operation.error !== null && (
        <NoDescription error={operation.error} onRetry={() => void operation.refetch()} />
      )}
      {operation.isPending && !operation.isLoadingError && (
        <Skeleton height={240} aria-label="Reading the description" />
      )}
      {operation.data === null && (
        <Text role="status">The description of this run does not have this endpoint.</Text>
      )}
      {operation.data && <OperationParts scanRunId={scanRunId} operation={operation.data} />}
      <Findings scanRunId={scanRunId} endpoint={endpoint} />
      <Journeys serviceId={serviceId} endpoint={endpoint} />
      <Part title="How it changed">
        <EndpointHistory serviceId={serviceId} endpoint={endpoint} isOpen={isPage} />
      </Part>
    </Stack>
  );
}

function Findings({ scanRunId, endpoint }: { scanRunId: string; endpoint: EndpointName }) {
  const findings = useFindingsOf(scanRunId, endpoint);
  return (
    <Part title="Findings">
      {findings.isLoadingError && (
        <ErrorAlert error={findings.error} onRetry={() => void findings.refetch()} />
      )}
      {findings.data?.length === 0 && <Text size="sm">None in this run.</Text>}
      {findings.data !== undefined && findings.data.length > 0 && (
        <List size="sm" spacing={4} listStyleType="none">
          {findings.data.map(({ finding, index }) => (
            <List.Item key={index} className="breaks">
              <FindingLine scanRunId={scanRunId} finding={finding} index={index} />
            </List.Item>
          ))}
        </List>
      )}
    </Part>
  );
}

function FindingLine(props: { scanRunId: string; finding: RunFinding; index: number }) {
  const { scanRunId, finding, index } = props;
  return (
    <>
      <SeverityBadge severity={finding.severity} /> <Code>{finding.code}</Code>{" "}
      <Anchor component={Link} href={`/scan-runs/${scanRunId}?tab=findings&finding=${index}`}>
        {finding.message}
      </Anchor>
    </>
  );
}

function Journeys({ serviceId, endpoint }: { serviceId: string; endpoint: EndpointName }) {
  const mayRead = useMay("journeys:read");
  const journeys = useJourneysOf(serviceId, endpoint);
  if (!mayRead) return null;
  return (
    <Part title="Journeys that call it">
      {journeys.isLoadingError && (
        <ErrorAlert error={journeys.error} onRetry={() => void journeys.refetch()} />
      )}
      {journeys.data?.length === 0 && <Text size="sm">No journey calls it.</Text>}
      {journeys.data !== undefined && journeys.data.length > 0 && (
        <List size="sm" spacing={4}>
          {journeys.data.map(({ id, path, title }) => (
            <List.Item key={id} className="breaks">
              <Anchor component={Link} href={`/journeys/${id}`}>
                {title ?? path}
              </Anchor>
            </List.Item>
          ))}
        </List>
      )}
    </Part>
  );
}
