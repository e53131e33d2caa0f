import { Alert, Anchor, Code, Skeleton, Stack, Text } from "@mantine/core";
import { FINDINGS_MAX, type RunFinding, type ScanRun } from "@waymark/shared/scans/schema.ts";
import { useMemo } from "react";
import { Link } from "wouter";
import { ChoiceFilter, Filters, SearchFilter } from "../lib/filters.tsx";
import { ExportButtons } from "../lib/export-buttons.tsx";
import type { ExportFields } from "../lib/table-export.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { SEVERITIES } from "../lib/severities.ts";
import { SeverityBadge } from "../lib/severity.tsx";
import { useUrlDialog, useUrlState } from "../lib/use-url-state.ts";
import { type Column, VirtualTable } from "../lib/virtual-table.tsx";
import { FindingMessage } from "./decisions/finding-message.tsx";
import { filterFindings, findingOrder } from "./filter-findings.ts";
import { operationOf } from "../lib/operation.ts";
import { OperationFilter } from "./operation-filter.tsx";
import { useFindingKeys } from "./use-finding-keys.ts";
import { useFindings } from "./use-scan-run.ts";
import { lazyDialog } from "../lib/lazy-dialog.tsx";

const FindingDialog = lazyDialog(async () => (await import("./finding-dialog.tsx")).FindingDialog);

export function FindingsPanel({ run }: { run: ScanRun }) {
  const findings = useFindings(run);
  if (findings.isLoadingError)
    return <ErrorAlert error={findings.error} onRetry={() => void findings.refetch()} />;
  if (findings.isPending) return <Skeleton height={480} aria-label="Loading the findings" />;
  if (findings.data.length === 0) return <Text>This scan has no findings.</Text>;
  return <FindingTable run={run} findings={findings.data} />;
}

function FindingTable({ run, findings }: { run: ScanRun; findings: readonly RunFinding[] }) {
  const [text, setText] = useUrlState("q");
  const [severity, setSeverity] = useUrlState("severity");
  const [operation, setOperation] = useUrlState("of");
  const [state, setState] = useUrlState("state");
  const [order, setOrder] = useUrlState("by");
  const shown = useMemo(
    () => filterFindings(findings, { text, severity, operation, state }, order),
    [findings, text, severity, operation, state, order],
  );

  const dialog = useUrlDialog("finding");
  const openedIndex = dialog.value === "" ? Number.NaN : Number(dialog.value);
  const opened = findings[openedIndex];
  const addressOf = (finding: RunFinding) => String(findings.indexOf(finding));
  const { move } = useFindingKeys(shown, {
    list: JSON.stringify([text, severity, operation, state, order]),
    dialog,
    addressOf,
    indexOf: (address) => {
      const finding = findings[Number(address)];
      return finding === undefined ? -1 : shown.indexOf(finding);
    },
  });
  const decided = findings.filter(({ decision }) => decision !== null).length;

  return (
    <Stack gap="sm">
      {opened !== undefined && (
        <FindingDialog
          key={dialog.value}
          scanRunId={run.id}
          finding={opened}
          index={openedIndex}
          serviceId={run.serviceId}
          onMove={move}
          onClose={dialog.close}
        />
      )}
      <Filters
        shown={shown.length}
        total={findings.length}
        actions={<ExportButtons name={[run.serviceName, "findings"]} fields={EXPORTED} rows={shown} />}
      >
        <SearchFilter placeholder="Code, message or path" value={text} onChange={setText} />
        <ChoiceFilter label="Severity" value={severity} values={SEVERITIES} onChange={setSeverity} />
        {(decided > 0 || state !== "") && (
          <ChoiceFilter
            label="State"
            value={state}
            values={[
              { value: "open", label: `open (${findings.length - decided})` },
              { value: "decided", label: `decided (${decided})` },
            ]}
            onChange={setState}
          />
        )}
      </Filters>
      {findings.length >= FINDINGS_MAX && (
        <Alert color="yellow" role="note" title={`Limit reached: ${FINDINGS_MAX} findings`}>
          A scan stores at most {FINDINGS_MAX} findings. There may be more: the output of the command that
          submitted the scan says how many it left out.
        </Alert>
      )}
      <OperationFilter operation={operation} onClear={() => setOperation("")} />
      <VirtualTable
        label="Findings"
        columns={COLUMNS}
        rows={shown}
        rowKey={(_, index) => index}
        phone={{
          areas: ["severity code", "message message", "endpoint endpoint"],
          columns: "5rem minmax(0, 1fr)",
        }}
        order={findingOrder(order)}
        onOrder={setOrder}
        onOpen={(finding) => dialog.open(addressOf(finding))}
      />
    </Stack>
  );
}

const EXPORTED: ExportFields<RunFinding> = {
  severity: ({ severity }) => severity,
  code: ({ code }) => code,
  message: ({ message }) => message,
  method: ({ method }) => method,
  path: ({ path }) => path,
  decision: ({ decision }) => decision?.kind ?? null,
  reason: ({ decision }) => decision?.reason ?? null,
  until: ({ decision }) => decision?.until ?? null,
};

const COLUMNS: Column<RunFinding>[] = [
  {
    id: "severity",
    label: "Severity",
    width: "6rem",
    render: (row) => <SeverityBadge severity={row.severity} />,
    sortable: true,
  },
  {
    id: "code",
    label: "Code",
    width: "minmax(8rem, 1fr)",
    render: (row) => <Code title={row.code}>{row.code}</Code>,
    sortable: true,
  },
  {
    id: "message",
    label: "Message",
    width: "minmax(14rem, 3fr)",
    render: (row, open) => <FindingMessage finding={row} onOpen={open} />,
  },
  {
    id: "endpoint",
    label: "Endpoint",
    width: "minmax(10rem, 2fr)",
    render: (row) => <EndpointLink finding={row} />,
    sortable: true,
  },
];

function EndpointLink({ finding: { method, path } }: { finding: RunFinding }) {
  if (path === null) return "the whole API";
  return (
    <Anchor
      component={Link}
      href={`?${new URLSearchParams({ tab: "endpoints", of: operationOf(method, path) })}`}
      title={path}
    >
      {[method, path].filter(Boolean).join(" ")}
    </Anchor>
  );
}
