import { Anchor, SegmentedControl, Skeleton, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import type { Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import type { ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import { useMemo } from "react";
import { Link } from "wouter";
import { countOf } from "../../lib/count-of.ts";
import { LoadMore, type Pages } from "../../lib/load-more.tsx";
import { useKeyActions } from "../../lib/single-keys.ts";
import { type DifferenceView, useDifferenceView } from "../../lib/use-difference-view.ts";
import { useOtherEndpoints } from "../../lib/use-endpoint-rows.ts";
import { useUrlState } from "../../lib/use-url-state.ts";
import { useEndpoints } from "../use-scan-run.ts";
import { CardList } from "./card-list.tsx";
import { changeCards, countLevels } from "./change-cards.ts";
import { changesByTag, tagFinder } from "./change-tags.ts";
import { ChangesTotal } from "./changes-total.tsx";
import classes from "./changes-view.module.css";
import { isOtherRun } from "./is-other-run.ts";
import { JourneysAside } from "./journeys-aside.tsx";
import { moveToCard } from "./move-to-card.ts";
import { NewFindings } from "./new-findings.tsx";
import { OtherFindings } from "./other-findings.tsx";
import { OtherRun } from "./other-run.tsx";
import { RunTimeline } from "./run-timeline.tsx";
import { TagList } from "./tag-list.tsx";

/** Shows what a run changed: by tag, as cards, and beside them the journeys that it concerns and what happened to it. */
export function ChangesView(props: {
  run: ScanRun;
  changes: ScanChanges;
  /** The pages of which the verdicts are. They are all loaded, unless that fails. */
  pages: Pages;
  /** Undefined if the session may not approve. */
  onApprove: ((verdicts: readonly Verdict[]) => void) | undefined;
}) {
  const { run, changes, pages } = props;
  const isOther = isOtherRun(changes);
  // Approvals are of changes to the run before.
  const onApprove = isOther ? undefined : props.onApprove;
  const [against, setAgainst] = useUrlState("against");
  const [chosen, choose] = useUrlState("in");
  const cards = useMemo(() => (changes.against === null ? [] : changeCards(changes)), [changes]);
  const tags = useTags(run, changes, {
    cards,
    isWhole: changes.nextCursor === undefined || pages.isFetchNextPageError,
  });
  useKeyActions({ j: () => moveToCard(1), k: () => moveToCard(-1) }, { dialogs: 0 });
  const shownTag = tags?.find(({ tag }) => tag === chosen);
  const shown = shownTag?.cards ?? cards;
  return (
    <div className={classes["columns"]}>
      <Tags tags={tags} cards={cards} chosen={shownTag?.tag ?? ""} onChoose={choose} />
      <Stack gap="md" className={classes["centre"] ?? ""}>
        <div className={classes["tools"]}>
          <OtherRun run={run} against={against} onChoose={setAgainst} />
          {changes.verdicts.length > 0 && <DifferenceSwitch />}
        </div>
        {changes.against === null ? (
          <FirstScan run={run} />
        ) : (
          <>
            <ChangesTotal changes={changes} isPrevious={!isOther} />
            <CardList
              key={chosen}
              cards={shown}
              isCompared={changes.comparison.status === "compared"}
              runs={{ serviceId: run.serviceId, scanRunId: run.id, baseRunId: changes.against }}
              onApprove={onApprove}
            />
            {pages.isFetchNextPageError && <LoadMore pages={pages} label="Load more verdicts" size="sm" />}
            {shownTag === undefined && (
              <>
                <NewFindings run={run} findings={changes.findings.new} />
                <OtherFindings findings={changes.findings} />
              </>
            )}
          </>
        )}
      </Stack>
      <aside className={classes["aside"]} aria-label="Journeys and timeline">
        {!isOther && <JourneysAside run={run} changes={changes} cards={cards} />}
        <RunTimeline run={run} changes={changes} />
      </aside>
    </div>
  );
}

/** The changes by tag; undefined until all of them and their tags are known. */
function useTags(
  run: ScanRun,
  changes: ScanChanges,
  { cards, isWhole }: { cards: ReturnType<typeof changeCards>; isWhole: boolean },
) {
  // Changes of the list of endpoints have their tags with them.
  const isNeeded = changes.verdicts.length > 0;
  const endpoints = useEndpoints(run, { enabled: isNeeded });
  useOtherEndpoints(endpoints, { enabled: isNeeded });
  const { data, isError } = endpoints;
  const isKnown = isWhole && (!isNeeded || isError || (data !== undefined && !endpoints.hasNextPage));
  return useMemo(() => {
    if (!isKnown) return undefined;
    const { added, changed } = changes.endpoints;
    const known = data ?? [...added, ...changed.map(({ after }) => after)];
    return changesByTag(cards, tagFinder(known, changes.endpoints));
  }, [isKnown, data, changes, cards]);
}

function Tags(props: {
  tags: ReturnType<typeof useTags>;
  cards: ReturnType<typeof changeCards>;
  chosen: string;
  onChoose: (tag: string) => void;
}) {
  const { tags, cards, chosen, onChoose } = props;
  const isWide = useMediaQuery("(min-width: 64em)", true, { getInitialValueInEffect: false });
  if (cards.length === 0) return null;
  if (tags === undefined)
    return (
      <Skeleton height={isWide ? 160 : 36} aria-label="Loading the tags" className={classes["tags"] ?? ""} />
    );
  const list = <TagList tags={tags} all={countLevels(cards)} chosen={chosen} onChoose={onChoose} />;
  if (isWide)
    return (
      <nav className={classes["tags"]} aria-label="Changes by tag">
        {list}
      </nav>
    );
  return (
    <details className={classes["tags"]}>
      <summary>Changes by tag{chosen !== "" && `: ${chosen}`}</summary>
      {list}
    </details>
  );
}

/** A service's first scan changes nothing: there is nothing that it could differ from. */
function FirstScan({ run }: { run: ScanRun }) {
  const search = (tab: string) => `/scan-runs/${run.id}?tab=${tab}`;
  return (
    <div className={classes["first"]} role="status">
      <Text fw={600}>This is the first scan of {run.serviceName}</Text>
      <Text size="sm" mt={4}>
        There is no earlier run to compare with. It has{" "}
        <Anchor component={Link} href={search("endpoints")} underline="always">
          {countOf(run.endpointCount, "endpoints")}
        </Anchor>{" "}
        and{" "}
        <Anchor component={Link} href={search("findings")} underline="always">
          {countOf(run.findingCount, "findings")}
        </Anchor>
        . From the next scan on, this page shows what changed.
      </Text>
    </div>
  );
}

const VIEWS: { value: DifferenceView; label: string }[] = [
  { value: "split", label: "Split" },
  { value: "unified", label: "Unified" },
];

function DifferenceSwitch() {
  const [view, setView] = useDifferenceView();
  return (
    <SegmentedControl
      size="xs"
      aria-label="How differences are shown"
      className={classes["switch"] ?? ""}
      data={VIEWS}
      value={view}
      onChange={setView}
    />
  );
}
