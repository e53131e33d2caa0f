import { Code, Skeleton, Stack, Text } from "@mantine/core";
import { type ServiceEndpoint, ServiceEndpointPage } from "@waymark/shared/scans/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { useMemo } from "react";
import { ChoiceFilter, Filters, SearchFilter } from "../lib/filters.tsx";
import { ExportButtons } from "../lib/export-buttons.tsx";
import type { ExportFields } from "../lib/table-export.ts";
import { EndpointButton } from "../lib/endpoint/endpoint-button.tsx";
import { useEndpointDrawer } from "../lib/endpoint/use-endpoint-drawer.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { Time } from "../lib/time.tsx";
import { shownRows, useEndpointRows, useOtherEndpoints } from "../lib/use-endpoint-rows.ts";
import { usePrinting } from "../lib/use-printing.ts";
import { useUrlState } from "../lib/use-url-state.ts";
import { type Column, VirtualTable } from "../lib/virtual-table.tsx";
import { inventoryQuery } from "./api-queries.ts";
import { filterInventory } from "./filter-inventory.ts";

/** The endpoints of the service's current run, with when each was first and last seen. */
export function InventoryPanel({ service }: { service: Service }) {
  const inventory = useEndpointRows({
    query: inventoryQuery(service.id, service.currentScanRunId),
    page: ServiceEndpointPage,
  });
  useOtherEndpoints(inventory);
  if (service.currentScanRunId === null) return <Text>No successful scan yet.</Text>;
  if (inventory.isLoadingError)
    return <ErrorAlert error={inventory.error} onRetry={() => void inventory.refetch()} />;
  if (inventory.isPending) return <Skeleton height={480} aria-label="Loading the endpoints" />;
  if (inventory.data.length === 0) return <Text>The current run has no endpoints.</Text>;
  return <InventoryTable service={service} endpoints={inventory.data} isWhole={!inventory.hasNextPage} />;
}

/** @param props.isWhole whether all endpoints are there; until then, the first ones */
function InventoryTable(props: {
  service: Service;
  endpoints: readonly ServiceEndpoint[];
  isWhole: boolean;
}) {
  const { service, endpoints, isWhole } = props;
  const [text, setText] = useUrlState("q");
  const [method, setMethod] = useUrlState("method");
  const [order, setOrder] = useUrlState("sort");
  const shown = useMemo(
    () => filterInventory(endpoints, { text, method }, order),
    [endpoints, text, method, order],
  );
  const methods = useMemo(
    () => [...new Set(endpoints.map((endpoint) => endpoint.method))].toSorted(),
    [endpoints],
  );
  const { open, drawer } = useEndpointDrawer({
    serviceId: service.id,
    scanRunId: service.currentScanRunId,
  });
  const isPrinting = usePrinting();
  const total = isWhole ? endpoints.length : (service.endpointCount ?? 0);
  const visible = shownRows({
    shown,
    total,
    isWhole,
    isAsSubmitted: [text, method, order].every((one) => one === ""),
    isPrinting,
  });
  return (
    <Stack gap="sm">
      <Filters
        shown={visible.count}
        total={total}
        actions={<ExportButtons name={[service.name, "endpoints"]} fields={EXPORTED} rows={visible.all} />}
      >
        <SearchFilter placeholder="Path, operation, summary or tag" value={text} onChange={setText} />
        <ChoiceFilter label="Method" value={method} values={methods} onChange={setMethod} />
      </Filters>
      {visible.rows === undefined ? (
        <Skeleton height={480} aria-label="Loading all endpoints" />
      ) : (
        <VirtualTable
          label="Current endpoints"
          columns={COLUMNS}
          rows={visible.rows}
          total={visible.total}
          rowKey={(_, index) => index}
          phone={{
            areas: ["method path path", "firstSeenAt firstSeenAt lastSeenAt"],
            columns: "5rem 1fr 8rem",
          }}
          order={order}
          onOrder={setOrder}
          onOpen={open}
        />
      )}
      {drawer}
    </Stack>
  );
}

const EXPORTED: ExportFields<ServiceEndpoint> = {
  method: ({ method }) => method,
  path: ({ path }) => path,
  operationId: ({ operationId }) => operationId,
  summary: ({ summary }) => summary,
  tags: ({ tags }) => tags,
  firstSeenAt: ({ firstSeenAt }) => firstSeenAt,
  lastSeenAt: ({ lastSeenAt }) => lastSeenAt,
};

const COLUMNS: Column<ServiceEndpoint>[] = [
  {
    id: "method",
    label: "Method",
    width: "5.5rem",
    render: (row) => <Code>{row.method}</Code>,
    sortable: true,
  },
  {
    id: "path",
    label: "Path",
    width: "minmax(14rem, 3fr)",
    render: (row, open) => <EndpointButton path={row.path} onOpen={open} />,
    sortable: true,
  },
  {
    id: "operation",
    label: "Operation",
    width: "minmax(8rem, 2fr)",
    render: (row) => <span title={row.summary ?? undefined}>{row.operationId ?? "–"}</span>,
  },
  {
    id: "firstSeenAt",
    label: "First seen",
    width: "8rem",
    render: (row) => <Time at={row.firstSeenAt} day />,
    sortable: true,
  },
  {
    id: "lastSeenAt",
    label: "Last seen",
    width: "8rem",
    render: (row) => <Time at={row.lastSeenAt} day />,
    sortable: true,
  },
];
