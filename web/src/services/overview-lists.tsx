import { Anchor, Text, Title } from "@mantine/core";
import {
  EXPIRING_DAYS,
  type ExpiringKey,
  type FailingJourney,
  type NewService,
  RECENT_DAYS,
  type RefusedKey,
  type TroubledSchedule,
} from "@waymark/shared/services/overview/schema.ts";
import { type ReactNode, useId } from "react";
import { Link } from "wouter";
import { countOf } from "../lib/count-of.ts";
import { describeUntil } from "../lib/describe-until.ts";
import { TimeAgo } from "../lib/time.tsx";
import classes from "./overview.module.css";
import { allOf, type OverviewSection, ShowAll } from "./overview-sections.tsx";
import { LOCALE } from "../lib/locale.ts";

/** The number of rows of each list that are shown beside the other lists. */
const SHOWN_MAX = 8;

interface ListProps {
  /** The number of all rows, also of those that are not listed. */
  count: number;
  /** True for the only list on the page, which has all rows. */
  isWhole: boolean;
}

/** Keys that expire soon, the first one first. */
export function ExpiringKeys({ keys, count, isWhole }: ListProps & { keys: readonly ExpiringKey[] }) {
  return (
    <List
      title="Keys that expire soon"
      section="expiringKeys"
      rows={keys}
      count={count}
      isWhole={isWhole}
      empty={`No key expires within ${EXPIRING_DAYS} days.`}
      render={({ apiKeyId, name, expiresAt, lastUsedAt }) => (
        <li key={apiKeyId}>
          <Anchor component={Link} href={`/api-keys?key=${apiKeyId}`} className="breaks">
            {name}
          </Anchor>
          <Text size="sm" c="dimmed">
            <time dateTime={expiresAt}>{describeUntil(expiresAt, Date.now())}</time>
            {lastUsedAt === null ? (
              ", never used"
            ) : (
              <>
                , last used <TimeAgo at={lastUsedAt} />
              </>
            )}
          </Text>
        </li>
      )}
    />
  );
}

/** Keys of which a request was refused lately, with the last one. */
export function RefusedKeys({ keys, count, isWhole }: ListProps & { keys: readonly RefusedKey[] }) {
  return (
    <List
      title="Keys that were refused"
      section="refusedKeys"
      rows={keys}
      count={count}
      isWhole={isWhole}
      empty={`No key was refused in ${RECENT_DAYS} days.`}
      render={({ apiKeyId, name, refusedAt, route, code }) => (
        <li key={apiKeyId}>
          <Anchor component={Link} href={`/audit-log?by=${apiKeyId}`} className="breaks">
            {name}
          </Anchor>
          <Text size="sm" c="dimmed" className="breaks">
            <TimeAgo at={refusedAt} />, {route}, {code}
          </Text>
        </li>
      )}
    />
  );
}

/** Services that were scanned for the first time lately. */
export function NewServices({ services, count, isWhole }: ListProps & { services: readonly NewService[] }) {
  return (
    <List
      title="New services"
      section="newServices"
      rows={services}
      count={count}
      isWhole={isWhole}
      empty={`No new services in ${RECENT_DAYS} days.`}
      render={({ serviceId, serviceName, createdAt, endpointCount, findingCount }) => (
        <li key={serviceId}>
          <Anchor component={Link} href={`/services/${serviceId}`} className="breaks">
            {serviceName}
          </Anchor>
          <Text size="sm" c="dimmed">
            <TimeAgo at={createdAt} />
            {endpointCount === null || findingCount === null
              ? ", no successful scan yet"
              : `, ${countOf(endpointCount, "endpoints")}, ${countOf(findingCount, "findings")}`}
          </Text>
        </li>
      )}
    />
  );
}

const STATES = {
  failing: ({ failuresInRow }: TroubledSchedule) => `failed ${countOf(failuresInRow, "times")} in a row`,
  paused: () => "paused by a key",
  pausedByServer: ({ pausedReason }: TroubledSchedule) => `paused by Waymark: ${pausedReason ?? ""}`,
};

/** Journeys of which the newest run in an environment did not pass. */
export function FailingJourneys(props: ListProps & { journeys: readonly FailingJourney[] }) {
  const { journeys, count, isWhole } = props;
  return (
    <List
      title="Failing journeys"
      section="failingJourneys"
      rows={journeys}
      count={count}
      isWhole={isWhole}
      empty="No newest run of a journey has failed."
      render={({ journeyId, journeyPath, environmentName, runId, status, endedAt }) => (
        <li key={runId}>
          <Anchor component={Link} href={`/journeys/${journeyId}`} className="breaks">
            {journeyPath}
          </Anchor>
          <Text size="sm" c="dimmed" className="breaks">
            <Anchor component={Link} href={`/journey-runs/${runId}`}>
              {status}
            </Anchor>{" "}
            in {environmentName}, <TimeAgo at={endedAt} />
          </Text>
        </li>
      )}
    />
  );
}

/** Schedules that fail or are paused. */
export function TroubledSchedules(props: ListProps & { schedules: readonly TroubledSchedule[] }) {
  const { schedules, count, isWhole } = props;
  return (
    <List
      title="Schedules that fail or are paused"
      section="troubledSchedules"
      rows={schedules}
      count={count}
      isWhole={isWhole}
      empty="No schedule fails or is paused."
      render={(schedule) => (
        <li key={schedule.scheduleId}>
          <Anchor component={Link} href={`/journeys/${schedule.journeyId}?tab=schedules`} className="breaks">
            {schedule.name}
          </Anchor>
          <Text size="sm" c="dimmed" className="breaks">
            {STATES[schedule.state](schedule)}, in {schedule.environmentName}
          </Text>
        </li>
      )}
    />
  );
}

function List<Row>(
  props: ListProps & {
    title: string;
    section: OverviewSection;
    rows: readonly Row[];
    empty: string;
    render: (row: Row) => ReactNode;
  },
) {
  const { title, section, rows, count, isWhole, empty, render } = props;
  const shown = isWhole ? rows : rows.slice(0, SHOWN_MAX);
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={2} size="h4" id={id} mb={4}>
        {title}
        {count > 0 && ` (${count.toLocaleString(LOCALE)})`}
      </Title>
      {count === 0 ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <ul className={classes["list"]}>{shown.map((row) => render(row))}</ul>
      )}
      <ShowAll all={isWhole ? undefined : allOf(section)} count={count} listed={shown.length} />
    </section>
  );
}
