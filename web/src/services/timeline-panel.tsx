import { Anchor, Badge, Button, Code, Skeleton, Stack, Text } from "@mantine/core";
import { describeCompared } from "@waymark/shared/scans/compared.ts";
import type { Service, ServiceChange } from "@waymark/shared/services/schema.ts";
import { Link } from "wouter";
import { countOf } from "../lib/count-of.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { ExportButtons } from "../lib/export-buttons.tsx";
import { FilterRow } from "../lib/filters.tsx";
import type { ExportFields } from "../lib/table-export.ts";
import { TimeAgo } from "../lib/time.tsx";
import { useKeyNames } from "../lib/use-key-names.ts";
import { comparisonOf, describeServiceChange } from "./describe-service-change.ts";
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
        {describeCompared({ findings: true })}
      </Text>
      <ol className={classes["changes"]}>
        {changes.data.map((change) => (
          <Change key={change.scanRunId} change={change} keyName={keyNames?.get(change.createdByKeyId)} />
        ))}
      </ol>
      {changes.hasNextPage && (
        <Button
          variant="default"
          w="fit-content"
          loading={changes.isFetchingNextPage}
          onClick={() => void changes.fetchNextPage()}
        >
          Load older changes
        </Button>
      )}
    </Stack>
  );
}

const EXPORTED: ExportFields<ServiceChange> = {
  scanRunId: ({ scanRunId }) => scanRunId,
  against: ({ against }) => against,
  scannedAt: ({ scannedAt }) => scannedAt,
  createdByKeyId: ({ createdByKeyId }) => createdByKeyId,
  branch: ({ source }) => source?.branch ?? null,
  commit: ({ source }) => source?.commit ?? null,
  endpointsAdded: ({ endpoints }) => endpoints.added,
  endpointsRemoved: ({ endpoints }) => endpoints.removed,
  endpointsChanged: ({ endpoints }) => endpoints.changed,
  findingsNew: ({ findings }) => findings.new,
  findingsFixed: ({ findings }) => findings.fixed,
  findingsRemovedWithEndpoint: ({ findings }) => findings.removedWithEndpoint,
  findingsSeverityChanged: ({ findings }) => findings.severityChanged,
  breaking: ({ breaking }) => breaking,
};

function Change({ change, keyName }: { change: ServiceChange; keyName: string | undefined }) {
  const { breaking, scannedAt, source } = change;
  return (
    <li className={classes["change"]} data-breaking={breaking > 0 || undefined}>
      <div>
        <Anchor component={Link} href={comparisonOf(change)} fw={600}>
          {describeServiceChange(change)}
        </Anchor>{" "}
        {breaking > 0 && <Badge color="red.9">{countOf(breaking, "changes")} breaking clients</Badge>}
      </div>
      <Text size="sm" c="dimmed" className="breaks">
        <TimeAgo at={scannedAt} />
        {keyName !== undefined && `, by key ${keyName}`}
        {source?.branch && `, branch ${source.branch}`}
        {source?.commit && (
          <>
            {" "}
            <Code title={source.commit}>{source.commit.slice(0, 7)}</Code>
          </>
        )}
      </Text>
    </li>
  );
}
