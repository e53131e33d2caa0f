import { Anchor, Badge, Skeleton, Stack, Text } from "@mantine/core";
import { describeCompared } from "@waymark/shared/scans/compared.ts";
import type { Service, ServiceChange } from "@waymark/shared/services/schema.ts";
import { Link } from "wouter";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { LoadMore } from "../lib/load-more.tsx";
import { ExportButtons } from "../lib/export-buttons.tsx";
import { FilterRow } from "../lib/filters.tsx";
import { SEVERITY_COLORS } from "../lib/severities.ts";
import { SOURCE_EXPORT } from "../lib/source-export.ts";
import { SourceLine } from "../lib/source-line.tsx";
import { sourceParts } from "../lib/source-parts.ts";
import type { ExportFields } from "../lib/table-export.ts";
import { TimeAgo } from "../lib/time.tsx";
import { useKeyNames } from "../lib/use-key-names.ts";
import { ApprovalsSection } from "./approvals-section.tsx";
import { comparisonOf, describeEffect, describeServiceChange } from "./describe-service-change.ts";
import classes from "./timeline-panel.module.css";
import { useServiceChanges } from "./use-services.ts";

/** Shows the changes of the service with their keys and branches, newest first. */
export function TimelinePanel({ service }: { service: Service }) {
  const changes = useServiceChanges(service);
  const keyNames = useKeyNames();
  if (service.currentScanRunId === null) return <Text>No successful scan yet.</Text>;
  if (changes.isPending) return <Skeleton height={320} aria-label="Loading the changes" />;
  if (changes.isLoadingError)
    return <ErrorAlert error={changes.error} onRetry={() => void changes.refetch()} />;
  return (
    <Stack>
      <FilterRow
        actions={<ExportButtons name={[service.name, "changes"]} fields={EXPORTED} rows={changes.data} />}
      />
      <Text size="sm" c="dimmed">
        {describeBasis(changes.data)}
      </Text>
      <ApprovalsSection serviceId={service.id} />
      <ol className={classes["changes"]}>
        {changes.data.map((change) => (
          <Change key={change.scanRunId} change={change} keyName={keyNames?.get(change.createdByKeyId)} />
        ))}
      </ol>
      <LoadMore pages={changes} label="Load older changes" size="sm" />
    </Stack>
  );
}

/** Says what was compared to find the changes. The first run has none before it. */
function describeBasis(changes: readonly ServiceChange[]): string {
  const later = changes.filter(({ against }) => against !== null);
  if (later.every(({ comparison }) => comparison.status !== "compared"))
    return describeCompared({ findings: true });
  return later.every(({ comparison }) => comparison.status === "compared")
    ? "Whole descriptions were compared: parameters, bodies and responses too."
    : "Whole descriptions were compared, unless a change says otherwise: then only endpoints and findings were.";
}

const EXPORTED: ExportFields<ServiceChange> = {
  scanRunId: ({ scanRunId }) => scanRunId,
  against: ({ against }) => against,
  scannedAt: ({ scannedAt }) => scannedAt,
  createdByKeyId: ({ createdByKeyId }) => createdByKeyId,
  ...SOURCE_EXPORT,
  endpointsAdded: ({ endpoints }) => endpoints.added,
  endpointsRemoved: ({ endpoints }) => endpoints.removed,
  endpointsChanged: ({ endpoints }) => endpoints.changed,
  findingsNew: ({ findings }) => findings.new,
  findingsFixed: ({ findings }) => findings.fixed,
  findingsRemovedWithEndpoint: ({ findings }) => findings.removedWithEndpoint,
  findingsSeverityChanged: ({ findings }) => findings.severityChanged,
  breaking: ({ breaking }) => breaking,
  descriptionsCompared: ({ comparison }) => comparison.status,
  changesBreaking: ({ comparison }) => comparison.counts?.breaking ?? null,
  changesMaybeBreaking: ({ comparison }) => comparison.counts?.maybe ?? null,
  changesApproved: ({ comparison }) => comparison.counts?.approved ?? null,
};

const EFFECT_COLORS = { breaks: SEVERITY_COLORS.critical, maybe: SEVERITY_COLORS.medium } as const;

function Change({ change, keyName }: { change: ServiceChange; keyName: string | undefined }) {
  const { scannedAt, source, against } = change;
  const { tone, words } = describeEffect(change);
  return (
    <li className={classes["change"]} data-breaking={(against !== null && tone === "breaks") || undefined}>
      <div>
        {against !== null && tone !== "none" && (
          <>
            <Badge color={EFFECT_COLORS[tone]}>{words}</Badge>{" "}
          </>
        )}
        <Anchor component={Link} href={comparisonOf(change)} fw={600}>
          {describeServiceChange(change)}
        </Anchor>
      </div>
      <Text size="sm" c="dimmed" className="breaks">
        <TimeAgo at={scannedAt} />
        {keyName !== undefined && `, by key ${keyName}`}
        {sourceParts(source).length > 0 && (
          <>
            , <SourceLine source={source} />
          </>
        )}
        {against !== null && tone === "none" && `, ${words}`}
      </Text>
    </li>
  );
}
