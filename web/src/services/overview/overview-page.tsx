import { Skeleton, Stack, Text, Title } from "@mantine/core";
import { type DailyTotals, type Overview, RECENT_DAYS } from "@waymark/shared/services/overview/schema.ts";
import { useMemo, useRef } from "react";
import { Redirect } from "wouter";
import { capitalize } from "../../lib/capitalize.ts";
import { Breadcrumbs } from "../../lib/breadcrumbs.tsx";
import { LabelFilter, useLabelFilter } from "../../lib/label-filter.tsx";
import { OwnerFilter, useOwnerFilter } from "../../lib/owner-filter.tsx";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { FilterRow } from "../../lib/filters.tsx";
import { SavedViewsMenu } from "../../lib/saved-views/saved-views-menu.tsx";
import { onlyServiceOf } from "../../lib/permissions.ts";
import { useMay, useSession } from "../../lib/use-session.ts";
import { useServiceFilterAddress } from "../../lib/use-service-filter.ts";
import { useUrlState } from "../../lib/use-url-state.ts";
import { LOCALE } from "../../lib/locale.ts";
import { FirstRun, FirstScan } from "../first-scan-parts.ts";
import { Inbox } from "./inbox.tsx";
import { inboxSections } from "./inbox-items.ts";
import { InboxTable } from "./inbox-table.tsx";
import { countSnoozed, Snoozed } from "./snoozed.tsx";
import { useSnoozing } from "./use-snoozing.tsx";
import { PullRequests } from "./pull-requests.tsx";
import { isOverviewSection, OVERVIEW_SECTIONS, type OverviewSection } from "./overview-sections.ts";
import { daysOfBreaks, describeNotCompared } from "./days-of-breaks.ts";
import { dayOf, daysOfTotals } from "./days-of-totals.ts";
import { OverviewTotals } from "./overview-totals.tsx";
import { Tiles } from "./tiles.tsx";
import { TotalsOverTime } from "./totals-over-time.tsx";
import { describeUnknown } from "./unreadable-lists.ts";
import { useOverview } from "./use-overview.ts";

/**
 * The page of everything that needs attention, the most urgent first. A key limited to one service gets that service's page.
 */
export default function OverviewPage() {
  const { data: session } = useSession();
  const only = session === null || session === undefined ? undefined : onlyServiceOf(session);
  return only === undefined ? <WholeOverview /> : <Redirect to={`/services/${only}`} replace />;
}

function WholeOverview() {
  const [all] = useUrlState("all");
  const section = isOverviewSection(all) ? all : undefined;
  const { text: label } = useLabelFilter();
  const owner = useOwnerFilter();
  const addressOf = useServiceFilterAddress();
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
        {section !== undefined && <Breadcrumbs steps={[{ href: addressOf("/"), label: "Overview" }]} />}
        <Title order={1}>Overview</Title>
      </div>
      {(isFiltered || (overview.data?.serviceCount ?? 0) > 0) && (
        <FilterRow actions={<SavedViewsMenu />}>
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
          <Content overview={overview.data} isFiltered={isFiltered} />
        ) : (
          <WholeSection overview={overview.data} section={section} />
        ))}
    </Stack>
  );
}

function Content({ overview, isFiltered }: { overview: Overview; isFiltered: boolean }) {
  const mayReadChanges = useMay("endpoints:read");
  return (
    <>
      <Tiles overview={overview} isFiltered={isFiltered} />
      <PendingNote count={overview.pendingServiceCount} />
      <Inbox overview={overview} isFiltered={isFiltered} />
      {mayReadChanges && <PullRequests />}
      <section aria-labelledby="current-scans">
        <Title order={2} size="h4" id="current-scans" mb={4}>
          All current scans
        </Title>
        <OverviewTotals overview={overview} />
        {overview.days !== null && <OverTime overview={overview} days={overview.days} />}
      </section>
    </>
  );
}

/** Says what the page does not show yet; nothing if it shows everything. */
function PendingNote({ count }: { count: number }) {
  if (count === 0) return null;
  const what = count === 1 ? "scan of 1 service is" : `scans of ${count.toLocaleString(LOCALE)} services are`;
  return (
    <Text size="sm" c="dimmed" role="status">
      The last {what} still being evaluated: changes and totals over time may be missing for up to a minute.
    </Text>
  );
}

/** One list of the overview, alone on the page with all of its rows. */
function WholeSection({ overview, section }: { overview: Overview; section: OverviewSection }) {
  const listed = inboxSections(overview).find((one) => one.section === section);
  const unknown = describeUnknown(overview, section);
  const rest = section === "breaking" ? describeNotCompared(overview.recentRuns) : "";
  const count =
    unknown !== "" && listed === undefined ? "" : ` (${(listed?.count ?? 0).toLocaleString(LOCALE)})`;
  const { column, status } = useSnoozing(listed === undefined ? [] : [listed], overview.snoozes);
  const snoozedCount = countSnoozed(overview, { isFiltered: false, section });
  const title = `${capitalize(OVERVIEW_SECTIONS[section])}${count}`;
  return (
    <section aria-label={title}>
      <Title order={2} size="h4" mb={4}>
        {title}
      </Title>
      {status}
      {listed === undefined ? (
        <Text>{unknown === "" ? describeNone(snoozedCount) : unknown}</Text>
      ) : (
        <InboxTable label={title} sections={[listed]} isWhole column={column} />
      )}
      {snoozedCount > 0 && (
        <>
          <Title order={3} size="h5" mt="md" mb={4}>
            Snoozed ({snoozedCount.toLocaleString(LOCALE)})
          </Title>
          <Snoozed isFiltered={false} section={section} />
        </>
      )}
      {rest !== "" && (
        <Text size="sm" c="dimmed" mt="xs">
          In the last {RECENT_DAYS} days, {rest}
        </Text>
      )}
    </section>
  );
}

function describeNone(snoozedCount: number): string {
  return snoozedCount === 0
    ? "There are none at the moment."
    : "There are none at the moment but those that you have snoozed.";
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
