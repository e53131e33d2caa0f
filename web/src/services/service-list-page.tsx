import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { labelTexts } from "@waymark/shared/services/labels/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { useMemo, useRef, useState } from "react";
import { Link, Redirect } from "wouter";
import { ChoiceFilter, Filters, SearchFilter } from "../lib/filters.tsx";
import { ExportButtons } from "../lib/export-buttons.tsx";
import type { ExportFields } from "../lib/table-export.ts";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { LabelFilter, useLabelFilter } from "../lib/label-filter.tsx";
import { OwnerFilter, useOwnerFilter } from "../lib/owner-filter.tsx";
import { SavedViewsMenu } from "../lib/saved-views/saved-views-menu.tsx";
import { useTeams } from "../lib/use-teams.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { onlyServiceOf } from "../lib/permissions.ts";
import { useSession } from "../lib/use-session.ts";
import { useUrlState } from "../lib/use-url-state.ts";
import { FirstRun, FirstScan } from "./first-scan-parts.ts";
import { filterServices } from "./filter-services.ts";
import { countOf } from "../lib/count-of.ts";
import { CONCERNS, concernsOf, countConcerns } from "./service-risk.ts";
import { sumOf } from "../lib/open-findings.ts";
import { ServiceTable } from "./service-table.tsx";
import { useArchivedServices, useServices } from "./use-services.ts";
import { LOCALE } from "../lib/locale.ts";

/** The number of rows that are shown first, and added by each click. */
const SHOWN_STEP = 100;

export default function ServiceListPage() {
  const { data: session } = useSession();
  const only = session === null || session === undefined ? undefined : onlyServiceOf(session);
  return only === undefined ? <AllServices /> : <Redirect to={`/services/${only}`} replace />;
}

function AllServices() {
  const [archived] = useUrlState("archived");
  return archived === "" ? <ActiveServices /> : <ArchivedServices />;
}

function ArchivedServices() {
  const services = useArchivedServices();
  return (
    <Stack>
      <div>
        <Breadcrumbs steps={[{ href: "/services", label: "Services" }]} />
        <Title order={1}>Archived services</Title>
      </div>
      {services.isPending && <Skeleton height={480} aria-label="Loading the services" />}
      {services.isLoadingError && (
        <ErrorAlert error={services.error} onRetry={() => void services.refetch()} />
      )}
      {services.data?.length === 0 && <Text>No service is archived.</Text>}
      {services.data !== undefined && services.data.length > 0 && <ServiceList services={services.data} />}
    </Stack>
  );
}

function ActiveServices() {
  const services = useServices();
  // The service that arrives while this page waits for the first one.
  const wasEmpty = useRef(false);
  if (services.data?.length === 0) wasEmpty.current = true;
  const [arrived] = wasEmpty.current ? (services.data ?? []) : [];
  if (arrived !== undefined) return <FirstRun serviceId={arrived.id} />;
  return (
    <Stack>
      <Title order={1}>Services</Title>
      {services.isPending && <Skeleton height={480} aria-label="Loading the services" />}
      {services.isLoadingError && (
        <ErrorAlert error={services.error} onRetry={() => void services.refetch()} />
      )}
      {services.data !== undefined &&
        (services.data.length === 0 ? <FirstScan /> : <ServiceList services={services.data} />)}
    </Stack>
  );
}

function ServiceList({ services }: { services: readonly Service[] }) {
  const [text, setText] = useUrlState("q");
  const [concern, setConcern] = useUrlState("needs");
  const [order, setOrder] = useUrlState("sort");
  const { text: label, wanted: labels } = useLabelFilter();
  const owner = useOwnerFilter();
  const isOfMine = owner === "me";
  const teams = useTeams(isOfMine);
  const [shownMax, setShownMax] = useState(SHOWN_STEP);
  const found = useMemo(
    () => {
      const own = teams.data?.teams.flatMap(({ slug, isMember }) => (isMember ? [slug] : []));
      return filterServices(services, { text, concern, labels, owner, mine: new Set(own) }, order);
    },
    // The labels are read anew from the same text.
    [services, text, concern, label, owner, teams.data, order],
  );
  const concerns = useMemo(() => countConcerns(services, Date.now()), [services]);
  const left = found.length - shownMax;

  return (
    <>
      <Group gap="md">
        <Text size="sm" c="dimmed">
          {describeFleet(services)}
        </Text>
        <Button component={Link} href="/endpoints" variant="default" size="xs">
          Search all endpoints
        </Button>
        <Anchor component={Link} href="/services?archived=1" size="sm">
          Archived services
        </Anchor>
      </Group>
      <Filters
        shown={found.length}
        total={services.length}
        actions={
          <>
            <SavedViewsMenu />
            <ExportButtons name={["services"]} fields={EXPORTED} rows={found} />
          </>
        }
      >
        <SearchFilter placeholder="Service name" value={text} onChange={setText} />
        <ChoiceFilter label="Needs attention" value={concern} values={concerns} onChange={setConcern} />
        <OwnerFilter />
        <LabelFilter />
      </Filters>
      {isOfMine && teams.isPending ? (
        <Skeleton height={480} aria-label="Loading your teams" />
      ) : isOfMine && teams.isLoadingError ? (
        <ErrorAlert error={teams.error} onRetry={() => void teams.refetch()} />
      ) : found.length === 0 ? (
        <Text role="status">
          {owner !== ""
            ? "No service has this owner and passes the other filters."
            : label !== ""
              ? "No service has these labels and passes the other filters."
              : text === ""
                ? "No service needs attention for this."
                : `No service has “${text}” in its name.`}
        </Text>
      ) : (
        <ServiceTable services={found.slice(0, shownMax)} order={order} onOrder={setOrder} />
      )}
      {left > 0 && (
        <Button variant="default" onClick={() => setShownMax(shownMax + SHOWN_STEP)} w="fit-content">
          Show {Math.min(left, SHOWN_STEP)} more of {left.toLocaleString(LOCALE)}
        </Button>
      )}
    </>
  );
}

const EXPORTED: ExportFields<Service> = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  lastScannedAt: ({ lastScannedAt }) => lastScannedAt,
  endpointCount: ({ endpointCount }) => endpointCount,
  findingCount: ({ findingCount }) => findingCount,
  critical: ({ findingsBySeverity }) => findingsBySeverity?.critical ?? null,
  high: ({ findingsBySeverity }) => findingsBySeverity?.high ?? null,
  needsAttention: (service) => concernsOf(service, Date.now()).map((concern) => CONCERNS[concern]),
  labels: ({ labels }) => labelTexts(labels),
  decided: ({ decidedBySeverity }) => (decidedBySeverity === null ? null : sumOf(decidedBySeverity)),
  owner: ({ ownerTeam }) => ownerTeam?.slug ?? null,
  overdue: ({ overdueFindingCount }) => overdueFindingCount,
};

/** The totals of the current runs. */
function describeFleet(services: readonly Service[]): string {
  const sum = (count: (service: Service) => number | null) =>
    services.reduce((total, service) => total + (count(service) ?? 0), 0);
  return [
    countOf(services.length, "services"),
    countOf(
      sum(({ endpointCount }) => endpointCount),
      "endpoints",
    ),
    countOf(
      sum(({ findingCount }) => findingCount),
      "findings",
    ),
  ].join(", ");
}
