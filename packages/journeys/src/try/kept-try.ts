import { z } from "zod";
import { digest } from "../compile/artifact.ts";
import type { Sha256 } from "../compile/artifact.ts";
import type { Artifact } from "../compile/artifact-model.ts";
import { Checkpoint } from "../checkpoint/checkpoint.ts";
import type { Program, ProgramStep, ProgramWorkflow } from "../program/program.ts";

const Part = z.strictObject({ id: z.string(), step: z.string(), description: z.string() });

/** The state that a try leaves for the next one, and digests of everything that it came from. */
export const KeptTry = z.strictObject({
  kept: z.literal("journey-kept-try/1"),
  /** Milliseconds since 1970. */
  at: z.number(),
  /** Digests by what they are of, such as "the inputs". */
  common: z.record(z.string(), z.string()),
  steps: z.array(Part),
  /** The step that ended last. */
  last: z.string(),
  /** Where the journey goes on: behind that step, at it again, at another step, or nowhere. */
  next: z.union([z.enum(["on", "again", "nowhere"]), z.strictObject({ step: z.string() })]),
  checkpoint: Checkpoint,
});
export type KeptTry = z.infer<typeof KeptTry>;

/** The state that a try goes on from. */
export interface Reuse {
  checkpoint: Checkpoint;
  /** Index of the step that is run first. */
  index: number;
  /** The steps whose outputs are there. */
  steps: readonly string[];
  at: number;
}

/** The origins of a try's values besides the program, by names that a sentence can have. */
type Origins = Readonly<Record<string, unknown>>;

/** Returns what to keep of a try, or undefined if no step has ended. */
export function keepTry(
  checkpoint: Checkpoint,
  { program }: Artifact,
  { at, origins, hash }: { at: number; origins: Origins; hash: Sha256 },
): KeptTry | undefined {
  const { steps } = entryOf(program);
  const [last] = Object.entries(checkpoint.ended).toSorted(([, one], [, other]) => other.at - one.at);
  if (last === undefined) return undefined;
  const [id, { passed }] = last;
  const { place } = checkpoint;
  const index = steps.findIndex((step) => step.id === id);
  const goesOn =
    place.at === "step" ? place.index === index + 1 : place.at === "end" && place.reason === undefined;
  const target = place.at === "step" ? steps[place.index] : undefined;
  const next = goesOn ? "on" : target !== undefined ? { step: target.id } : passed ? "nowhere" : "again";
  return {
    kept: "journey-kept-try/1",
    at,
    common: commonParts(program, { origins, hash }),
    steps: steps.map((step) => partOf(program, step, hash)),
    last: id,
    next,
    checkpoint: { ...checkpoint, steps: [] },
  };
}

/** Returns how to go on from a kept try to a step, or a clause that says why that is not possible. */
export function reuseFor(
  kept: KeptTry,
  { program }: Artifact,
  { step, origins, hash }: { step: string; origins: Origins; hash: Sha256 },
): Reuse | string {
  const common = commonParts(program, { origins, hash });
  const names = new Set([...Object.keys(common), ...Object.keys(kept.common)]);
  const changed = [...names].filter((name) => common[name] !== kept.common[name]);
  if (changed.length > 0) return `${changed.join(" and ")} changed`;
  const { steps } = entryOf(program);
  const index = startOf(kept, steps, step);
  if (index === undefined) return `step "${step}" does not follow on the steps that were run`;
  const why = changedBefore(kept, program, { index, hash });
  if (why !== undefined) return why;
  const { ended } = kept.checkpoint;
  const reused = steps.slice(0, index).filter(({ id }) => ended[id]?.completed === true);
  if (index === 0) return "no step before it was run";
  return { checkpoint: kept.checkpoint, index, steps: reused.map(({ id }) => id), at: kept.at };
}

/** Returns the checkpoint from which a run of the artifact as it is now continues, with the time and the limits of a new run. */
export function resumeAt({ checkpoint, index }: Reuse, { id }: Artifact, now: number): Checkpoint {
  const { error: _, ...rest } = checkpoint;
  return {
    ...rest,
    artifact: id,
    startedAt: now,
    elapsedMs: 0,
    place: { at: "step", index },
    coverage: [],
    external: [],
    teardowns: [],
    contract: { checks: 0, failures: 0 },
    steps: [],
  };
}

/**
 * The index of the step to begin with. Steps behind the one that was run last had its earlier outputs, so they are run again; the
 * step itself and those before it are sent alone.
 */
function startOf(
  { last, next, checkpoint }: KeptTry,
  steps: readonly ProgramStep[],
  step: string,
): number | undefined {
  const indexOf = (id: string) => steps.findIndex((candidate) => candidate.id === id);
  const wanted = indexOf(step);
  const ended = indexOf(last);
  if (ended < 0) return undefined;
  const following =
    next === "on" ? ended + 1 : next === "again" ? ended : next === "nowhere" ? Infinity : indexOf(next.step);
  if (following >= 0 && following <= wanted) return following;
  return wanted <= ended && checkpoint.started.includes(step) ? wanted : undefined;
}

function changedBefore(
  { steps: kept }: KeptTry,
  program: Program,
  { index, hash }: { index: number; hash: Sha256 },
): string | undefined {
  const { steps } = entryOf(program);
  const first = steps[index]?.id;
  const at = kept.findIndex(({ id }) => id === first);
  const now = steps.slice(0, index).map((step) => partOf(program, step, hash));
  for (const part of now) {
    const before = kept.find(({ id }) => id === part.id);
    if (before === undefined) return `step "${part.id}" is new`;
    if (before.step !== part.step) return `step "${part.id}" changed`;
    if (before.description !== part.description) return `the description of step "${part.id}" changed`;
  }
  const order = (at < 0 ? kept.slice(0, index) : kept.slice(0, at)).map(({ id }) => id);
  return order.join("\0") === now.map(({ id }) => id).join("\0")
    ? undefined
    : "the order of the steps changed";
}

function partOf(program: Program, step: ProgramStep, hash: Sha256): KeptTry["steps"][number] {
  const { target } = step;
  const operation = target.kind === "operation" ? program.operations[target.operation] : undefined;
  return { id: step.id, step: digest(step, hash), description: digest(operation ?? null, hash) };
}

function commonParts(
  { environment, sources, self, entry, workflows }: Program,
  { origins, hash }: { origins: Origins; hash: Sha256 },
): Record<string, string> {
  const { [entry]: main, ...called } = workflows;
  const parts = {
    ...origins,
    "the environment": [environment ?? null, self ?? null],
    "the servers": sources,
    "the workflow": [entry, main?.inputs ?? null, main?.secrets ?? [], main?.dependsOn ?? []],
    "the variables": main?.vars ?? {},
    "a workflow that is called": called,
  };
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, digest(value, hash)]));
}

function entryOf({ workflows, entry }: Program): ProgramWorkflow {
  const workflow = workflows[entry];
  if (workflow === undefined) throw new Error(`the program has no workflow "${entry}"`);
  return workflow;
}
