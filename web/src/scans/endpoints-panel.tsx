import { Anchor, Code, Skeleton, Stack, Text } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { useMemo } from "react";
import { Link } from "wouter";
import { ChoiceFilter, Filters, SearchFilter } from "../lib/filters.tsx";
import { EndpointButton } from "../lib/endpoint/endpoint-button.tsx";
import { useEndpointDrawer } from "../lib/endpoint/use-endpoint-drawer.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { ExportButtons } from "../lib/export-buttons.tsx";
import type { ExportFields } from "../lib/table-export.ts";
import { countOf } from "../lib/count-of.ts";
import { SEVERITIES } from "../lib/severities.ts";
import { SeverityBadge } from "../lib/severity.tsx";
import { usePrinting } from "../lib/use-printing.ts";
import { useUrlState } from "../lib/use-url-state.ts";
import { shownRows, useOtherEndpoints } from "../lib/use-endpoint-rows.ts";
import { type Column, VirtualTable } from "../lib/virtual-table.tsx";
import { type EndpointRow, filterEndpoints, linkFindings, sortEndpoints } from "./filters.ts";
import { operationOf } from "../lib/operation.ts";
import { OperationFilter } from "./operation-filter.tsx";
import { useEndpoints, useFindings } from "./use-scan-run.ts";

export function EndpointsPanel({ run }: { run: ScanRun }) {
  const endpoints = useEndpoints(run);
  const findings = useFindings(run);
  useOtherEndpoints(endpoints, { enabled: !findings.isLoading });
  const rows = useMemo(
    () => linkFindings(endpoints.data ?? [], findings.data ?? []),
    [endpoints.data, findings.data],
  );
  if (endpoints.isLoadingError)
    return <ErrorAlert error={endpoints.error} onRetry={() => void endpoints.refetch()} />;
  if (endpoints.isPending) return <Skeleton height={480} aria-label="Loading the endpoints" />;
  if (rows.length === 0) return <Text>This scan has no endpoints.</Text>;
  return (
    <Stack gap="sm">
      {findings.isLoadingError && (
        <ErrorAlert error={findings.error} onRetry={() => void findings.refetch()} />
      )}
      <EndpointTable run={run} rows={rows} isWhole={!endpoints.hasNextPage} />
    </Stack>
  );
}

/** @param props.isWhole whether all endpoints of the run are there; until then, the first ones */
function EndpointTable(props: { run: ScanRun; rows: readonly EndpointRow[]; isWhole: boolean }) {
  const { run, rows, isWhole } = props;
  const [text, setText] = useUrlState("q");
  const [method, setMethod] = useUrlState("method");
  const [tag, setTag] = useUrlState("tag");
  const [severity, setSeverity] = useUrlState("severity");
  const [operation, setOperation] = useUrlState("of");
  const [order, setOrder] = useUrlState("sort");
  const shown = useMemo(
    () => sortEndpoints(filterEndpoints(rows, { text, method, tag, severity, operation }), order),
    [rows, text, method, tag, severity, operation, order],
  );
  const methods = useMemo(() => [...new Set(rows.map((row) => row.endpoint.method))].toSorted(), [rows]);
  const tags = useMemo(
    () => [...new Set(rows.flatMap((row) => row.endpoint.tags))].filter(Boolean).toSorted(),
    [rows],
  );
  const { open, drawer } = useEndpointDrawer({ serviceId: run.serviceId, scanRunId: run.id });
  const isPrinting = usePrinting();
  const total = isWhole ? rows.length : run.endpointCount;
  const visible = shownRows({
    shown,
    total,
    isWhole,
    isAsSubmitted: [text, method, tag, severity, operation, order].every((one) => one === ""),
    isPrinting,
  });

  return (
    <>
      <Filters
        shown={visible.count}
        total={total}
        actions={<ExportButtons name={[run.serviceName, "endpoints"]} fields={EXPORTED} rows={visible.all} />}
      >
        <SearchFilter placeholder="Path, operation, summary or tag" value={text} onChange={setText} />
        <ChoiceFilter label="Method" value={method} values={methods} onChange={setMethod} />
        <ChoiceFilter label="Tag" value={tag} values={tags} onChange={setTag} />
        <ChoiceFilter label="Severity" value={severity} values={SEVERITIES} onChange={setSeverity} />
      </Filters>
      <OperationFilter operation={operation} onClear={() => setOperation("")} />
      {visible.rows === undefined ? (
        <Skeleton height={480} aria-label="Loading all endpoints" />
      ) : (
        <VirtualTable
          label="Endpoints"
          columns={COLUMNS}
          rows={visible.rows}
          total={visible.total}
          rowKey={(row) => row.ordinal}
          phone={{ areas: ["method findings", "path path"], columns: "minmax(0, 1fr) auto" }}
          order={order}
          onOrder={setOrder}
          onOpen={({ endpoint }) => open(endpoint)}
        />
      )}
      {drawer}
    </>
  );
}

const EXPORTED: ExportFields<EndpointRow> = {
  method: ({ endpoint }) => endpoint.method,
  path: ({ endpoint }) => endpoint.path,
  operationId: ({ endpoint }) => endpoint.operationId,
  summary: ({ endpoint }) => endpoint.summary,
  tags: ({ endpoint }) => endpoint.tags,
  findings: ({ findings }) => findings.length,
  worstSeverity: ({ worst }) => worst ?? null,
};

const COLUMNS: Column<EndpointRow>[] = [
  {
    id: "method",
    label: "Method",
    width: "5.5rem",
    render: (row) => <Code>{row.endpoint.method}</Code>,
    sortable: true,
  },
  {
    id: "path",
    label: "Path",
    width: "minmax(14rem, 3fr)",
    render: (row, open) => <EndpointButton path={row.endpoint.path} onOpen={open} />,
    sortable: true,
  },
  {
    id: "operation",
    label: "Operation",
    width: "minmax(8rem, 2fr)",
    render: (row) => <span title={row.endpoint.summary ?? undefined}>{row.endpoint.operationId ?? "–"}</span>,
  },
  {
    id: "tags",
    label: "Tags",
    width: "minmax(6rem, 1fr)",
    render: (row) => <span title={row.endpoint.tags.join(", ")}>{row.endpoint.tags.join(", ")}</span>,
  },
  {
    id: "findings",
    label: "Findings",
    width: "8.5rem",
    render: (row) => <FindingsLink row={row} />,
    sortable: true,
  },
];

function FindingsLink({ row: { endpoint, findings, worst } }: { row: EndpointRow }) {
  if (worst === undefined) return "–";
  const { method, path } = endpoint;
  return (
    <Anchor
      component={Link}
      href={`?${new URLSearchParams({ tab: "findings", of: operationOf(method, path) })}`}
      // Begins with the words that are seen, so that a user can speak them.
      aria-label={`${worst} ${countOf(findings.length, "findings")} of ${method} ${path}, the worst ${worst}`}
    >
      <SeverityBadge severity={worst} /> {findings.length}
    </Anchor>
  );
}
