import { Anchor, Skeleton, Stack, Tabs, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ApprovalTable } from "../../lib/approvals/approval-table.tsx";
import { useAllApprovals } from "../../lib/approvals/use-approvals.ts";
import { countOf } from "../../lib/count-of.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { ChoiceFilter, FilterRow } from "../../lib/filters.tsx";
import { LabelFilter, useLabelFilter } from "../../lib/label-filter.tsx";
import { LoadMore, type Pages } from "../../lib/load-more.tsx";
import { OwnerFilter, useOwnerFilter } from "../../lib/owner-filter.tsx";
import { SavedViewsMenu } from "../../lib/saved-views/saved-views-menu.tsx";
import { useServiceChoices } from "../../lib/use-choices.ts";
import { useUrlState, useUrlTab } from "../../lib/use-url-state.ts";
import { withChosen } from "../../lib/with-chosen.ts";
import { DecisionTable } from "./decision-table.tsx";
import { useDecisions } from "./use-decisions.ts";

const TABS = ["findings", "changes"] as const;
type Tab = (typeof TABS)[number];

/** The states of each kind: in the address, in words, and as the API has them. A decision about findings is never used up. */
const STATES: Readonly<Record<Tab, readonly { value: string; label: string; state: string }[]>> = {
  findings: [
    { value: "holds", label: "holds", state: "active" },
    { value: "ended", label: "ended", state: "expired" },
  ],
  changes: [
    { value: "holds", label: "holds", state: "open" },
    { value: "ended", label: "ended", state: "expired" },
    { value: "used", label: "used up", state: "used" },
  ],
};

interface Filter {
  serviceId: string;
  state: string;
  owner: string;
  label: string;
}

/** The page of everything that somebody has accepted: decisions about findings, and approvals of changes. */
export default function DecisionsPage() {
  const tab = useUrlTab(TABS);
  const [serviceId, setServiceId] = useUrlState("serviceId");
  const [chosenState, setState] = useUrlState("state");
  const { text: label } = useLabelFilter();
  const owner = useOwnerFilter();
  const services = useServiceChoices().map(({ id, name }) => ({ value: id, label: name }));
  const states = STATES[tab.value];
  const chosen = states.find(({ value }) => value === chosenState);
  const filter: Filter = { serviceId, state: chosen?.state ?? "", owner, label };
  return (
    <Stack>
      <div>
        <Title order={1}>Decisions</Title>
        <Text size="sm" c="dimmed">
          What passes gates because somebody has decided so, with the reasons. The newest first.
        </Text>
      </div>
      <FilterRow actions={<SavedViewsMenu />}>
        <ChoiceFilter
          label="Service"
          value={serviceId}
          values={withChosen(services, serviceId)}
          onChange={setServiceId}
        />
        <ChoiceFilter label="State" value={chosen?.value ?? ""} values={states} onChange={setState} />
        <OwnerFilter />
        <LabelFilter />
      </FilterRow>
      <Tabs {...tab} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="findings">Findings</Tabs.Tab>
          <Tabs.Tab value="changes">Changes</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="findings" pt="sm">
          <Decisions filter={filter} />
        </Tabs.Panel>
        <Tabs.Panel value="changes" pt="sm">
          <Approvals filter={filter} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function Decisions({ filter }: { filter: Filter }) {
  const decisions = useDecisions(filter);
  return (
    <Listed
      list={decisions}
      noun="decisions"
      filter={filter}
      none="Nobody has decided about a finding. The dialog of a finding has Decide, for it or for its rule."
    >
      <DecisionTable decisions={decisions.data ?? []} />
    </Listed>
  );
}

function Approvals({ filter }: { filter: Filter }) {
  const approvals = useAllApprovals(filter);
  const shown = (approvals.data ?? []).map(({ serviceId, serviceName, pullRequest, ...approval }) => ({
    approval,
    serviceId,
    pullRequest,
    service: (
      <Anchor component={Link} href={`/services/${serviceId}?tab=changes`}>
        {serviceName}
      </Anchor>
    ),
  }));
  return (
    <Listed
      list={approvals}
      noun="approvals"
      filter={filter}
      none="Nobody has approved a change. The page of a run has Approve, for each change that breaks clients."
    >
      <ApprovalTable approvals={shown} />
    </Listed>
  );
}

function Listed(props: {
  list: Pages & {
    data: readonly unknown[] | undefined;
    isLoadingError: boolean;
    refetch: () => unknown;
  };
  noun: "decisions" | "approvals";
  filter: Filter;
  /** Said if there are none at all. */
  none: string;
  children: ReactNode;
}) {
  const { list, noun, filter, none, children } = props;
  if (list.isLoadingError && list.error !== null)
    return <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />;
  if (list.data === undefined) return <Skeleton height={320} aria-label={`Loading the ${noun}`} />;
  if (list.data.length === 0) {
    const isFiltered = Object.values(filter).some((value) => value !== "");
    return <Text>{isFiltered ? `No ${noun} match these filters.` : none}</Text>;
  }
  return (
    <Stack gap="sm">
      <Text role="status" size="sm">
        {list.hasNextPage ? "The first " : ""}
        {countOf(list.data.length, noun)}
      </Text>
      {children}
      <LoadMore pages={list} label={`Load older ${noun}`} />
    </Stack>
  );
}
