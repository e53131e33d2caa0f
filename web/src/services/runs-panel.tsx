import { Skeleton, Stack, Text } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { useMemo } from "react";
import { namesOfFailed } from "../lib/describe-gates.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { ExportButtons } from "../lib/export-buttons.tsx";
import { ChoiceFilter, FilterRow } from "../lib/filters.tsx";
import { SOURCE_EXPORT } from "../lib/source-export.ts";
import type { ExportFields } from "../lib/table-export.ts";
import { useServiceRuns } from "../lib/use-service-runs.ts";
import { useUrlState } from "../lib/use-url-state.ts";
import { branchesOf } from "./describe-history.ts";
import { RunTable } from "./run-table.tsx";

/** The service's runs, of all branches or of one. */
export function RunsPanel({ service }: { service: Service }) {
  const [branch, setBranch] = useUrlState("branch");
  const all = useServiceRuns(service.id);
  const runs = useServiceRuns(service.id, { branch });
  const branches = useMemo(() => branchesOf(all.data ?? [], branch), [all.data, branch]);
  return (
    <Stack gap="sm">
      <FilterRow
        actions={
          <ExportButtons name={[service.name, "scan-runs"]} fields={EXPORTED} rows={runs.data ?? []} />
        }
      >
        {branches.length > 0 && (
          <ChoiceFilter label="Branch" value={branch} values={branches} onChange={setBranch} />
        )}
      </FilterRow>
      {runs.isPending && <Skeleton height={480} aria-label="Loading the scan runs" />}
      {runs.isLoadingError && <ErrorAlert error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.data !== undefined && runs.data.length === 0 && (
        <Text role="status">No scan run of this service is of the branch “{branch}”.</Text>
      )}
      {runs.data !== undefined && runs.data.length > 0 && (
        <RunTable runs={runs.data} currentId={service.currentScanRunId} pages={runs} />
      )}
    </Stack>
  );
}

const EXPORTED: ExportFields<ScanRun> = {
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  status: ({ status }) => status,
  promoted: ({ promoted }) => promoted,
  specTitle: ({ spec }) => spec.title,
  specVersion: ({ spec }) => spec.version,
  ...SOURCE_EXPORT,
  failedGates: ({ gates }) => (gates === null ? null : namesOfFailed(gates)),
  endpointCount: ({ endpointCount }) => endpointCount,
  findingCount: ({ findingCount }) => findingCount,
  error: ({ error }) => error?.message ?? null,
  owner: ({ ownerTeam }) => ownerTeam?.slug ?? null,
  creator: ({ creator }) => creator?.displayName ?? null,
};
