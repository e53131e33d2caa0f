import { Anchor, Code } from "@mantine/core";
import type { CurrentFinding } from "@waymark/shared/scans/current-findings/schema.ts";
import { Link } from "wouter";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { OwnerName } from "../../lib/owner-name.tsx";
import { SeverityBadge } from "../../lib/severity.tsx";
import { useUrlDialog } from "../../lib/use-url-state.ts";
import { type Column, type PhoneLayout, VirtualTable } from "../../lib/virtual-table.tsx";
import { BatchBar } from "../batch/batch-bar.tsx";
import { SelectAll, SelectRow } from "../batch/select-row.tsx";
import { type Selection, SelectionContext, useSelection } from "../batch/selection.ts";
import { useFocusAfterDialog } from "../batch/use-focus-after-dialog.ts";
import { useRowKeys } from "../batch/use-row-keys.ts";
import type { Matching } from "../batch/use-select-matching.ts";
import { useMay } from "../../lib/use-session.ts";
import { DueDate } from "../due-date.tsx";
import classes from "./current-finding-table.module.css";
import { FindingMessage } from "../decisions/finding-message.tsx";
import { placeOf } from "../describe-finding.ts";
import { rowInPlace } from "../next-in-list.ts";
import { useFindingKeys } from "../use-finding-keys.ts";
import { useFindingDetails, useScanRun } from "../use-scan-run.ts";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";

const FindingDialog = lazyDialog(async () => (await import("../finding-dialog.tsx")).FindingDialog);

/**
 * Findings of several services. A row opens its finding, whose address is a link to it, also where there are no rows.
 *
 * @param props.list a text that is equal for the same filters
 */
export function CurrentFindingTable({ list, matching }: { list: string; matching: Matching }) {
  const rows = matching.loaded;
  const dialog = useUrlDialog("finding");
  const mayDecide = useMay("findings:decide");
  const hasDeadlines = rows.some(({ dueOn }) => dueOn !== null);
  const { move, lastShown } = useFindingKeys(rows, {
    list,
    dialog,
    addressOf,
    indexOf: (address) => rows.findIndex((row) => addressOf(row) === address),
  });
  const selection = useSelection(rows, { list, addressOf: idOf });
  const onOpen = (row: CurrentFinding) => dialog.open(addressOf(row));
  const keys = useRowKeys(rows, { selection, onOpen });
  useFocusAfterDialog(dialog.value, {
    table: keys.ref,
    rows,
    findRow: () => rowInPlace(lastShown(), rows.length),
  });
  const columns = COLUMNS.filter(({ id }) => id !== "due" || hasDeadlines);
  return (
    <>
      {dialog.value !== "" && (
        <OpenedFinding key={dialog.value} address={dialog.value} onMove={move} onClose={dialog.close} />
      )}
      {rows.length > 0 && (
        <SelectionContext value={selection}>
          <div {...keys} className={hasDeadlines ? classes["due"] : undefined}>
            <VirtualTable
              label="Findings"
              columns={mayDecide ? [selectColumn(rows, selection), ...columns] : columns}
              rows={rows}
              rowKey={addressOf}
              phone={phoneOf({ mayDecide, hasDeadlines })}
              onOpen={onOpen}
            />
          </div>
        </SelectionContext>
      )}
      {mayDecide && <BatchBar selection={selection} matching={matching} />}
    </>
  );
}

function selectColumn(
  rows: readonly CurrentFinding[],
  selection: Selection<CurrentFinding>,
): Column<CurrentFinding> {
  return {
    id: "select",
    label: "Select",
    header: <SelectAll rows={rows} selection={selection} />,
    width: "1.5rem",
    render: renderSelect,
  };
}

const renderSelect = (row: CurrentFinding) => <SelectRow row={row} />;

/** A finding in the page's address: its run, and its place there. */
const addressOf = ({ scanRunId, index }: CurrentFinding) => `${scanRunId}.${index}`;

/** Names a finding in every run: a new scan leaves it selected. */
const idOf = ({ id }: CurrentFinding) => id;

/** Loads the finding by its address, which may not be among the rows. */
function OpenedFinding(props: { address: string; onMove: (by: 1 | -1) => void; onClose: () => void }) {
  const { address, onMove, onClose } = props;
  const [scanRunId = "", place = ""] = address.split(".");
  const index = Number(place);
  const details = useFindingDetails(scanRunId, index);
  const run = useScanRun(scanRunId);
  if (details.isLoadingError)
    return <ErrorAlert error={details.error} onRetry={() => void details.refetch()} />;
  if (details.data === undefined) return null;
  return (
    <FindingDialog
      scanRunId={scanRunId}
      finding={details.data.finding}
      index={index}
      serviceId={run.data?.serviceId}
      serviceName={run.data?.serviceName}
      onMove={onMove}
      onClose={onClose}
    />
  );
}

function phoneOf({ mayDecide, hasDeadlines }: { mayDecide: boolean; hasDeadlines: boolean }): PhoneLayout {
  const lines = ["code", "message", "endpoint", ...(hasDeadlines ? ["due"] : [])];
  const select = mayDecide ? "select " : "";
  return {
    areas: [
      `${select}severity service assignee`,
      ...lines.map((line) => `${mayDecide ? `${line} ` : ""}${line} ${line} ${line}`),
    ],
    columns: `${mayDecide ? "1.5rem " : ""}5rem minmax(0, 1fr) fit-content(35%)`,
  };
}

const COLUMNS: Column<CurrentFinding>[] = [
  {
    id: "severity",
    label: "Severity",
    width: "5.5rem",
    render: (row) => <SeverityBadge severity={row.severity} />,
  },
  {
    id: "code",
    label: "Rule",
    width: "minmax(8rem, 1.2fr)",
    render: (row) => <Code title={row.code}>{row.code}</Code>,
  },
  {
    id: "message",
    label: "Message",
    width: "minmax(13rem, 3fr)",
    render: (row, open) => <FindingMessage finding={row} onOpen={open} />,
  },
  {
    id: "due",
    label: "Due",
    width: "9.5rem",
    render: (row) => (
      <>
        {row.dueOn !== null && !row.isOverdue && <span className={classes["word"]}>due </span>}
        <DueDate of={row} />
      </>
    ),
  },
  {
    id: "service",
    label: "Service",
    width: "minmax(7rem, 1fr)",
    render: (row) => (
      <>
        <Anchor component={Link} href={`/services/${row.serviceId}`} title={row.serviceName}>
          {row.serviceName}
        </Anchor>
        <OwnerName of={row.ownerTeam} isInline />
      </>
    ),
  },
  {
    id: "endpoint",
    label: "Endpoint",
    width: "minmax(8rem, 1.5fr)",
    render: (row) => <span title={placeOf(row)}>{placeOf(row)}</span>,
  },
  {
    id: "assignee",
    label: "Assigned to",
    width: "minmax(6.5rem, 0.8fr)",
    render: ({ assignee }) =>
      assignee !== null && <span title={assignee.slug ?? assignee.displayName}>{assignee.displayName}</span>,
  },
];
