import { Text, UnstyledButton } from "@mantine/core";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { type Virtualizer, useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useRef, useState } from "react";
import { useUrlState } from "../../lib/use-url-state.ts";
import { isFinal } from "../run-status.tsx";
import { describeMs } from "./describe-duration.ts";
import { StepDetails } from "./step-details.tsx";
import classes from "./step-list.module.css";
import { isWrong, type RunStep, type StepResult } from "./step-result.ts";

/** The steps of a run in the order of their ends; new ones appear while it runs. The first that failed is open. */
export function StepList({ run, steps }: { run: JourneyRun; steps: readonly RunStep[] }) {
  if (steps.length > 0) return <Steps run={run} steps={steps} />;
  return <Text role="status">{isFinal(run) ? "No step was run." : "No step has ended yet."}</Text>;
}

const STATUSES: Record<StepResult["status"], { mark: string; word: string }> = {
  passed: { mark: "✓", word: "passed" },
  failed: { mark: "✗", word: "failed" },
  error: { mark: "✗", word: "error" },
  skipped: { mark: "–", word: "skipped" },
  timedOut: { mark: "✗", word: "timed out" },
};
const ROW_PX = 48;

function Steps({ run, steps }: { run: JourneyRun; steps: readonly RunStep[] }) {
  const [chosen, setChosen] = useState<ReadonlyMap<number, boolean>>(new Map());
  const [wanted] = useUrlState("step");
  const wantedIndex = steps.findIndex(({ seq }) => String(seq) === wanted);
  const firstWrong = steps.find(({ result }) => isWrong(result))?.seq;
  const isOpen = (seq: number) => chosen.get(seq) ?? (seq === firstWrong || String(seq) === wanted);
  const [list, setList] = useState<HTMLElement | null>(null);
  const rows = useVirtualizer({
    count: steps.length,
    getScrollElement: () => list,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => steps[index]?.seq ?? index,
    overscan: 10,
  });
  const { rowRef, show } = useRowFocus(rows, { list, wanted: wantedIndex });
  const follow = (seq: number) => {
    setChosen(new Map([...chosen, [seq, true]]));
    // The URL may name the step already.
    show(steps.findIndex((step) => step.seq === seq));
  };
  return (
    <div ref={setList} className={classes["scroller"]} role="list" tabIndex={0} aria-label="Steps of the run">
      <div style={{ height: rows.getTotalSize(), position: "relative" }}>
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const step = steps[index];
          if (step === undefined) return null;
          const { seq } = step;
          return (
            <div
              key={key}
              ref={rowRef}
              data-index={index}
              role="listitem"
              className={classes["row"]}
              style={{ transform: `translateY(${start}px)` }}
            >
              <StepRow
                step={step.result}
                isOpen={isOpen(seq)}
                onToggle={() => setChosen(new Map([...chosen, [seq, !isOpen(seq)]]))}
              />
              {isOpen(seq) && <StepDetails run={run} step={step} steps={steps} onFollow={follow} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Moves the focus to the row of a step, and first to the row of the step that the URL names. */
function useRowFocus(
  rows: Virtualizer<HTMLElement, Element>,
  { list, wanted }: { list: HTMLElement | null; wanted: number },
): { rowRef: (row: HTMLElement | null) => void; show: (index: number) => void } {
  // A row that is far away exists only after the list has scrolled to it.
  const pending = useRef(-1);
  const focusPending = useCallback((row: HTMLElement | null) => {
    if (row?.dataset["index"] !== String(pending.current)) return;
    pending.current = -1;
    row.querySelector("button")?.focus({ preventScroll: true });
  }, []);
  // The function must not change between renders: the rows are measured again when it does.
  const rowRef = useCallback(
    (row: HTMLElement | null) => {
      rows.measureElement(row);
      focusPending(row);
    },
    [rows, focusPending],
  );
  const show = useCallback(
    (index: number) => {
      if (list === null || index < 0) return;
      pending.current = index;
      rows.scrollToIndex(index, { align: "start" });
      list.scrollIntoView({ block: "nearest" });
      focusPending(list.querySelector<HTMLElement>(`[data-index="${index}"]`));
    },
    [list, rows, focusPending],
  );
  useEffect(() => show(wanted), [show, wanted]);
  return { rowRef, show };
}

function StepRow(props: { step: StepResult; isOpen: boolean; onToggle: () => void }) {
  const { step, isOpen, onToggle } = props;
  const { mark, word } = STATUSES[step.status];
  return (
    <UnstyledButton
      onClick={onToggle}
      aria-expanded={isOpen}
      className={classes["head"] ?? ""}
      data-status={step.status}
    >
      <span className={classes["mark"]} role="img" aria-label={word}>
        {mark}
      </span>
      <span className="breaks">
        {step.workflow !== undefined && `${step.workflow} › `}
        <b>{step.id}</b>
        {step.phase === "teardown" && " (teardown)"}
        {step.handled && " (handled)"}
      </span>
      <span className={classes["operation"]}>{operationOf(step)}</span>
      <span className={classes["time"]}>
        {step.attempts.length > 1 && `${step.attempts.length} attempts, `}
        {step.status === "skipped" ? "skipped" : describeMs(step.ms)}
      </span>
    </UnstyledButton>
  );
}

function operationOf({ operation, external, calls }: StepResult): string {
  if (operation !== undefined) return `${operation.method} ${operation.path}`;
  if (external !== undefined) return `${external.method} ${external.url}`;
  return calls === undefined ? "" : `workflow ${calls}`;
}
