import { Alert, Anchor, Badge, Group, Skeleton, Stack, Tabs, Text, Title } from "@mantine/core";
import { describeCompared } from "@waymark/shared/scans/compared.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { Suspense, useRef } from "react";
import { Link } from "wouter";
import { countOf } from "../lib/count-of.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { HELD_COLOR, isHeld } from "../lib/is-held.ts";
import { lazyPart } from "../lib/lazy-part.tsx";
import { Time } from "../lib/time.tsx";
import { useCreatorKey } from "../lib/use-creator-key.ts";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { useUrlState, useUrlTab } from "../lib/use-url-state.ts";
import { BrokenJourneys } from "./broken-journeys.tsx";
import { ChangesPanel } from "./changes-panel.tsx";
import { EndpointsPanel } from "./endpoints-panel.tsx";
import { FailedGates } from "./failed-gates.tsx";
import { FindingsPanel } from "./findings-panel.tsx";
import { HeldRun, PromotedRun, Standing } from "./held-run.tsx";
import { ScanRunSummary } from "./scan-run-summary.tsx";
import { RUN_TABS, useBrokenJourneys, useScanRun, useTabContent } from "./use-scan-run.ts";
import { LOCALE } from "../lib/locale.ts";

/** Loads only for runs that break clients. */
const BreaksClients = lazyPart(
  "The verdicts",
  async () => (await import("./breaks-clients.tsx")).BreaksClients,
);

const STATUS_COLORS = { accepted: "blue.8", completed: "teal.9", failed: "red.9" } as const;

export default function ScanRunPage({ scanRunId }: { scanRunId: string }) {
  const run = useScanRun(scanRunId);
  const broken = useBrokenJourneys(run.data);
  // The tab's data is requested at the same time. Only its rendering waits for the journeys, which are above it.
  useCreatorKey(run.data);
  useTabContent(run.data, useUrlTab(RUN_TABS).value, useUrlState("against")[0]);
  const wasLive = useRef(false);
  if (run.data?.status === "accepted") wasLive.current = true;
  // They are shown above the rest, which must not move when they arrive.
  const waits = broken.isLoading && !wasLive.current;
  if (run.isPending || waits) return <Skeleton height={640} aria-label="Loading the scan run" />;
  if (run.isLoadingError) return <ErrorAlert error={run.error} onRetry={() => void run.refetch()} />;
  return <LoadedScanRun run={run.data} />;
}

function LoadedScanRun({ run }: { run: ScanRun }) {
  return (
    <Stack gap="lg">
      <title>{`${run.serviceName} · scan run · Waymark`}</title>
      <div>
        <Breadcrumbs
          steps={[
            { href: "/services", label: "Services" },
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
            <Badge color="gray.7" size="lg" title={describeCompared({ findings: true })}>
              no change found
            </Badge>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          Scan run of <Time at={run.createdAt} />
          {run.ownerTeam !== null && (
            <>
              . Owner:{" "}
              <Anchor component={Link} href={`/services?owner=${run.ownerTeam.slug}`} underline="always">
                {run.ownerTeam.displayName}
              </Anchor>
            </>
          )}
          {run.status === "completed" && run.promoted && <Standing run={run} />}
        </Text>
      </div>
      {run.status === "accepted" && (
        <div role="status">
          <Text>
            Scan received. Storing {countOf(run.endpointCount, "endpoints")} and{" "}
            {countOf(run.findingCount, "findings")}…
          </Text>
          <progress
            aria-label="Storing the scan"
            style={{ width: "100%", accentColor: "var(--mantine-primary-color-filled)" }}
          />
        </div>
      )}
      {run.error !== null && (
        <Alert color="red" title="This scan failed" role="alert">
          {run.error.message} ({run.error.code})
        </Alert>
      )}
      <FailedGates run={run} />
      <BrokenJourneys run={run} />
      {isHeld(run) ? <HeldRun run={run} /> : <PromotedRun run={run} />}
      <ScanRunSummary run={run} />
      {run.status === "completed" && <Panels run={run} />}
    </Stack>
  );
}

function Panels({ run }: { run: ScanRun }) {
  const tab = useUrlTab(RUN_TABS);
  const [against] = useUrlState("against");
  const { changeCount, comparison } = useTabContent(run, tab.value, against);
  return (
    <>
      {tab.value !== "changes" && comparison !== undefined && (comparison.counts?.breaking ?? 0) > 0 && (
        <Suspense>
          <BreaksClients run={run} comparison={comparison} />
        </Suspense>
      )}
      <Tabs {...tab} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="endpoints">Endpoints ({run.endpointCount.toLocaleString(LOCALE)})</Tabs.Tab>
          <Tabs.Tab value="findings">Findings ({run.findingCount.toLocaleString(LOCALE)})</Tabs.Tab>
          <Tabs.Tab value="changes">
            Changes{changeCount !== undefined && ` (${changeCount.toLocaleString(LOCALE)})`}
          </Tabs.Tab>
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
    </>
  );
}
