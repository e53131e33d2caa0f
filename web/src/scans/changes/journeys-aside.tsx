import { Anchor, Button, Skeleton, Text, Title } from "@mantine/core";
import type { ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import { useState } from "react";
import { Link } from "wouter";
import { ApiError } from "../../lib/api.ts";
import { countOf } from "../../lib/count-of.ts";
import { useServiceJourneys } from "../../lib/endpoint/use-endpoint.ts";
import { ErrorAlert } from "../../lib/error-alert.tsx";
import { LacksPermission } from "../../lib/lacks-permission.tsx";
import { LOCALE } from "../../lib/locale.ts";
import { useMay } from "../../lib/use-session.ts";
import { describeOperations } from "../describe-operations.ts";
import { useBrokenJourneys } from "../use-scan-run.ts";
import type { ChangeCard } from "./change-cards.ts";
import classes from "./aside.module.css";
import { areAllNamed, changedOperations, journeysOf } from "./journeys-of-change.ts";

const SHOWN_STEP = 10;

/** The journeys that a run breaks, and those that call what it changed. */
export function JourneysAside(props: { run: ScanRun; changes: ScanChanges; cards: readonly ChangeCard[] }) {
  const { run, changes, cards } = props;
  const mayRead = useMay("journeys:read");
  return (
    <section aria-labelledby="journeys" className={classes["section"]}>
      <Title order={2} size="h4" id="journeys" className={classes["title"] ?? ""}>
        Journeys
      </Title>
      {mayRead ? (
        <>
          <BrokenJourneys run={run} />
          <CallingJourneys run={run} cards={cards} isWhole={areAllNamed(cards, changes)} />
        </>
      ) : (
        <LacksPermission permission="journeys:read" purpose="see which journeys this change breaks" />
      )}
    </section>
  );
}

function BrokenJourneys({ run }: { run: ScanRun }) {
  const broken = useBrokenJourneys(run);
  if (broken.isLoadingError) {
    // The key may read some journeys only.
    if (broken.error instanceof ApiError && broken.error.status === 403)
      return <Text size="sm">You may not see all journeys, so it is not known which ones break.</Text>;
    return <ErrorAlert error={broken.error} onRetry={() => void broken.refetch()} />;
  }
  if (broken.data === undefined) return null;
  const { journeys, against } = broken.data;
  if (journeys.length === 0)
    return (
      <Text size="sm">
        {against === null
          ? "There is no earlier run that they worked with."
          : "None calls an operation that is gone."}
      </Text>
    );
  return (
    <div role="group" aria-label="Broken journeys">
      <Text size="sm" fw={600} c="var(--mantine-color-error)">
        Breaks {countOf(journeys.length, "journeys")}
      </Text>
      <JourneyLinks
        journeys={journeys.map(({ id, title, path, operations }) => {
          const { shown, more } = describeOperations(operations);
          const others = more > 0 ? ` and ${more.toLocaleString(LOCALE)} more` : "";
          return {
            id,
            name: title ?? path,
            detail: `calls ${shown}${others}, which ${operations.length === 1 ? "is" : "are"} gone`,
          };
        })}
      />
    </div>
  );
}

/**
 * Those that call what changed may fail, too: only operations that are gone are known to break them.
 *
 * @param props.isWhole false if operations changed that no card names
 */
function CallingJourneys(props: { run: ScanRun; cards: readonly ChangeCard[]; isWhole: boolean }) {
  const { run, cards, isWhole } = props;
  const changed = changedOperations(cards);
  const journeys = useServiceJourneys(run.serviceId, { enabled: changed.size > 0 });
  const broken = useBrokenJourneys(run);
  if (changed.size === 0) return null;
  if (journeys.isLoadingError)
    return <ErrorAlert error={journeys.error} onRetry={() => void journeys.refetch()} />;
  if (journeys.data === undefined) return <Skeleton height={60} aria-label="Loading the journeys" />;
  const known = new Set(broken.data?.journeys.map(({ id }) => id));
  const calling = journeysOf(journeys.data, changed).filter(({ id }) => !known.has(id));
  return (
    <>
      {calling.length > 0 && (
        <div role="group" aria-label="Journeys that call what changed">
          <Text size="sm" fw={600}>
            {countOf(calling.length, "journeys")} {calling.length === 1 ? "calls" : "call"} what changed
          </Text>
          <JourneyLinks journeys={calling.map(({ id, title, path }) => ({ id, name: title ?? path }))} />
        </div>
      )}
      {!isWhole && (
        <Text size="sm">Not all operations that changed are listed. Other journeys may call those.</Text>
      )}
    </>
  );
}

function JourneyLinks({ journeys }: { journeys: readonly { id: string; name: string; detail?: string }[] }) {
  const [shownMax, setShownMax] = useState(SHOWN_STEP);
  const left = journeys.length - shownMax;
  return (
    <>
      <ul className={`${classes["list"]} breaks`}>
        {journeys.slice(0, shownMax).map(({ id, name, detail }) => (
          <li key={id}>
            <Anchor component={Link} href={`/journeys/${id}`}>
              {name}
            </Anchor>
            {detail !== undefined && (
              <Text size="xs" c="dimmed">
                {detail}
              </Text>
            )}
          </li>
        ))}
      </ul>
      {left > 0 && (
        <Button size="xs" variant="default" onClick={() => setShownMax(shownMax + SHOWN_STEP)}>
          Show {Math.min(left, SHOWN_STEP)} more of {left.toLocaleString(LOCALE)}
        </Button>
      )}
    </>
  );
}
