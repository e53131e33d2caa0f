import type { StepCard } from "./outline.ts";

/** The meaning of an arc: a repetition of its step, or a jump after success or failure. */
type ArcKind = "repeat" | "success" | "failure";

/** The part of an arc that is beside one step. */
export interface ArcPart {
  kind: ArcKind;
  /** Lane 0 is next to the steps. */
  lane: number;
  /** `upper` and `lower` are its ends, which lead to the step; `loop` is both ends in one. */
  shape: "loop" | "upper" | "through" | "lower";
  /** The arc leads to this step. */
  isTarget: boolean;
}

interface Arcs {
  lanes: number;
  /** The parts beside each step, by the index of the step. */
  parts: ArcPart[][];
}

interface Jump {
  kind: ArcKind;
  from: number;
  to: number;
}

/** More arcs than these at one step share the outermost lane. */
const LANES_MAX = 6;

/** Returns the repetitions and the jumps of a journey as arcs that don't touch one another. */
export function arcsOf(steps: readonly StepCard[]): Arcs {
  const parts: ArcPart[][] = steps.map(() => []);
  const ends: { first: number; last: number }[][] = [];
  for (const { kind, from, to } of jumpsOf(steps)) {
    const first = Math.min(from, to);
    const last = Math.max(from, to);
    let lane = 0;
    while (lane < LANES_MAX - 1 && ends[lane]?.some((other) => first <= other.last && other.first <= last))
      lane += 1;
    (ends[lane] ??= []).push({ first, last });
    for (let at = first; at <= last; at += 1)
      parts[at]?.push({ kind, lane, shape: shapeAt(at, first, last), isTarget: at === to });
  }
  return { lanes: ends.length, parts };
}

function shapeAt(at: number, first: number, last: number): ArcPart["shape"] {
  if (first === last) return "loop";
  if (at === first) return "upper";
  return at === last ? "lower" : "through";
}

/** The short ones first, so that they are nearest to the steps. */
function jumpsOf(steps: readonly StepCard[]): Jump[] {
  const indexes = new Map(steps.map(({ stepId }, at) => [stepId, at]));
  const jumps = steps.flatMap(({ flowRows: { actions, poll } }, from) => {
    const repeats = poll !== undefined || actions.some(({ type }) => type === "retry");
    const gotos = actions.flatMap(({ type, stepId, list }): Jump[] => {
      const to = type === "goto" && stepId !== undefined ? indexes.get(stepId) : undefined;
      return to === undefined ? [] : [{ kind: list === "onSuccess" ? "success" : "failure", from, to }];
    });
    return repeats ? [{ kind: "repeat" as const, from, to: from }, ...gotos] : gotos;
  });
  const distinct = new Map(jumps.map((jump) => [`${jump.kind} ${jump.from} ${jump.to}`, jump]));
  return [...distinct.values()].toSorted((a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from));
}
