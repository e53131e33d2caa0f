import { Alert, Anchor, Skeleton, Stack, Tabs, Text, Title } from "@mantine/core";
import type { Service } from "@waymark/shared/services/schema.ts";
import { Link } from "wouter";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { Time, TimeAgo } from "../lib/time.tsx";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { useServiceRuns } from "../lib/use-service-runs.ts";
import { useUrlTab } from "../lib/use-url-state.ts";
import { History } from "./history.tsx";
import { InventoryPanel } from "./inventory-panel.tsx";
import { RunTable } from "./run-table.tsx";
import { useService } from "./use-services.ts";

export default function ServicePage({ serviceId }: { serviceId: string }) {
  const service = useService(serviceId);
  if (service.isPending) return <Skeleton height={600} aria-label="Loading the service" />;
  if (service.isError) return <ErrorAlert error={service.error} onRetry={() => void service.refetch()} />;
  return (
    <Stack gap="lg">
      <title>{`${service.data.name} · Waymark`}</title>
      <div>
        <Breadcrumbs steps={[{ href: "/", label: "Services" }]} />
        <Title order={1} className="breaks">
          {service.data.name}
        </Title>
        <Text size="sm" c="dimmed">
          First scanned <Time at={service.data.createdAt} />,{" "}
          {service.data.currentScanRunId === null ? (
            "no successful scan yet"
          ) : (
            <>
              last scanned{" "}
              <Anchor component={Link} href={`/scan-runs/${service.data.currentScanRunId}`}>
                <Time at={service.data.lastScannedAt} />
              </Anchor>
            </>
          )}
        </Text>
      </div>
      <FailedScan service={service.data} />
      <ServiceDetails service={service.data} />
    </Stack>
  );
}

/** That the last scan failed: the rest of the page shows an older one. */
function FailedScan({ service: { lastFailedScan: failed } }: { service: Service }) {
  if (failed === null) return null;
  return (
    <Alert color="red" title="The last scan failed" role="status">
      <TimeAgo at={failed.submittedAt} />: {failed.error.message}{" "}
      <Anchor component={Link} href={`/scan-runs/${failed.scanRunId}`}>
        Open the failed run
      </Anchor>
    </Alert>
  );
}

function ServiceDetails({ service }: { service: Service }) {
  const runs = useServiceRuns(service.id);
  const tab = useUrlTab(["endpoints", "runs"]);
  const older = runs.hasNextPage
    ? { older: { load: () => void runs.fetchNextPage(), loading: runs.isFetchingNextPage } }
    : {};
  return (
    <>
      {runs.isPending && <Skeleton height={262} aria-label="Loading the history" />}
      {runs.isSuccess && <History runs={runs.data} {...older} />}
      <Tabs {...tab} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="endpoints">Endpoints ({service.endpointCount?.toLocaleString() ?? 0})</Tabs.Tab>
          <Tabs.Tab value="runs">Scan runs</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="endpoints" pt="md">
          <InventoryPanel service={service} />
        </Tabs.Panel>
        <Tabs.Panel value="runs" pt="md">
          {runs.isPending && <Skeleton height={480} aria-label="Loading the scan runs" />}
          {runs.isError && <ErrorAlert error={runs.error} onRetry={() => void runs.refetch()} />}
          {runs.isSuccess && <RunTable runs={runs.data} currentId={service.currentScanRunId} {...older} />}
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
