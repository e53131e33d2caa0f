import { Anchor, Paper, Text } from "@mantine/core";
import type { JourneyCoverage } from "@waymark/shared/journey-coverage/schema.ts";
import { type Overview, type OverviewDay, RECENT_DAYS } from "@waymark/shared/services/overview/schema.ts";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { LOCALE } from "../../lib/locale.ts";
import { useServiceFilterAddress } from "../../lib/use-service-filter.ts";
import { describeNotCompared } from "./days-of-breaks.ts";
import { dayOf } from "./days-of-totals.ts";
import classes from "./tiles.module.css";
import { TrendLine } from "./trend-line.tsx";
import { describeValues, percentOf, trendOf } from "./trend-values.ts";
import { useCoverageTotals } from "./use-coverage-totals.ts";

type Share = JourneyCoverage["shares"]["must"];

/** The numbers that the page begins with, each with its last days and a link to exactly what it counts. */
export function Tiles({ overview, isFiltered }: { overview: Overview; isFiltered: boolean }) {
  const coverage = useCoverageTotals(!isFiltered);
  const addressOf = useServiceFilterAddress();
  const { recordedDays, breakingServiceCount, gateFailureCount } = overview;
  const shares = coverage.data?.shares;
  return (
    <div>
      <ul className={classes["tiles"]} aria-label="Key figures">
        <Tile
          title="Breaking this week"
          value={breakingServiceCount === null ? null : <CountOf count={breakingServiceCount} />}
          what={describeBreaking(overview)}
          href={addressOf("/", { all: "breaking" })}
          trend={{
            days: recordedDays,
            color: "--bar-critical",
            now: breakingServiceCount,
            valueOf: (day) => day.breakingServiceCount,
          }}
        />
        <Tile
          title="Failing their gate"
          value={gateFailureCount === null ? null : <CountOf count={gateFailureCount} />}
          what={describeGates(overview)}
          href={addressOf("/", { all: "gates" })}
          trend={{
            days: recordedDays,
            color: "--bar-high",
            now: gateFailureCount,
            valueOf: (day) => day.gateFailureCount,
          }}
        />
        {coverage.isAsked && (
          <>
            <Tile
              title="“Must” criteria proven"
              value={shares === undefined ? null : <ShareOf share={shares.must} none="no criteria" />}
              isPending={coverage.isPending}
              what={describeCriteria(shares?.must, coverage.isPending)}
              href="/coverage?severity=must"
              trend={{
                days: recordedDays,
                color: "--series-services",
                now: percentOf(shares?.must ?? null),
                valueOf: ({ mustCriteria }) => percentOf(mustCriteria),
                isPercent: true,
              }}
            />
            <Tile
              title="Endpoints covered"
              value={shares === undefined ? null : <ShareOf share={shares.operations} none="no endpoints" />}
              isPending={coverage.isPending}
              what={
                shares === undefined && !coverage.isPending
                  ? UNREADABLE
                  : "called by a journey in the last 30 days, of all endpoints of all services."
              }
              href="/coverage"
              trend={{
                days: recordedDays,
                color: "--series-endpoints",
                now: percentOf(shares?.operations ?? null),
                valueOf: ({ endpoints }) => percentOf(endpoints),
                isPercent: true,
              }}
            />
          </>
        )}
      </ul>
      {recordedDays === null && (
        <Text size="sm" c="dimmed" mt="xs">
          {isFiltered
            ? "Trends and coverage are of all services: clear the filters to see them."
            : "Trends are of all services: your key sees some of them, so there are none."}
        </Text>
      )}
    </div>
  );
}

const UNREADABLE = "It could not be read, or you may not read it.";

function CountOf({ count }: { count: number }) {
  return (
    <>
      {count.toLocaleString(LOCALE)} <small>{count === 1 ? "service" : "services"}</small>
    </>
  );
}

/** @param props.none says that there is nothing to cover */
function ShareOf({ share, none }: { share: Share; none: string }) {
  const percent = percentOf(share);
  return percent === null ? (
    none
  ) : (
    <>
      {percent} %{" "}
      <small>
        {share.covered.toLocaleString(LOCALE)} of {share.total.toLocaleString(LOCALE)}
      </small>
    </>
  );
}

function describeBreaking({ recentRuns, breakingServiceCount }: Overview): string {
  const notCompared = describeNotCompared(recentRuns);
  return [
    breakingServiceCount === null
      ? ""
      : `whose last change, at most ${RECENT_DAYS} days old, breaks clients and is not approved.`,
    notCompared === "" ? "" : `In the last ${RECENT_DAYS} days, ${notCompared}`,
  ]
    .filter(Boolean)
    .join(" ");
}

function describeGates({ judgedServiceCount, serviceCount }: Overview): string {
  if (judgedServiceCount === 0) return "No gates are known of any service’s last scan.";
  const what = "whose last scan failed a gate and was not promoted.";
  if (judgedServiceCount === serviceCount) return what;
  return `${what} Gates are known of ${judgedServiceCount.toLocaleString(LOCALE)} of ${serviceCount.toLocaleString(LOCALE)} services.`;
}

function describeCriteria(share: Share | undefined, isPending: boolean): string {
  if (share === undefined && !isPending) return UNREADABLE;
  return share?.total === 0
    ? "No journey declares an acceptance criterion of this severity."
    : "by a run of the newest version in the last 30 days.";
}

interface Trend {
  /** Null where the session sees no trend. */
  days: readonly OverviewDay[] | null;
  color: string;
  now: number | null;
  valueOf: (day: OverviewDay) => number | null;
  isPercent?: boolean;
}

function Tile(props: {
  title: string;
  /** Null if it is not known. */
  value: ReactNode;
  isPending?: boolean;
  what: string;
  href: string;
  trend: Trend;
}) {
  const { title, value, isPending = false, what, href, trend } = props;
  return (
    <Paper component="li" withBorder p="sm" className={classes["tile"] ?? ""}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {value === null ? (
        <div className={classes["unknown"]}>{isPending ? "…" : "not known"}</div>
      ) : (
        <div className={classes["value"]}>{value}</div>
      )}
      {trend.days !== null && <TrendOf title={title} trend={trend} days={trend.days} />}
      <Text size="xs" c="dimmed" className={classes["what"] ?? ""}>
        {what}
      </Text>
      <Anchor
        component={Link}
        href={href}
        size="sm"
        className={classes["all"] ?? ""}
        aria-label={`Show all: ${title}`}
      >
        Show all
      </Anchor>
    </Paper>
  );
}

function TrendOf({ title, trend, days }: { title: string; trend: Trend; days: readonly OverviewDay[] }) {
  const { color, now, valueOf, isPercent = false } = trend;
  const values = trendOf(days, { today: dayOf(Date.now()), now, valueOf });
  const textOf = (value: number) => `${value.toLocaleString(LOCALE)}${isPercent ? " %" : ""}`;
  const edge = isPercent ? 100 : Math.max(1, ...values.map((value) => value ?? 0));
  return (
    <TrendLine
      label={`${title}. ${describeValues(values, textOf)}`}
      values={values}
      edge={edge}
      color={color}
    />
  );
}
