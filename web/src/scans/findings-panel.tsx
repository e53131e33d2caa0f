import { Anchor, Code, Group, Select, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import type { NormalizedFinding, ScanRun } from "@waymark/shared/scans/schema.ts";
import { useMemo } from "react";
import { Link } from "wouter";
import { Problem } from "../lib/problem.tsx";
import { SEVERITIES, SeverityBadge } from "../lib/severity.tsx";
import { useUrlState } from "../lib/use-url-state.ts";
import { type Column, VirtualTable } from "../lib/virtual-table.tsx";
import { useFindings } from "./use-scan-run.ts";

export function FindingsPanel({ run }: { run: ScanRun }) {
  const findings = useFindings(run);
  if (findings.isError) return <Problem error={findings.error} onRetry={() => void findings.refetch()} />;
  if (findings.isPending) return <Skeleton height={300} aria-label="Loading the findings" />;
  if (findings.data.length === 0) return <Text>This scan has no findings.</Text>;
  return <FindingTable findings={findings.data} />;
}

function FindingTable({ findings }: { findings: readonly NormalizedFinding[] }) {
  const [text, setText] = useUrlState("q");
  const [severity, setSeverity] = useUrlState("severity");
  const shown = useMemo(() => {
    const wanted = text.toLowerCase();
    return findings
      .filter((finding) => severity === "" || finding.severity === severity)
      .filter((finding) =>
        [finding.code, finding.message, finding.path].some((part) => part?.toLowerCase().includes(wanted)),
      )
      .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  }, [findings, text, severity]);

  return (
    <Stack gap="sm">
      <Group gap="sm" align="end">
        <TextInput
          label="Search"
          placeholder="Code, message or path"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          w={280}
          maw="100%"
        />
        <Select
          label="Severity"
          placeholder="All"
          data={[...SEVERITIES]}
          value={severity === "" ? null : severity}
          onChange={(next) => setSeverity(next ?? "")}
          clearable
          clearButtonProps={{ "aria-label": "Show every severity" }}
          w={150}
        />
        <Text role="status" size="sm">
          {shown.length} of {findings.length}
        </Text>
      </Group>
      <VirtualTable label="Findings" columns={COLUMNS} rows={shown} rowKey={(_, index) => index} />
    </Stack>
  );
}

const COLUMNS: Column<NormalizedFinding>[] = [
  {
    id: "severity",
    label: "Severity",
    width: "6rem",
    render: (row) => <SeverityBadge severity={row.severity} />,
  },
  { id: "code", label: "Code", width: "minmax(8rem, 1fr)", render: (row) => <Code>{row.code}</Code> },
  {
    id: "message",
    label: "Message",
    width: "minmax(14rem, 3fr)",
    render: (row) => <span title={row.message}>{row.message}</span>,
  },
  {
    id: "endpoint",
    label: "Endpoint",
    width: "minmax(10rem, 2fr)",
    render: (row) =>
      row.path === null ? (
        "–"
      ) : (
        <Anchor component={Link} href={`?${new URLSearchParams({ q: row.path })}`} title={row.path}>
          {[row.method, row.path].filter(Boolean).join(" ")}
        </Anchor>
      ),
  },
];
