import { Skeleton, Stack, Text, Title } from "@mantine/core";
import type { DailyTotals, Overview } from "@waymark/shared/services/overview/schema.ts";
import { useMemo, useRef } from "react";
import { Redirect } from "wouter";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { onlyServiceOf, useSession } from "../lib/use-session.ts";
import { ConcernSections } from "./concern-sections.tsx";
import { FirstRun, FirstScan } from "./first-scan-parts.ts";
import { ExpiringKeys, NewServices, RefusedKeys } from "./overview-lists.tsx";
import { dayOf, daysOfTotals } from "./days-of-totals.ts";
import { OverviewTotals } from "./overview-totals.tsx";
import classes from "./overview.module.css";
import { TotalsOverTime } from "./totals-over-time.tsx";
import { useOverview } from "./use-overview.ts";

/** What needs attention now, the worst first. A key that is limited to one service gets that service's page. */
export default function OverviewPage() {
  const { data: session } = useSession();
  const only = session === null || session === undefined ? undefined : onlyServiceOf(session);
  return only === undefined ? <WholeOverview /> : <Redirect to={`/services/${only}`} replace />;
}

function WholeOverview() {
  const overview = useOverview();
  // The service that arrives while this page waits for the first one.
  const wasEmpty = useRef(false);
  if (overview.data?.serviceCount === 0) wasEmpty.current = true;
  const [arrived] = wasEmpty.current ? (overview.data?.newServices ?? []) : [];
  if (arrived !== undefined) return <FirstRun serviceId={arrived.serviceId} />;
  return (
    <Stack>
      <title>Overview · Waymark</title>
      <Title order={1}>Overview</Title>
      {overview.isPending && <Skeleton height={480} aria-label="Loading the overview" />}
      {overview.isLoadingError && (
        <ErrorAlert error={overview.error} onRetry={() => void overview.refetch()} />
      )}
      {overview.data !== undefined &&
        (overview.data.serviceCount === 0 ? <FirstScan /> : <Content overview={overview.data} />)}
    </Stack>
  );
}

function Content({ overview }: { overview: Overview }) {
  const { concerns, concernCounts, newServices, newServiceCount } = overview;
  const { expiringKeys, expiringKeyCount, refusedKeys, refusedKeyCount } = overview;
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
          {expiringKeys !== null && <ExpiringKeys keys={expiringKeys} count={expiringKeyCount} />}
          {refusedKeys !== null && <RefusedKeys keys={refusedKeys} count={refusedKeyCount} />}
          <NewServices services={newServices} count={newServiceCount} />
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

/** Nothing on the first day. */
function OverTime({ overview, days: changed }: { overview: Overview; days: readonly DailyTotals[] }) {
  const { serviceCount, endpointCount, findingsBySeverity } = overview;
  const days = useMemo(() => {
    const today = { day: dayOf(Date.now()), serviceCount, endpointCount, findingsBySeverity };
    return daysOfTotals(changed, today);
  }, [changed, serviceCount, endpointCount, findingsBySeverity]);
  return days.length > 1 && <TotalsOverTime days={days} />;
}
