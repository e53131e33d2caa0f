import { Anchor, Badge, Button, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import type { Service } from "@waymark/shared/services/schema.ts";
import { useMemo, useRef, useState } from "react";
import { Link, Redirect } from "wouter";
import { Filters, SearchFilter } from "../lib/filters.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { SortHeader } from "../lib/sort-header.tsx";
import { sortingOf } from "../lib/sorting.ts";
import { Sparkline } from "../lib/sparkline.tsx";
import { ResponsiveTable } from "../lib/responsive-table.tsx";
import { Time, TimeAgo } from "../lib/time.tsx";
import { onlyServiceOf, useSession } from "../lib/use-session.ts";
import { useUrlState } from "../lib/use-url-state.ts";
import { FirstRun, FirstScan } from "./first-scan.tsx";
import { filterServices } from "./filter-services.ts";
import classes from "./service-list-page.module.css";
import { useServices } from "./use-services.ts";

/** How many rows are shown first, and added by each click. */
const SHOWN_STEP = 100;

export default function ServiceListPage() {
  const { data: session } = useSession();
  const only = session === null || session === undefined ? undefined : onlyServiceOf(session);
  return only === undefined ? <AllServices /> : <Redirect to={`/services/${only}`} replace />;
}

function AllServices() {
  const services = useServices();
  // The service that arrives while this page waits for the first one.
  const wasEmpty = useRef(false);
  if (services.data?.length === 0) wasEmpty.current = true;
  const [arrived] = wasEmpty.current ? (services.data ?? []) : [];
  if (arrived !== undefined) return <FirstRun serviceId={arrived.id} />;
  return (
    <Stack>
      <title>Services · Waymark</title>
      <Title order={1}>Services</Title>
      {services.isPending && <Skeleton height={480} aria-label="Loading the services" />}
      {services.isError && <ErrorAlert error={services.error} onRetry={() => void services.refetch()} />}
      {services.isSuccess &&
        (services.data.length === 0 ? <FirstScan /> : <ServiceList services={services.data} />)}
    </Stack>
  );
}

function ServiceList({ services }: { services: readonly Service[] }) {
  const [text, setText] = useUrlState("q");
  const [order, setOrder] = useUrlState("sort");
  const [shownMax, setShownMax] = useState(SHOWN_STEP);
  const found = useMemo(() => filterServices(services, text, order), [services, text, order]);
  const left = found.length - shownMax;

  return (
    <>
      <Filters shown={found.length} total={services.length}>
        <SearchFilter placeholder="Service name" value={text} onChange={setText} />
      </Filters>
      {found.length === 0 ? (
        <Text role="status">No service has “{text}” in its name.</Text>
      ) : (
        <ServiceTable services={found.slice(0, shownMax)} order={order} onOrder={setOrder} />
      )}
      {left > 0 && (
        <Button variant="default" onClick={() => setShownMax(shownMax + SHOWN_STEP)} w="fit-content">
          Show {Math.min(left, SHOWN_STEP)} more of {left.toLocaleString()}
        </Button>
      )}
    </>
  );
}

const HEADERS = [
  { id: "name", label: "Service", right: false },
  { id: "scanned", label: "Last scan", right: false },
  { id: "endpoints", label: "Endpoints", right: true },
  { id: "findings", label: "Findings", right: true },
] as const;

function ServiceTable(props: {
  services: readonly Service[];
  order: string;
  onOrder: (order: string) => void;
}) {
  const { services, order, onOrder } = props;
  return (
    <ResponsiveTable>
      <Table.Thead>
        <Table.Tr>
          {HEADERS.map(({ id, label, right }) => {
            const { sorted, next } = sortingOf(order, id);
            return (
              <Table.Th
                key={id}
                aria-sort={sorted ?? "none"}
                className={right ? classes["number"] : undefined}
              >
                <SortHeader label={label} sorted={sorted} onSort={() => onOrder(next)} />
              </Table.Th>
            );
          })}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {services.map((service) => (
          <ServiceRow key={service.id} service={service} />
        ))}
      </Table.Tbody>
    </ResponsiveTable>
  );
}

function ServiceRow({ service }: { service: Service }) {
  const trend = service.trend ?? [];
  return (
    <Table.Tr>
      <Table.Td className="breaks">
        <Anchor component={Link} href={`/services/${service.id}`} fw={600}>
          {service.name}
        </Anchor>
      </Table.Td>
      <Table.Td data-label="Last scan" data-wide>
        {service.currentScanRunId === null ? (
          "No successful scan"
        ) : (
          <Anchor component={Link} href={`/scan-runs/${service.currentScanRunId}`}>
            <Time at={service.lastScannedAt} />
          </Anchor>
        )}
        <FailedScan service={service} />
      </Table.Td>
      <CountCell
        label="Endpoints"
        count={service.endpointCount}
        trend={trend.map((point) => point.endpointCount)}
      />
      <CountCell
        label="Findings"
        count={service.findingCount}
        trend={trend.map((point) => point.findingCount)}
      />
    </Table.Tr>
  );
}

/** That the last scan failed: the row's counts are those of an older one. */
function FailedScan({ service: { lastFailedScan: failed } }: { service: Service }) {
  if (failed === null) return null;
  return (
    <Text size="sm" className="breaks">
      <Badge
        color="red.9"
        component={Link}
        href={`/scan-runs/${failed.scanRunId}`}
        className={classes["failed"] ?? ""}
      >
        failed
      </Badge>{" "}
      <TimeAgo at={failed.submittedAt} />: {failed.error.message}
    </Text>
  );
}

function CountCell(props: {
  label: "Endpoints" | "Findings";
  count: number | null;
  trend: readonly number[];
}) {
  const { label, count, trend } = props;
  return (
    <Table.Td data-label={label} className={classes["number"]} data-series={label.toLowerCase()}>
      <span className={classes["count"]}>
        <Sparkline label={label} values={trend} />
        <span>{count?.toLocaleString() ?? "–"}</span>
      </span>
    </Table.Td>
  );
}
