import { Text, Title } from "@mantine/core";
import type { ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import { TimeAgo } from "../../lib/time.tsx";
import { useCreatorKey } from "../../lib/use-creator-key.ts";
import { useKeyNames } from "../../lib/use-key-names.ts";
import { promotedAt } from "../use-promote.ts";
import { useGates } from "../use-scan-run.ts";
import classes from "./aside.module.css";
import { timelineOf } from "./timeline.ts";

/** Lists what happened to a run, as far as it is stored. */
export function RunTimeline({ run, changes }: { run: ScanRun; changes: ScanChanges }) {
  const submitter = useCreatorKey(run).data?.name;
  const keyNames = useKeyNames();
  const gates = useGates(run).data?.verdict ?? null;
  const { comparison, verdicts } = changes;
  const entries = timelineOf({
    run,
    keyNames,
    submitter,
    comparison,
    verdicts,
    gates,
    promotedAt: promotedAt(run),
  });
  return (
    <section aria-labelledby="timeline" className={classes["section"]}>
      <Title order={2} size="h4" id="timeline" className={classes["title"] ?? ""}>
        Timeline
      </Title>
      <ol className={classes["timeline"]}>
        {entries.map(({ at, what, reason }) => (
          <li key={`${at} ${what}`} className="breaks">
            <span>{what}</span>{" "}
            <Text span size="xs" c="dimmed">
              <TimeAgo at={at} />
            </Text>
            {reason !== undefined && (
              <Text size="xs" c="dimmed">
                {reason}
              </Text>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
