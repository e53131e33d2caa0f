import { Alert, Anchor, Button, Code, List, Text } from "@mantine/core";
import type { BrokenJourneys as Broken } from "@waymark/shared/journey-coverage/schema.ts";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { useState } from "react";
import { Link } from "wouter";
import { ApiError } from "../lib/api.ts";
import { countOf } from "../lib/count-of.ts";
import { ErrorAlert } from "../lib/error-alert.tsx";
import { describeOperations } from "./describe-operations.ts";
import { useBrokenJourneys } from "./use-scan-run.ts";
import { LOCALE } from "../lib/locale.ts";

const SHOWN_STEP = 10;

/** Shows the journeys that call endpoints that this scan no longer has. Renders nothing if there are none. */
export function BrokenJourneys({ run }: { run: ScanRun }) {
  const broken = useBrokenJourneys(run);
  if (broken.isLoadingError) {
    // The key may read scans, and not journeys.
    if (broken.error instanceof ApiError && broken.error.status === 403) return null;
    return <ErrorAlert error={broken.error} onRetry={() => void broken.refetch()} />;
  }
  if (broken.data === undefined || broken.data.journeys.length === 0) return null;
  return <BrokenList broken={broken.data} />;
}

function BrokenList({ broken: { journeys, against } }: { broken: Broken }) {
  const [shownMax, setShownMax] = useState(SHOWN_STEP);
  const left = journeys.length - shownMax;
  return (
    <Alert color="red" title={`This scan breaks ${countOf(journeys.length, "journeys")}`} role="status">
      <Text size="sm" mb="xs">
        {journeys.length === 1 ? "It calls" : "They call"} endpoints that{" "}
        <Anchor component={Link} href={`/scan-runs/${against}`} underline="always">
          the previous run
        </Anchor>{" "}
        has and this one lacks.
      </Text>
      <List size="sm" spacing={4}>
        {journeys.slice(0, shownMax).map(({ id, path, operations }) => {
          const { shown, more } = describeOperations(operations);
          return (
            <List.Item key={id} className="breaks">
              <Anchor component={Link} href={`/journeys/${id}`}>
                {path}
              </Anchor>
              : <Code>{shown}</Code>
              {more > 0 && ` and ${more.toLocaleString(LOCALE)} more`}
            </List.Item>
          );
        })}
      </List>
      {left > 0 && (
        <Button size="xs" variant="default" mt="xs" onClick={() => setShownMax(shownMax + SHOWN_STEP)}>
          Show {Math.min(left, SHOWN_STEP)} more of {left.toLocaleString(LOCALE)}
        </Button>
      )}
    </Alert>
  );
}
