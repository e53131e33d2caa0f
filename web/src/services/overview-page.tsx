import { Skeleton, Stack, Text, Title } from "@mantine/core";
import type { DailyTotals, Overview } from "@waymark/shared/services/overview/schema.ts";
import { useMemo, useRef } from "react";
import { Redirect } from "wouter";
import { Breadcrumbs } from "../lib/breadcrumbs.tsx";
import { LabelFilter, useLabelFilter } from "../lib/label-filter.tsx";
import { OwnerFilter, useOwnerFilter } from "../lib/owner-filter.tsx";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { FilterRow } from "../lib/filters.tsx";
import { onlyServiceOf } from "../lib/permissions.ts";
import { useSession } from "../lib/use-session.ts";
import { useUrlState } from "../lib/use-url-state.ts";
import { ConcernSections } from "./concern-sections.tsx";
import { FirstRun, FirstScan } from "./first-scan-parts.ts";
import {
  ExpiringKeys,
  FailingJourneys,
  NewServices,
  RefusedKeys,
  TroubledSchedules,
} from "./overview-lists.tsx";
import { OVERVIEW_SECTIONS, type OverviewSection } from "./overview-sections.tsx";
import { daysOfBreaks } from "./days-of-breaks.ts";
import { dayOf, daysOfTotals } from "./days-of-totals.ts";
import { OverviewTotals } from "./overview-totals.tsx";
import classes from "./overview.module.css";
import { TotalsOverTime } from "./totals-over-time.tsx";
import { useOverview } from "./use-overview.ts";

/**
 * The page of everything that needs attention, the worst first. A key limited to one service gets that service's page.
 */
export default function OverviewPage() {
  const { data: session } = useSession();
  const only = session === null || session === undefined ? undefined : onlyServiceOf(session);
  return only === undefined ? <WholeOverview /> : <Redirect to={`/services/${only}`} replace />;
}

function WholeOverview() {
  const [all] = useUrlState("all");
  const section = OVERVIEW_SECTIONS.find((one) => one === all);
  const { text: label } = useLabelFilter();
  const owner = useOwnerFilter();
  const isFiltered = label !== "" || owner !== "";
  const overview = useOverview({ isWhole: section !== undefined, label, owner });
  // The service that arrives while this page waits for the first one.
  const wasEmpty = useRef(false);
  if (!isFiltered && overview.data?.serviceCount === 0) wasEmpty.current = true;
  const [arrived] = wasEmpty.current ? (overview.data?.newServices ?? []) : [];
  if (arrived !== undefined) return <FirstRun serviceId={arrived.serviceId} />;
  return (
    <Stack>
      <div>
        {section !== undefined && <Breadcrumbs steps={[{ href: "/", label: "Overview" }]} />}
        <Title order={1}>Overview</Title>
      </div>
      {(isFiltered || (overview.data?.serviceCount ?? 0) > 0) && (
        <FilterRow>
          <OwnerFilter />
          <LabelFilter />
        </FilterRow>
      )}
      {overview.isPending && <Skeleton height={480} aria-label="Loading the overview" />}
      {overview.isLoadingError && (
        <ErrorAlert error={overview.error} onRetry={() => void overview.refetch()} />
      )}
      {overview.data !== undefined &&
        (overview.data.serviceCount === 0 && !isFiltered ? (
          <FirstScan />
        ) : section === undefined ? (
          <Content overview={overview.data} />
        ) : (
          <Section overview={overview.data} section={section} isWhole />
        ))}
    </Stack>
  );
}

function Content({ overview }: { overview: Overview }) {
  const { concerns, concernCounts } = overview;
  return (
    <>
      <OverviewTotals overview={overview} />
      <PendingNote count={overview.pendingServiceCount} />
      <div className={classes["columns"]}>
        <Stack gap="lg" className={classes["main"] ?? ""}>
          {concerns.length === 0 ? (
            <Text>No service needs attention.</Text>
          ) : (
            <ConcernSections concerns={concerns} counts={concernCounts} />
          )}
        </Stack>
        <Stack gap="lg" className={classes["aside"] ?? ""}>
          {LISTS.map((section) => (
            <Section key={section} overview={overview} section={section} isWhole={false} />
          ))}
        </Stack>
      </div>
      {overview.days !== null && <OverTime overview={overview} days={overview.days} />}
    </>
  );
}

/** Says what the page does not show yet; nothing if it shows everything. */
function PendingNote({ count }: { count: number }) {
  if (count === 0) return null;
  const whose = count === 1 ? "1 service is" : `${count} services are`;
  return (
    <Text size="sm" c="dimmed" role="status">
      The last scans of {whose} still being evaluated: changes and totals over time may be missing for up to a
      minute.
    </Text>
  );
}

/** Beside the services that need attention, in this order. */
const LISTS = ["failingJourneys", "troubledSchedules", "expiringKeys", "refusedKeys", "newServices"] as const;

/** One list of the overview: alone on the page with all of its rows, or its first rows. */
function Section(props: { overview: Overview; section: OverviewSection; isWhole: boolean }) {
  const { overview, section, isWhole } = props;
  const { failingJourneys, troubledSchedules, expiringKeys, refusedKeys, newServices } = overview;
  if (section === "failingJourneys")
    return (
      failingJourneys !== null && (
        <FailingJourneys journeys={failingJourneys} count={overview.failingJourneyCount} isWhole={isWhole} />
      )
    );
  if (section === "troubledSchedules")
    return (
      troubledSchedules !== null && (
        <TroubledSchedules
          schedules={troubledSchedules}
          count={overview.troubledScheduleCount}
          isWhole={isWhole}
        />
      )
    );
  if (section === "expiringKeys")
    return (
      expiringKeys !== null && (
        <ExpiringKeys keys={expiringKeys} count={overview.expiringKeyCount} isWhole={isWhole} />
      )
    );
  if (section === "refusedKeys")
    return (
      refusedKeys !== null && (
        <RefusedKeys keys={refusedKeys} count={overview.refusedKeyCount} isWhole={isWhole} />
      )
    );
  if (section === "newServices")
    return <NewServices services={newServices} count={overview.newServiceCount} isWhole={isWhole} />;
  return overview.concernCounts[section] === 0 ? (
    <Text>No service needs attention for this.</Text>
  ) : (
    <ConcernSections concerns={overview.concerns} counts={overview.concernCounts} only={section} />
  );
}

/** Nothing on the first day. */
function OverTime({ overview, days: changed }: { overview: Overview; days: readonly DailyTotals[] }) {
  const { serviceCount, endpointCount, findingsBySeverity, dailyBreaks } = overview;
  const days = useMemo(() => {
    const today = { day: dayOf(Date.now()), serviceCount, endpointCount, findingsBySeverity };
    return daysOfTotals(changed, today);
  }, [changed, serviceCount, endpointCount, findingsBySeverity]);
  const breaks = useMemo(() => daysOfBreaks(dailyBreaks ?? [], dayOf(Date.now())), [dailyBreaks]);
  return days.length > 1 && <TotalsOverTime days={days} breaks={breaks} />;
}
