import { Anchor, Code, Stack, Text, Title } from "@mantine/core";
import type { CoveredCriterion, CoveredOperation } from "@waymark/shared/journey-coverage/schema.ts";
import { useMemo } from "react";
import { Link } from "wouter";
import { ExportButtons } from "../lib/export-buttons.tsx";
import { ChoiceFilter, Filters, SearchFilter } from "../lib/filters.tsx";
import { TimeAgo } from "../lib/time.tsx";
import { useUrlState } from "../lib/use-url-state.ts";
import { type Column, VirtualTable } from "../lib/virtual-table.tsx";
import type { ExportFields } from "../lib/table-export.ts";
import { OPERATION_STATES } from "./coverage-states.ts";
import classes from "./coverage.module.css";
import { countStates, filterOperations, keyOfOperation } from "./filter-coverage.ts";
import { LimitedBy, SelectRow, StateBadge } from "./selection.tsx";
import { LOCALE } from "../lib/locale.ts";

/** The endpoints of scanned services with the journeys that call them. */
export function OperationsSection(props: {
  operations: readonly CoveredOperation[];
  selected: CoveredOperation | undefined;
  onSelect: (key: string) => void;
  of: CoveredCriterion | undefined;
  onClear: () => void;
}) {
  return (
    <section aria-labelledby="endpoints">
      <Title order={2} size="h3" id="endpoints" mb="xs">
        Endpoints
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        Endpoints of services without a stored description are in the totals, and not in this list.
      </Text>
      {props.operations.length === 0 ? (
        <Text role="status">
          No endpoints here. They are those of scanned services that a stored description belongs to.
        </Text>
      ) : (
        <OperationsTable {...props} />
      )}
    </section>
  );
}

function OperationsTable(props: Parameters<typeof OperationsSection>[0]) {
  const { operations, selected, onSelect, of, onClear } = props;
  const [text, setText] = useUrlState("path");
  const [state, setState] = useUrlState("coverage");
  const [order, setOrder] = useUrlState("by");
  const shown = useMemo(
    () => filterOperations(operations, { text, state, of }, order),
    [operations, text, state, of, order],
  );
  const states = useMemo(() => countStates(operations, OPERATION_STATES), [operations]);
  const columns = useMemo(() => columnsOf(selected, onSelect), [selected, onSelect]);
  return (
    <Stack gap="sm" className={classes["table"] ?? ""}>
      <Filters
        shown={shown.length}
        total={operations.length}
        actions={<ExportButtons name={["coverage"]} what="endpoints" fields={EXPORTED} rows={shown} />}
      >
        <SearchFilter placeholder="Method, path or journey" value={text} onChange={setText} />
        <ChoiceFilter label="Coverage" value={state} values={states} onChange={setState} />
      </Filters>
      {of !== undefined && <LimitedBy name={`Only what the journey of ${of.id} calls`} onClear={onClear} />}
      <VirtualTable
        label="Endpoints"
        columns={columns}
        rows={shown}
        rowKey={keyOfOperation}
        phone={{
          areas: ["state calledAt", "operation operation", "journeys journeys"],
          columns: "1fr auto",
        }}
        order={order}
        onOrder={setOrder}
      />
    </Stack>
  );
}

const EXPORTED: ExportFields<CoveredOperation> = {
  state: ({ state }) => state,
  method: ({ method }) => method,
  path: ({ path }) => path,
  operationId: ({ operationId }) => operationId,
  serviceId: ({ serviceId }) => serviceId,
  serviceName: ({ serviceName }) => serviceName,
  sourcePath: ({ sourcePath }) => sourcePath,
  calls: ({ calls }) => calls,
  statuses: ({ statuses }) => statuses.map(String),
  calledAt: ({ calledAt }) => calledAt,
  assertedAt: ({ assertedAt }) => assertedAt,
  journeys: ({ journeys }) => journeys.map(({ path }) => path),
  journeyCount: ({ journeyCount }) => journeyCount,
};

function columnsOf(
  selected: CoveredOperation | undefined,
  onSelect: (key: string) => void,
): Column<CoveredOperation>[] {
  return [
    {
      id: "state",
      label: "State",
      width: "6.5rem",
      render: (row) => <StateBadge state={OPERATION_STATES[row.state]} />,
      sortable: true,
    },
    {
      id: "operation",
      label: "Endpoint",
      width: "minmax(14rem, 3fr)",
      render: (row) => (
        <SelectRow
          isSelected={row === selected}
          onSelect={() => onSelect(keyOfOperation(row))}
          title={`${row.method} ${row.path}. Shows the criteria of journeys that call it`}
        >
          <Code>{row.method}</Code> {row.path}
        </SelectRow>
      ),
    },
    {
      id: "service",
      label: "Service",
      width: "minmax(6rem, 1fr)",
      render: (row) => <ServiceOf operation={row} />,
      sortable: true,
    },
    {
      id: "journeys",
      label: "Called by",
      width: "minmax(9rem, 2fr)",
      render: (row) => <Callers operation={row} />,
    },
    {
      id: "statuses",
      label: "Statuses",
      width: "6rem",
      render: ({ statuses }) => <span title={statuses.join(", ")}>{statuses.join(", ") || "–"}</span>,
    },
    {
      id: "calls",
      label: "Calls",
      width: "4.5rem",
      render: ({ calls }) => calls.toLocaleString(LOCALE),
      sortable: true,
    },
    {
      id: "calledAt",
      label: "Last call",
      width: "8rem",
      render: ({ calledAt }) => (calledAt === null ? "–" : <TimeAgo at={calledAt} />),
      sortable: true,
    },
  ];
}

function ServiceOf({ operation }: { operation: CoveredOperation }) {
  const { serviceId, serviceName, sourcePath } = operation;
  if (serviceId === null) return <span title={sourcePath ?? undefined}>{sourcePath}</span>;
  return (
    <Anchor component={Link} href={`/services/${serviceId}`} title={serviceName ?? undefined}>
      {serviceName}
    </Anchor>
  );
}

/** The first journey, and how many others. */
function Callers({ operation }: { operation: CoveredOperation }) {
  const { journeys, journeyCount } = operation;
  const [first] = journeys;
  if (first === undefined) return <Gap operation={operation} />;
  return (
    <span title={journeys.map(({ path }) => path).join("\n")}>
      <Anchor component={Link} href={`/journeys/${first.id}`}>
        {first.path}
      </Anchor>
      {journeyCount > 1 && ` and ${(journeyCount - 1).toLocaleString(LOCALE)} more`}
    </span>
  );
}

function Gap({ operation: { method, path, serviceId } }: { operation: CoveredOperation }) {
  if (serviceId === null) return "no journey";
  const query = new URLSearchParams({ from: "service", service: serviceId, covers: `${method} ${path}` });
  return (
    <Anchor component={Link} href={`/journeys/new?${query}`} aria-label={`New journey for ${method} ${path}`}>
      New journey
    </Anchor>
  );
}
