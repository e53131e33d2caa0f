import { Anchor, Text } from "@mantine/core";
import { describeCompared } from "@waymark/shared/scans/compared.ts";
import type { ScanChanges } from "@waymark/shared/scans/schema.ts";
import { Link } from "wouter";
import { describeBreaking, describeTotal } from "../describe-changes.ts";
import { countAllChanges } from "./change-cards.ts";

/** The number of changes, and the run that was compared. Says what was not looked at where descriptions were not compared. */
export function ChangesTotal({ changes, isPrevious }: { changes: ScanChanges; isPrevious: boolean }) {
  const { against, comparison } = changes;
  const isCompared = comparison.status === "compared";
  return (
    <div role="status">
      <Text size="sm">
        {describeTotal(countAllChanges(changes))}{" "}
        <Anchor component={Link} href={`/scan-runs/${against}`} underline="always">
          {isPrevious ? "the previous run" : "that run"}
        </Anchor>
        . {!isCompared && describeBreaking(changes)}
      </Text>
      {!isCompared && (
        <Text size="sm" c="dimmed">
          {describeCompared({ findings: true })}
        </Text>
      )}
    </div>
  );
}
