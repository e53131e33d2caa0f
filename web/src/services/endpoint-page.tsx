import { Alert, Anchor, Code, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { Service } from "@waymark/shared/services/schema.ts";
import { Link } from "wouter";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { endpointAddress, endpointNamed, type EndpointName } from "../lib/endpoint/endpoint-address.ts";
import { EndpointDetails } from "../lib/endpoint/endpoint-details.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { useService } from "../lib/use-service.ts";
import { useUrlState } from "../lib/use-url-state.ts";

/** An endpoint of a service, as one of its runs describes it: the current one, or the one that the address names. */
export default function EndpointPage({ serviceId }: { serviceId: string }) {
  const service = useService(serviceId);
  const [of] = useUrlState("of");
  const endpoint = endpointNamed(of);
  if (service.isPending) return <Skeleton height={600} aria-label="Loading the service" />;
  if (service.isLoadingError)
    return <ErrorAlert error={service.error} onRetry={() => void service.refetch()} />;
  if (endpoint === undefined)
    return (
      <Alert color="gray" title="The address names no endpoint" role="status">
        It needs a method and a path, such as <Code>?of=GET /books</Code>. The endpoints of this service are
        on{" "}
        <Anchor component={Link} href={`/services/${serviceId}`} underline="always">
          its page
        </Anchor>
        .
      </Alert>
    );
  return <Endpoint service={service.data} endpoint={endpoint} />;
}

function Endpoint({ service, endpoint }: { service: Service; endpoint: EndpointName }) {
  const [run] = useUrlState("run");
  const { id, name, currentScanRunId } = service;
  const scanRunId = run === "" ? currentScanRunId : run;
  const isOther = run !== "" && run !== currentScanRunId;
  return (
    <Stack gap="md">
      <title>{`${endpoint.method} ${endpoint.path} · ${name} · Waymark`}</title>
      <div>
        <Breadcrumbs
          steps={[
            { href: "/services", label: "Services" },
            { href: `/services/${id}`, label: name },
          ]}
        />
        <Title order={1} size="h2" className="breaks">
          <Code fz="inherit">{endpoint.method}</Code> {endpoint.path}
        </Title>
        {isOther && (
          <Text size="sm" c="dimmed">
            As{" "}
            <Anchor component={Link} href={`/scan-runs/${run}`} underline="always">
              another run
            </Anchor>{" "}
            describes it, which is not the current one.{" "}
            <Anchor component={Link} href={endpointAddress(id, endpoint)} underline="always">
              Show the current one
            </Anchor>
          </Text>
        )}
      </div>
      {scanRunId === null ? (
        <Text>No successful scan yet.</Text>
      ) : (
        <EndpointDetails serviceId={id} scanRunId={scanRunId} endpoint={endpoint} isPage />
      )}
    </Stack>
  );
}
