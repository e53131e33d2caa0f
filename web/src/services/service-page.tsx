import { Alert, Anchor, Button, Group, Skeleton, Stack, Tabs, Text, Title } from "@mantine/core";
import type { Service } from "@waymark/shared/services/schema.ts";
import { Suspense } from "react";
import { lazyDialog } from "../lib/lazy-dialog.tsx";
import { lazyPart } from "../lib/lazy-part.tsx";
import { Link } from "wouter";
import { countOf } from "../lib/count-of.ts";
import { describeFailed } from "../lib/describe-gates.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { openBySeverity, sumOf } from "../lib/open-findings.ts";
import { SEVERITIES } from "../lib/severities.ts";
import { SourceLine } from "../lib/source-line.tsx";
import { sourceParts } from "../lib/source-parts.ts";
import { Time, TimeAgo } from "../lib/time.tsx";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { useServiceRuns } from "../lib/use-service-runs.ts";
import { useMay } from "../lib/use-session.ts";
import { useUrlDialog, useUrlTab } from "../lib/use-url-state.ts";
import { History, LoadingHistory } from "./history.tsx";
import { InventoryPanel } from "./inventory-panel.tsx";
import { RunsPanel } from "./runs-panel.tsx";
import { ArchivedNote, ServiceDescription } from "./service-description.tsx";
import { SeverityBadges } from "./severity-badges.tsx";
import { TimelinePanel } from "./timeline-panel.tsx";
import { useService } from "../lib/use-service.ts";
import { LOCALE } from "../lib/locale.ts";
import { OverdueLink } from "./overdue-link.tsx";

const DefaultBranchDialog = lazyDialog(
  async () => (await import("./default-branch-dialog.tsx")).DefaultBranchDialog,
);
const ServiceSettingsDialog = lazyDialog(
  async () => (await import("./service-settings-dialog.tsx")).ServiceSettingsDialog,
);
const DeleteServiceDialog = lazyDialog(
  async () => (await import("./delete-service-dialog.tsx")).DeleteServiceDialog,
);
const BadgeDialog = lazyPart("The badge", async () => (await import("./badge-dialog.tsx")).BadgeDialog);

export default function ServicePage({ serviceId }: { serviceId: string }) {
  const service = useService(serviceId);
  const badge = useUrlDialog("badge");
  if (service.isPending) return <Skeleton height={600} aria-label="Loading the service" />;
  if (service.isLoadingError)
    return <ErrorAlert error={service.error} onRetry={() => void service.refetch()} />;
  return (
    <Stack gap="lg">
      <title>{`${service.data.name} · Waymark`}</title>
      <div>
        <Breadcrumbs steps={[{ href: "/services", label: "Services" }]} />
        <Group justify="space-between" align="start" gap="xs">
          <Title order={1} className="breaks">
            {service.data.name}
          </Title>
          <Group gap="xs">
            {service.data.currentScanRunId !== null && (
              <Button
                component={Link}
                href={`/services/${serviceId}/description`}
                size="xs"
                variant="default"
              >
                Description
              </Button>
            )}
            <Button size="xs" variant="default" onClick={() => badge.open("1")}>
              Badge
            </Button>
            <ChangeButtons service={service.data} />
          </Group>
        </Group>
        <Text size="sm" c="dimmed">
          First scanned <Time at={service.data.createdAt} />,{" "}
          {service.data.currentScanRunId === null ? (
            "no successful scan yet"
          ) : (
            <>
              current scan of{" "}
              <Anchor component={Link} href={`/scan-runs/${service.data.currentScanRunId}`}>
                <Time at={service.data.lastScannedAt} />
              </Anchor>
            </>
          )}
        </Text>
        <ServiceDescription service={service.data} />
        <DefaultBranch service={service.data} />
        <CurrentFindings service={service.data} />
      </div>
      <ArchivedNote service={service.data} />
      <FailedScan service={service.data} />
      <HeldScan service={service.data} />
      <ServiceDetails service={service.data} />
      {badge.value !== "" && (
        <Suspense>
          <BadgeDialog service={service.data} onClose={badge.close} />
        </Suspense>
      )}
    </Stack>
  );
}

/** The buttons that open the settings and delete the service, as far as the key may do that. */
function ChangeButtons({ service }: { service: Service }) {
  const settings = useUrlDialog("settings");
  const deletion = useUrlDialog("delete");
  const mayChange = useMay("services:update");
  const mayDelete = useMay("services:delete");
  return (
    <>
      {mayChange && (
        <Button size="xs" variant="default" onClick={() => settings.open("1")}>
          Settings
        </Button>
      )}
      {mayDelete && (
        <Button size="xs" variant="default" onClick={() => deletion.open("1")}>
          Delete
        </Button>
      )}
      {mayChange && settings.value !== "" && (
        <ServiceSettingsDialog service={service} onClose={settings.close} />
      )}
      {mayDelete && deletion.value !== "" && (
        <DeleteServiceDialog service={service} onClose={deletion.close} />
      )}
    </>
  );
}

/** Shows the default branch, and who says that, and lets it be changed. */
function DefaultBranch({ service }: { service: Service }) {
  const { defaultBranch, defaultBranchIsSet } = service;
  const mayChange = useMay("services:update");
  const dialog = useUrlDialog("default-branch");
  const origin = defaultBranch !== null && !defaultBranchIsSet ? " (named by its scans)" : "";
  return (
    <Group gap="xs" fz="sm" c="dimmed">
      <span className="breaks">
        Default branch: {defaultBranch ?? "not known"}
        {origin}
      </span>
      {mayChange && (
        <Anchor component="button" type="button" fz="sm" onClick={() => dialog.open("1")}>
          Change the default branch
        </Anchor>
      )}
      {dialog.value !== "" && <DefaultBranchDialog service={service} onClose={dialog.close} />}
    </Group>
  );
}

/** Shows the number of the service's current findings, by severity. */
function CurrentFindings({ service }: { service: Service }) {
  const { currentScanRunId, findingCount, findingsBySeverity, decidedBySeverity } = service;
  if (currentScanRunId === null || findingCount === null || findingsBySeverity === null) return null;
  const decided = sumOf(decidedBySeverity);
  return (
    <Group gap="xs" mt={6} fz="sm" role="group" aria-label="Findings now">
      <Anchor component={Link} href={`/scan-runs/${currentScanRunId}?tab=findings`}>
        {findingCount === 0 ? "No findings now" : `${countOf(findingCount, "findings")} now`}
      </Anchor>
      <SeverityBadges
        scanRunId={currentScanRunId}
        severities={SEVERITIES}
        counts={openBySeverity({ findingsBySeverity, decidedBySeverity })}
        decided={decided}
      />
      {decided > 0 && (
        <Anchor component={Link} href={`/scan-runs/${currentScanRunId}?tab=findings&state=decided`}>
          {decided.toLocaleString(LOCALE)} decided
        </Anchor>
      )}
      <OverdueLink of={service} />
    </Group>
  );
}

/** Says that the last scan failed: the rest of the page shows an older one. */
function FailedScan({ service: { lastFailedScan: failed } }: { service: Service }) {
  if (failed === null) return null;
  return (
    <Alert color="red" title="The last scan failed" role="status">
      <TimeAgo at={failed.scannedAt} />: {failed.error.message}{" "}
      <Anchor component={Link} href={`/scan-runs/${failed.scanRunId}`} underline="always">
        Open the failed run
      </Anchor>
    </Alert>
  );
}

/** Says that the last scan was not promoted: the rest of the page shows an older one. */
function HeldScan({ service: { lastHeldScan: held } }: { service: Service }) {
  if (held === null) return null;
  const failed = describeFailed(held.failedGates);
  return (
    <Alert color="yellow" title="The last scan was not promoted" role="status">
      {failed !== undefined && `It ${failed}. `}
      It was scanned <TimeAgo at={held.scannedAt} />
      {sourceParts(held.source).length > 0 && (
        <>
          {" "}
          (<SourceLine source={held.source} />)
        </>
      )}
      , and this page shows the scan before it.{" "}
      <Anchor component={Link} href={`/scan-runs/${held.scanRunId}`} underline="always">
        Open the run
      </Anchor>
    </Alert>
  );
}

function ServiceDetails({ service }: { service: Service }) {
  const runs = useServiceRuns(service.id);
  const tab = useUrlTab(["endpoints", "changes", "runs"]);
  return (
    <>
      {runs.isPending && <LoadingHistory />}
      {runs.data !== undefined && <History runs={runs.data} pages={runs} />}
      <Tabs {...tab} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="endpoints">
            Endpoints ({service.endpointCount?.toLocaleString(LOCALE) ?? 0})
          </Tabs.Tab>
          <Tabs.Tab value="changes">Changes</Tabs.Tab>
          <Tabs.Tab value="runs">Scan runs</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="endpoints" pt="md">
          <InventoryPanel service={service} />
        </Tabs.Panel>
        <Tabs.Panel value="changes" pt="md">
          <TimelinePanel service={service} />
        </Tabs.Panel>
        <Tabs.Panel value="runs" pt="md">
          <RunsPanel service={service} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
