import { Anchor, Group, Stack } from "@mantine/core";
import type { JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { Link } from "wouter";
import { TimeAgo } from "../../lib/time.tsx";
import { RunStatusBadge } from "../run-status.tsx";
import { describeStatuses } from "./describe-statuses.ts";
import classes from "./last-runs.module.css";

/** Shows the last run in each environment, the outcomes of the last 20, and the criteria that the newest proved. */
export function LastRuns(props: {
  journey: Pick<JourneyDocument, "lastRuns" | "recentStatuses" | "criteria">;
}) {
  const { lastRuns, recentStatuses, criteria } = props.journey;
  if (lastRuns.length === 0) return "–";
  return (
    <Stack gap={4}>
      {lastRuns.map(({ id, status, environmentName, createdAt }) => (
        <Group key={id} gap={6}>
          <RunStatusBadge status={status} />
          <Anchor component={Link} href={`/journey-runs/${id}`}>
            <TimeAgo at={createdAt} />
          </Anchor>
          <span>in {environmentName}</span>
        </Group>
      ))}
      {recentStatuses.length > 1 && (
        <span className={classes["strip"]} role="img" aria-label={describeStatuses(recentStatuses)}>
          {recentStatuses.toReversed().map((status, at) => (
            // Runs have no names here, and their order is all that there is.
            // oxlint-disable-next-line react/no-array-index-key
            <i key={at} data-status={status} />
          ))}
        </span>
      )}
      {criteria !== null && <span>{`${criteria.proven} of ${criteria.total} criteria proven`}</span>}
    </Stack>
  );
}
