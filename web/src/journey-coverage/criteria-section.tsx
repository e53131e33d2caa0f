import { Anchor, Stack, Text, Title } from "@mantine/core";
import type { CoveredCriterion, CoveredOperation } from "@waymark/shared/journey-coverage/schema.ts";
import { useMemo } from "react";
import { Link } from "wouter";
import { ExportButtons } from "../lib/export-buttons.tsx";
import { ChoiceFilter, Filters, SearchFilter } from "../lib/filters.tsx";
import { TimeAgo } from "../lib/time.tsx";
import { useUrlState } from "../lib/use-url-state.ts";
import { type Column, VirtualTable } from "../lib/virtual-table.tsx";
import type { ExportFields } from "../lib/table-export.ts";
import { CRITERION_STATES } from "./coverage-states.ts";
import classes from "./coverage.module.css";
import { countStates, describeProvers, filterCriteria, keyOfCriterion } from "./filter-coverage.ts";
import { LimitedBy, SelectRow, StateBadge } from "./selection.tsx";

/** The acceptance criteria, each with its state and the reason for it. */
export function CriteriaSection(props: {
  criteria: readonly CoveredCriterion[];
  selected: CoveredCriterion | undefined;
  onSelect: (key: string) => void;
  of: CoveredOperation | undefined;
  onClear: () => void;
}) {
  return (
    <section aria-labelledby="criteria">
      <Title order={2} size="h3" id="criteria" mb="xs">
        Acceptance criteria
      </Title>
      {props.criteria.length === 0 ? (
        <Text role="status">
          No acceptance criteria here. A journey declares them as acceptanceCriteria in its x-journey.
        </Text>
      ) : (
        <CriteriaTable {...props} />
      )}
    </section>
  );
}

function CriteriaTable({ criteria, selected, onSelect, of, onClear }: Parameters<typeof CriteriaSection>[0]) {
  const [text, setText] = useUrlState("q");
  const [state, setState] = useUrlState("state");
  const [severity, setSeverity] = useUrlState("severity");
  const [order, setOrder] = useUrlState("sort");
  const shown = useMemo(
    () => filterCriteria(criteria, { text, state, severity, of }, order),
    [criteria, text, state, severity, of, order],
  );
  const states = useMemo(() => countStates(criteria, CRITERION_STATES), [criteria]);
  const severities = useMemo(() => [...new Set(criteria.map((one) => one.severity))].toSorted(), [criteria]);
  const columns = useMemo(() => columnsOf(selected, onSelect), [selected, onSelect]);
  return (
    <Stack gap="sm" className={classes["table"] ?? ""}>
      <Filters
        shown={shown.length}
        total={criteria.length}
        actions={<ExportButtons name={["criteria"]} what="criteria" fields={EXPORTED} rows={shown} />}
      >
        <SearchFilter placeholder="Criterion, journey or step" value={text} onChange={setText} />
        <ChoiceFilter label="State" value={state} values={states} onChange={setState} />
        <ChoiceFilter label="Severity" value={severity} values={severities} onChange={setSeverity} />
      </Filters>
      {of !== undefined && (
        <LimitedBy name={`Only of journeys that call ${of.method} ${of.path}`} onClear={onClear} />
      )}
      <VirtualTable
        label="Acceptance criteria"
        columns={columns}
        rows={shown}
        rowKey={keyOfCriterion}
        phone={{
          areas: ["state severity verdict", "criterion criterion criterion", "journey journey journey"],
          columns: "auto 1fr auto",
        }}
        order={order}
        onOrder={setOrder}
      />
    </Stack>
  );
}

const EXPORTED: ExportFields<CoveredCriterion> = {
  state: ({ state }) => state,
  id: ({ id }) => id,
  text: ({ text }) => text,
  severity: ({ severity }) => severity,
  journeyId: ({ journeyId }) => journeyId,
  journeyPath: ({ journeyPath }) => journeyPath,
  provenBy: describeProvers,
  verdictRunId: ({ verdict }) => verdict?.runId ?? null,
  verdictEnvironment: ({ verdict }) => verdict?.environmentName ?? null,
  verdictEndedAt: ({ verdict }) => verdict?.endedAt ?? null,
};

function columnsOf(
  selected: CoveredCriterion | undefined,
  onSelect: (key: string) => void,
): Column<CoveredCriterion>[] {
  return [
    {
      id: "state",
      label: "State",
      width: "6.5rem",
      render: (row) => <StateBadge state={CRITERION_STATES[row.state]} />,
      sortable: true,
    },
    {
      id: "criterion",
      label: "Criterion",
      width: "minmax(14rem, 3fr)",
      render: (row) => (
        <SelectRow
          isSelected={row === selected}
          onSelect={() => onSelect(keyOfCriterion(row))}
          title={`${row.text}. Shows what its journey calls`}
        >
          <b>{row.id}</b> {row.text}
        </SelectRow>
      ),
    },
    {
      id: "severity",
      label: "Severity",
      width: "5.5rem",
      render: (row) => row.severity,
    },
    {
      id: "journey",
      label: "Journey",
      width: "minmax(9rem, 2fr)",
      render: (row) => (
        <Anchor component={Link} href={`/journeys/${row.journeyId}`} title={row.journeyPath}>
          {row.journeyPath}
        </Anchor>
      ),
      sortable: true,
    },
    {
      id: "proof",
      label: "Proven by",
      width: "minmax(7rem, 1.5fr)",
      render: (row) => <span title={describeProvers(row)}>{describeProvers(row)}</span>,
    },
    {
      id: "verdict",
      label: "Last verdict",
      width: "12rem",
      render: (row) => <Verdict criterion={row} />,
      sortable: true,
    },
  ];
}

/** The run that decides the state. */
function Verdict({ criterion: { verdict } }: { criterion: CoveredCriterion }) {
  if (verdict === null) return "–";
  const { runId, endedAt, environmentName, origin, journeyPath } = verdict;
  const where = origin === "uploaded" ? `${environmentName}, uploaded` : environmentName;
  return (
    <span title={`${journeyPath} in ${where}`}>
      <Anchor component={Link} href={`/journey-runs/${runId}`}>
        <TimeAgo at={endedAt} />
      </Anchor>{" "}
      in {where}
    </span>
  );
}
