import type { Writable } from "node:stream";
import type { JourneyResult, StepResult } from "@waymark/journeys/result/result.ts";
import { printable } from "../../../lib/text.ts";
import type { RunSettings } from "./settings.ts";
import { resultLines, stepLines, verdictLine } from "./step-lines.ts";
import type { Style } from "./style.ts";
import { writeText } from "../../../lib/output.ts";

/** Shows the progress of one run. */
export interface RunPrinter {
  onStepStart: (step: { id: string; phase: "main" | "teardown" }) => void;
  onStep: (step: StepResult) => void;
  /** Shows the step that an interrupt ended: it has no result. */
  onInterrupt: () => void;
  onEnd: (result: JourneyResult) => void;
}

export interface PrinterOptions {
  /** The run's name among others. */
  label: string;
  show: RunSettings["show"];
  style: Style;
  /** False if journeys run concurrently: each then writes nothing before its end, so that their lines don't mix. */
  alone: boolean;
  /** True if a line can be replaced, to show the step that is running. */
  rewrites: boolean;
}

const CLEAR_LINE = "\r\u001b[2K";

/** Prints steps as they run, or a summary at the end. */
export function createPrinter(stream: Writable, options: PrinterOptions): RunPrinter {
  const { label, show, style, alone } = options;
  const live = alone && options.rewrites && show === "steps";
  /** The innermost last: a step may call a workflow, whose steps run within it. */
  const running: string[] = [];
  const held: string[] = [];
  const write = (lines: readonly string[]): void => {
    if (alone) for (const line of lines) writeText(stream, `${line}\n`);
    else held.push(...lines);
  };
  const clear = (): void => {
    if (live) writeText(stream, CLEAR_LINE);
  };
  if (show === "steps") write([style.strong(printable(label))]);
  return {
    onStepStart: ({ id, phase }) => {
      running.push(id);
      if (live)
        writeText(
          stream,
          style.faint(`  … ${printable(id, 60)}${phase === "teardown" ? " (teardown)" : ""}`),
        );
    },
    onStep: (step) => {
      const index = running.lastIndexOf(step.id);
      if (index >= 0) running.splice(index, 1);
      clear();
      if (show === "steps") write(stepLines(step, style));
    },
    onInterrupt: () => {
      const id = running.at(-1);
      if (id === undefined) return;
      clear();
      write([`  ${style.bad("✗")} ${style.strong(printable(id, 60))}  interrupted`]);
    },
    onEnd: (result) => {
      clear();
      if (show === "steps") write([...resultLines(result, style), verdictLine(result, "", style), ""]);
      else if (result.status !== "passed") write(failedRun(result, label, style));
      else if (show === "summary") write([verdictLine(result, label, style)]);
      for (const line of held) writeText(stream, `${line}\n`);
    },
  };
}

/** Everything that did not pass; the rest is in the reports. */
function failedRun(result: JourneyResult, label: string, style: Style): string[] {
  const failed = result.steps.filter(({ status }) => status !== "passed" && status !== "skipped");
  const { error } = result;
  const told = error !== undefined && failed.some((step) => step.reason?.includes(error.message) === true);
  return [
    verdictLine(result, label, style),
    ...failed.flatMap((step) => stepLines(step, style)),
    ...(error === undefined || told ? [] : [`  ${style.bad(`${error.code}: ${printable(error.message)}`)}`]),
  ];
}

export function labelOf(
  journey: { title: string; version: string; overlays: readonly string[] },
  row: string,
): string {
  const overlays = journey.overlays.length === 0 ? "" : ` + ${journey.overlays.join(" + ")}`;
  return `${journey.title} ${journey.version}${overlays}${row}`;
}
