import { Anchor, Text } from "@mantine/core";
import { useContext } from "react";
import { Link } from "wouter";
import { TimeAgo } from "../../../lib/time.tsx";
import { LastRunContext } from "./last-run.ts";

/** Shows the run that the states of the criteria are from. It may have run an older text. */
export function LastRunLine() {
  const lastRun = useContext(LastRunContext);
  if (lastRun === undefined || lastRun === null) return null;
  const { run, version } = lastRun;
  return (
    <Text size="sm" c="dimmed" className="breaks">
      Last run:{" "}
      <Anchor component={Link} href={`/journey-runs/${run.id}`} underline="always">
        {run.status}
      </Anchor>{" "}
      in {run.environmentName}, <TimeAgo at={run.createdAt} />
      {version !== undefined && `, of version ${version}`}
    </Text>
  );
}
