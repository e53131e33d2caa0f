import { Anchor, Badge, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { lazy, Suspense } from "react";
import { Link } from "wouter";
import { Problem } from "../lib/problem.tsx";
import { Time } from "../lib/time.tsx";
import { useServiceRuns } from "../lib/use-service-runs.ts";
import { useService } from "./use-services.ts";

const HistoryChart = lazy(() => import("./history-chart.tsx"));
const CHART_HEIGHT = 240;

export default function ServicePage({ serviceId }: { serviceId: string }) {
  const service = useService(serviceId);
  const runs = useServiceRuns(serviceId);
  if (service.isPending) return <Skeleton height={240} aria-label="Loading the service" />;
  if (service.isError) return <Problem error={service.error} onRetry={() => void service.refetch()} />;
  return (
    <Stack>
      <title>{`${service.data.name} · Waymark`}</title>
      <Title order={1} className="breaks">
        {service.data.name}
      </Title>
      <Text>
        First scanned <Time at={service.data.createdAt} />, last scanned{" "}
        <Time at={service.data.lastScannedAt} />.
      </Text>
      {runs.isPending && <Skeleton height={CHART_HEIGHT} aria-label="Loading the history" />}
      {runs.isError && <Problem error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.isSuccess && <History runs={runs.data} currentId={service.data.currentScanRunId} />}
    </Stack>
  );
}

function History({ runs, currentId }: { runs: readonly ScanRun[]; currentId: string | null }) {
  const completed = runs.filter((run) => run.status === "completed");
  return (
    <>
      {completed.length > 1 && (
        <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
          <HistoryChart runs={completed.toReversed()} height={CHART_HEIGHT} />
        </Suspense>
      )}
      <Title order={2} size="h3">
        Scan runs
      </Title>
      <Table.ScrollContainer minWidth={560}>
        <Table striped>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Submitted</Table.Th>
              <Table.Th>Status</Table.Th>
              <Table.Th>Specification</Table.Th>
              <Table.Th ta="right">Endpoints</Table.Th>
              <Table.Th ta="right">Findings</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {runs.map((run) => (
              <Table.Tr key={run.id}>
                <Table.Td>
                  <Anchor component={Link} href={`/scan-runs/${run.id}`}>
                    <Time at={run.createdAt} />
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  {run.status} {run.id === currentId && <Badge color="teal.9">current</Badge>}{" "}
                  {run.unchanged && <Badge color="gray.7">unchanged</Badge>}
                </Table.Td>
                <Table.Td className="breaks">
                  {[run.spec.title, run.spec.version].filter(Boolean).join(" ") || "–"}
                </Table.Td>
                <Table.Td ta="right">{run.endpointCount.toLocaleString()}</Table.Td>
                <Table.Td ta="right">{run.findingCount.toLocaleString()}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}
