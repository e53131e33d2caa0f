import { Alert, Skeleton, Stack, Tabs, Text } from "@mantine/core";
import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import { useRef, useState } from "react";
import { countOf } from "../lib/count-of.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { LacksPermission } from "../lib/lacks-permission.tsx";
import { lazyDialog } from "../lib/lazy-dialog.tsx";
import { LOCALE } from "../lib/locale.ts";
import { useCreatorKey } from "../lib/use-creator-key.ts";
import { useMay } from "../lib/use-session.ts";
import { useUrlState, useUrlTab } from "../lib/use-url-state.ts";
import { countAllChanges } from "./changes/change-cards.ts";
import { ChangesView } from "./changes/changes-view.tsx";
import { PromotedRun } from "./changes/promoted-run.tsx";
import { RunHeader } from "./changes/run-header.tsx";
import { LoadingBand, VerdictBand } from "./changes/verdict-band.tsx";
import { EndpointsPanel } from "./endpoints-panel.tsx";
import { FindingsPanel } from "./findings-panel.tsx";
import { AboutScan } from "./about-scan.tsx";
import {
  RUN_TABS,
  useBrokenJourneys,
  useOtherVerdicts,
  useRunChanges,
  useScanRun,
  useTabContent,
} from "./use-scan-run.ts";

const ApproveDialog = lazyDialog(
  async () => (await import("../lib/verdicts/approve-dialog.tsx")).ApproveDialog,
);

export default function ScanRunPage({ scanRunId }: { scanRunId: string }) {
  const run = useScanRun(scanRunId);
  const broken = useBrokenJourneys(run.data);
  const { value: tab } = useUrlTab(RUN_TABS);
  const changes = useRunChanges(run.data, { tab, against: useUrlState("against")[0] });
  useCreatorKey(run.data);
  useTabContent(run.data, tab);
  const wasShown = useRef(false);
  // The verdict is above the rest, which must not move when it arrives, and must not look good before.
  const waits = broken.isLoading || changes.isWaiting;
  if (run.isPending || (waits && !wasShown.current))
    return <Skeleton height={640} aria-label="Loading the scan run" />;
  if (run.isLoadingError) return <ErrorAlert error={run.error} onRetry={() => void run.refetch()} />;
  wasShown.current = true;
  return <LoadedScanRun run={run.data} />;
}

function LoadedScanRun({ run }: { run: ScanRun }) {
  return (
    <Stack gap="md">
      <title>{`${run.serviceName} · change · Waymark`}</title>
      <RunHeader run={run} />
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
      <PromotedRun run={run} />
      {run.status === "completed" && <Content run={run} />}
      <AboutScan run={run} />
    </Stack>
  );
}

/** The verdict on a completed run, and the tabs with what it changed and what it has. */
function Content({ run }: { run: ScanRun }) {
  const tab = useUrlTab(RUN_TABS);
  const changes = useRunChanges(run, { tab: tab.value, against: useUrlState("against")[0] });
  const mayApprove = useMay("changes:approve");
  const [approving, setApproving] = useState<readonly Verdict[]>([]);
  useOtherVerdicts(changes, { enabled: tab.value === "changes" });
  const { data, hasNextPage } = changes;
  const onApprove = mayApprove ? setApproving : undefined;
  return (
    <>
      {data === undefined ? (
        <NoVerdict changes={changes} />
      ) : (
        <VerdictBand run={run} changes={data} hasMore={hasNextPage} onApprove={onApprove} />
      )}
      <Tabs {...tab} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="changes">Changes{data !== undefined && describeCount(data)}</Tabs.Tab>
          <Tabs.Tab value="endpoints">Endpoints ({run.endpointCount.toLocaleString(LOCALE)})</Tabs.Tab>
          <Tabs.Tab value="findings">Findings ({run.findingCount.toLocaleString(LOCALE)})</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="changes" pt="md">
          {data !== undefined && (
            <ChangesView run={run} changes={data} pages={changes} onApprove={onApprove} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="endpoints" pt="md">
          <EndpointsPanel run={run} />
        </Tabs.Panel>
        <Tabs.Panel value="findings" pt="md">
          <FindingsPanel run={run} />
        </Tabs.Panel>
      </Tabs>
      {approving.length > 0 && (
        <ApproveDialog
          serviceId={run.serviceId}
          scanRunId={run.id}
          isPromoted={run.promoted}
          verdicts={approving}
          onClose={() => setApproving([])}
        />
      )}
    </>
  );
}

/** The number of changes in parentheses. None for a first run, and no 0 where the descriptions were not compared. */
function describeCount(changes: ScanChanges): string {
  const count = countAllChanges(changes);
  const isKnown = changes.against !== null && (count > 0 || changes.comparison.status === "compared");
  return isKnown ? ` (${count.toLocaleString(LOCALE)})` : "";
}

/** Stands in the place of the verdict while it is not known, and says why if it will not be. */
function NoVerdict({ changes }: { changes: ReturnType<typeof useRunChanges> }) {
  const mayRead = useMay("endpoints:read");
  if (!mayRead)
    return (
      <Alert color="yellow" title="The changes are not shown" role="status">
        <LacksPermission permission="endpoints:read" purpose="read what changed" />
      </Alert>
    );
  if (changes.isLoadingError)
    return <ErrorAlert error={changes.error} onRetry={() => void changes.refetch()} />;
  return <LoadingBand />;
}
