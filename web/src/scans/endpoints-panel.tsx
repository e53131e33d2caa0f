import { Anchor, Code, Group, Select, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { useMemo } from "react";
import { Link } from "wouter";
import { Problem } from "../lib/problem.tsx";
import { SEVERITIES, SeverityBadge } from "../lib/severity.tsx";
import { useUrlState } from "../lib/use-url-state.ts";
import { type Column, VirtualTable } from "../lib/virtual-table.tsx";
import { type EndpointRow, filterEndpoints, linkFindings, sortEndpoints } from "./filters.ts";
import { useEndpoints, useFindings } from "./use-scan-run.ts";

export function EndpointsPanel({ run }: { run: ScanRun }) {
  const endpoints = useEndpoints(run);
  const findings = useFindings(run);
  const rows = useMemo(
    () => linkFindings(endpoints.data ?? [], findings.data ?? []),
    [endpoints.data, findings.data],
  );
  if (endpoints.isError) return <Problem error={endpoints.error} onRetry={() => void endpoints.refetch()} />;
  if (endpoints.isPending) return <Skeleton height={400} aria-label="Loading the endpoints" />;
  if (rows.length === 0) return <Text>This scan has no endpoints.</Text>;
  return <EndpointTable rows={rows} />;
}

function EndpointTable({ rows }: { rows: readonly EndpointRow[] }) {
  const [text, setText] = useUrlState("q");
  const [method, setMethod] = useUrlState("method");
  const [tag, setTag] = useUrlState("tag");
  const [severity, setSeverity] = useUrlState("severity");
  const [order, setOrder] = useUrlState("sort");
  const shown = useMemo(
    () => sortEndpoints(filterEndpoints(rows, { text, method, tag, severity }), order),
    [rows, text, method, tag, severity, order],
  );
  const methods = useMemo(() => [...new Set(rows.map((row) => row.endpoint.method))].toSorted(), [rows]);
  const tags = useMemo(
    () => [...new Set(rows.flatMap((row) => row.endpoint.tags))].filter(Boolean).toSorted(),
    [rows],
  );

  return (
    <Stack gap="sm">
      <Group gap="sm" align="end">
        <TextInput
          label="Search"
          placeholder="Path, operation, summary or tag"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          w={280}
          maw="100%"
        />
        <Filter label="Method" value={method} values={methods} onChange={setMethod} />
        <Filter label="Tag" value={tag} values={tags} onChange={setTag} />
        <Filter label="Severity" value={severity} values={[...SEVERITIES]} onChange={setSeverity} />
        <Text role="status" size="sm">
          {shown.length.toLocaleString()} of {rows.length.toLocaleString()}
        </Text>
      </Group>
      <VirtualTable
        label="Endpoints"
        columns={columns(order, setOrder)}
        rows={shown}
        rowKey={(row) => row.ordinal}
      />
    </Stack>
  );
}

function Filter(props: {
  label: string;
  value: string;
  values: string[];
  onChange: (value: string) => void;
}) {
  const { label, value, values, onChange } = props;
  return (
    <Select
      label={label}
      placeholder="All"
      data={values}
      value={value === "" ? null : value}
      onChange={(next) => onChange(next ?? "")}
      clearable
      searchable={values.length > 10}
      clearButtonProps={{ "aria-label": `Show every ${label.toLowerCase()}` }}
      w={150}
    />
  );
}

function columns(order: string, setOrder: (order: string) => void): Column<EndpointRow>[] {
  const sortable = (name: string) => ({
    onSort: () => setOrder(order === name ? `-${name}` : order === `-${name}` ? "" : name),
    sorted:
      order === name ? ("ascending" as const) : order === `-${name}` ? ("descending" as const) : undefined,
  });
  return [
    {
      id: "method",
      label: "Method",
      width: "5.5rem",
      render: (row) => <Code>{row.endpoint.method}</Code>,
      ...sortable("method"),
    },
    {
      id: "path",
      label: "Path",
      width: "minmax(14rem, 3fr)",
      render: (row) => <span title={row.endpoint.path}>{row.endpoint.path}</span>,
      ...sortable("path"),
    },
    {
      id: "operation",
      label: "Operation",
      width: "minmax(8rem, 2fr)",
      render: (row) => (
        <span title={row.endpoint.summary ?? undefined}>{row.endpoint.operationId ?? "–"}</span>
      ),
    },
    { id: "tags", label: "Tags", width: "minmax(6rem, 1fr)", render: (row) => row.endpoint.tags.join(", ") },
    {
      id: "findings",
      label: "Findings",
      width: "8.5rem",
      render: (row) =>
        row.worst === undefined ? (
          "–"
        ) : (
          <Anchor
            component={Link}
            href={`?${new URLSearchParams({ tab: "findings", q: row.endpoint.path })}`}
            aria-label={`${row.findings.length} findings of ${row.endpoint.method} ${row.endpoint.path}`}
          >
            <SeverityBadge severity={row.worst} /> {row.findings.length}
          </Anchor>
        ),
      ...sortable("findings"),
    },
  ];
}
