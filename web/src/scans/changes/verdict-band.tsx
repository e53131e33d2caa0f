import { Anchor, Button, Code, List, Skeleton, Text } from "@mantine/core";
import type { Comparison, Verdict } from "@waymark/shared/scans/comparisons/schema.ts";
import type { RunGate, ScanGates } from "@waymark/shared/scans/gates/schema.ts";
import type { ScanChanges, ScanRun } from "@waymark/shared/scans/schema.ts";
import type { MouseEvent } from "react";
import { Link } from "wouter";
import { CopyTextButton } from "../../lib/copy-text-button.tsx";
import { countOf } from "../../lib/count-of.ts";
import { MarkedText } from "../../lib/endpoint/marked-text.tsx";
import { LacksPermission } from "../../lib/lacks-permission.tsx";
import { LOCALE } from "../../lib/locale.ts";
import { needsApproval } from "../../lib/verdicts/group-verdicts.ts";
import { useBrokenJourneys, useGates } from "../use-scan-run.ts";
import { describeOtherVerdict, describeVerdict } from "./describe-verdict.ts";
import { isOtherRun } from "./is-other-run.ts";
import { RunMenu } from "./run-menu.tsx";
import classes from "./verdict-band.module.css";

/** The number of parts that were not compared that are listed: a description may have thousands of references that lead nowhere. */
const PARTS_MAX = 20;

/** Says whether a run breaks clients and journeys, and which gates failed, with what can be done about it. */
export function VerdictBand(props: {
  run: ScanRun;
  changes: ScanChanges;
  /** True if there are verdicts that are not loaded. */
  hasMore: boolean;
  /** Undefined if the session may not approve. */
  onApprove: ((verdicts: readonly Verdict[]) => void) | undefined;
}) {
  const { run, changes, hasMore, onApprove } = props;
  const broken = useBrokenJourneys(run);
  const { comparison, verdicts } = changes;
  const isOther = isOtherRun(changes);
  const words = isOther
    ? describeOtherVerdict(comparison)
    : describeVerdict({ comparison, brokenCount: broken.data?.journeys.length, gates: run.gates });
  const open = isOther ? [] : verdicts.filter(needsApproval);
  return (
    <section className={classes["band"]} data-tone={words.tone} aria-label="Verdict">
      <div className={classes["top"]}>
        <p className={`${classes["words"]} breaks`} role="status">
          <strong>{words.clients}</strong>
          {words.journeys !== undefined && (
            <>
              {" · "}
              <JourneysLink run={run} words={words.journeys} />
            </>
          )}
          {words.gates !== undefined && ` · ${words.gates}`}
        </p>
        <div className={classes["actions"]}>
          {open.length > 0 && onApprove !== undefined && (
            <Button size="xs" onClick={() => onApprove(open)}>
              {describeApproval(open.length, hasMore || comparison.notListed > 0)}
            </Button>
          )}
          <CopyTextButton value={globalThis.location.href} label="Copy the link" />
          <RunMenu run={run} />
        </div>
      </div>
      {words.detail !== "" && (
        <div className={classes["detail"]}>
          <MarkedText text={words.detail} />
        </div>
      )}
      <NotCompared comparison={comparison} />
      {!isOther && <FailedGates run={run} />}
      {open.length > 0 && onApprove === undefined && (
        <LacksPermission permission="changes:approve" purpose="approve changes" />
      )}
    </section>
  );
}

/** A placeholder as high as the band, so that nothing moves. It has no colour: nothing is known yet. */
export function LoadingBand() {
  return <Skeleton height={60} aria-label="Reading the verdict" />;
}

/** The label of the button that approves all loaded changes. @param hasMore true if further ones are not loaded, or not listed */
function describeApproval(count: number, hasMore: boolean): string {
  if (count === 1 && !hasMore) return "Approve the change…";
  return `Approve ${hasMore ? "these" : "all"} ${countOf(count, "changes")}…`;
}

/** Leads to the journeys, which are beside the changes. */
function JourneysLink({ run, words }: { run: ScanRun; words: string }) {
  const scroll = (event: MouseEvent) => {
    const journeys = document.getElementById("journeys");
    if (journeys === null) return;
    event.preventDefault();
    journeys.scrollIntoView();
  };
  return (
    <Anchor component={Link} href={`/scan-runs/${run.id}#journeys`} underline="always" onClick={scroll}>
      {words}
    </Anchor>
  );
}

function NotCompared({ comparison: { notCompared, notListed } }: { comparison: Comparison }) {
  const more = notCompared.length - PARTS_MAX;
  return (
    <>
      {notCompared.length > 0 && (
        <List size="sm">
          {notCompared.slice(0, PARTS_MAX).map(({ message, place }) => (
            <List.Item key={`${message} ${place?.pointer}`} className="breaks">
              Not compared: {message}
              {place !== null && ` (#${place.pointer})`}
            </List.Item>
          ))}
          {more > 0 && <List.Item>and {more.toLocaleString(LOCALE)} more parts</List.Item>}
        </List>
      )}
      {notListed > 0 && (
        <Text size="sm">{notListed.toLocaleString(LOCALE)} further changes are counted and not listed.</Text>
      )}
    </>
  );
}

/** The gates that failed in the pipeline of a run, and why. */
function FailedGates({ run }: { run: ScanRun }) {
  const { data } = useGates(run);
  const failed = (run.gates ?? []).filter(({ passed }) => !passed);
  if (failed.length === 0) return null;
  return (
    <details className={classes["gates"]}>
      <summary>Why {failed.length === 1 ? "the gate" : "the gates"} failed</summary>
      {failed.map((gate) => (
        <FailedGate key={gate.gate} gate={gate} verdict={data?.verdict ?? null} />
      ))}
    </details>
  );
}

function FailedGate({ gate: { gate, causeCount }, verdict }: { gate: RunGate; verdict: ScanGates | null }) {
  const causes = verdict?.gates.find((one) => one.gate === gate)?.causes ?? [];
  const more = causeCount - causes.length;
  return (
    <div>
      <Code className="breaks">{gate}</Code>
      <List size="sm" className="breaks">
        {causes.map((cause, index) => (
          <List.Item key={`${index} ${cause}`}>{cause}</List.Item>
        ))}
        {more > 0 && (
          <List.Item>
            {causes.length > 0 ? `… and ${more.toLocaleString(LOCALE)} more` : countOf(more, "causes")}
          </List.Item>
        )}
      </List>
    </div>
  );
}
