import { Badge, Text } from "@mantine/core";
import { breaksGeneratedClients } from "@waymark/shared/scans/breaking-changes.ts";
import { LEVELS } from "../../lib/verdicts/levels.ts";
import { describeChange } from "../describe-changes.ts";
import classes from "./change-card.module.css";
import type { EndpointChange } from "./change-cards.ts";

const BREAKS_GENERATED = "Breaks generated clients: another operationId is another method name.";

/**
 * Says how an endpoint itself changed.
 *
 * @param props.hasVerdicts true if the card has verdicts, which say what breaks clients
 * @param props.isCompared false if nothing but the list of endpoints was compared
 */
export function EndpointChangeLine(props: {
  change: EndpointChange;
  hasVerdicts: boolean;
  isCompared: boolean;
}) {
  const { change, hasVerdicts, isCompared } = props;
  if (change.kind === "removed")
    return hasVerdicts ? null : (
      <Text size="sm" className={classes["line"] ?? ""}>
        <Badge color={LEVELS.breaking.color} size="sm">
          {LEVELS.breaking.label}
        </Badge>{" "}
        The operation is gone: whoever calls it gets an error.
      </Text>
    );
  if (change.kind === "added") {
    const { summary } = change.after;
    return hasVerdicts && summary === null ? null : (
      <Text size="sm" c="dimmed" className={`${classes["line"]} breaks`}>
        {summary ?? "The operation is new."}
      </Text>
    );
  }
  const words = describeChange(change.before, change.after);
  return (
    <Text size="sm" className={`${classes["line"]} breaks`}>
      {change.kind === "renamed" &&
        `The path was ${change.before.path}. The names of path parameters are not part of a request, so no client breaks. `}
      {words}
      {!isCompared && breaksGeneratedClients(change) && ` ${BREAKS_GENERATED}`}
    </Text>
  );
}
