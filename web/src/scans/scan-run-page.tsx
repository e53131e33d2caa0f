import { Alert, Badge, Group, Progress, Skeleton, Stack, Tabs, Text, Title } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { HELD_COLOR, isHeld } from "../lib/is-held.ts";
import { Time } from "../lib/time.tsx";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { useUrlTab } from "../lib/use-url-state.ts";
import { ChangesPanel } from "./changes-panel.tsx";
import { EndpointsPanel } from "./endpoints-panel.tsx";
import { FindingsPanel } from "./findings-panel.tsx";
import { HeldRun } from "./held-run.tsx";
import { ScanRunSummary } from "./scan-run-summary.tsx";
import { useScanRun } from "./use-scan-run.ts";

const STATUS_COLORS = { accepted: "blue.8", completed: "teal.9", failed: "red.9" } as const;

export default function ScanRunPage({ scanRunId }: { scanRunId: string }) {
  const run = useScanRun(scanRunId);
  if (run.isPending) return <Skeleton height={640} aria-label="Loading the scan run" />;
  if (run.isError) return <ErrorAlert error={run.error} onRetry={() => void run.refetch()} />;
  return <LoadedScanRun run={run.data} />;
}

function LoadedScanRun({ run }: { run: ScanRun }) {
  return (
    <Stack gap="lg">
      <title>{`${run.serviceName} · scan run · Waymark`}</title>
      <div>
        <Breadcrumbs
          steps={[
            { href: "/", label: "Services" },
            { href: `/services/${run.serviceId}`, label: run.serviceName },
          ]}
        />
        <Group gap="sm">
          <Title order={1} className="breaks">
            {run.serviceName}
          </Title>
          <Badge color={STATUS_COLORS[run.status]} size="lg" aria-live="polite">
            {run.status}
          </Badge>
          {isHeld(run) && (
            <Badge color={HELD_COLOR} size="lg">
              not promoted
            </Badge>
          )}
          {run.unchanged && (
            <Badge color="gray.7" size="lg" title="The same content as the previous current run">
              unchanged
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          Scan run of <Time at={run.createdAt} />
        </Text>
      </div>
      {run.status === "accepted" && (
        <div role="status">
          <Text>
            Scan received. Storing {run.endpointCount.toLocaleString()} endpoints and{" "}
            {run.findingCount.toLocaleString()} findings…
          </Text>
          <Progress value={100} animated aria-label="Storing the scan" mt="xs" />
        </div>
      )}
      {run.error !== null && (
        <Alert color="red" title="This scan failed" role="alert">
          {run.error.message} ({run.error.code})
        </Alert>
      )}
      {isHeld(run) && <HeldRun run={run} />}
      <ScanRunSummary run={run} />
      {run.status === "completed" && <Panels run={run} />}
    </Stack>
  );
}

function Panels({ run }: { run: ScanRun }) {
  const tab = useUrlTab(["endpoints", "findings", "changes"]);
  return (
    <Tabs {...tab} keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="endpoints">Endpoints ({run.endpointCount.toLocaleString()})</Tabs.Tab>
        <Tabs.Tab value="findings">Findings ({run.findingCount.toLocaleString()})</Tabs.Tab>
        <Tabs.Tab value="changes">Changes</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="endpoints" pt="md">
        <EndpointsPanel run={run} />
      </Tabs.Panel>
      <Tabs.Panel value="findings" pt="md">
        <FindingsPanel run={run} />
      </Tabs.Panel>
      <Tabs.Panel value="changes" pt="md">
        <ChangesPanel run={run} />
      </Tabs.Panel>
    </Tabs>
  );
}
