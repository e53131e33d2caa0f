import type { Place } from "@waymark/journeys/checkpoint/checkpoint.ts";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";

/** Methods that change nothing at the target (RFC 9110, 9.2.1): sending one again does no harm. */
const SAFE = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

export function isSafe(method: string): boolean {
  return SAFE.has(method.toUpperCase());
}

/** The step of the outermost workflow that a place leads to; null where it leads to none. */
export function nextStep(
  { program }: Artifact,
  place: Place,
): { id: string; maySend: "safe" | "all" } | null {
  if (place.at === "transfer") return { id: place.step, maySend: "all" };
  const step = place.at === "step" ? program.workflows[program.entry]?.steps[place.index] : undefined;
  if (step === undefined) return null;
  const { target } = step;
  const method = target.kind === "operation" ? program.operations[target.operation]?.method : undefined;
  const known = target.kind === "external" ? target.method : method;
  return { id: step.id, maySend: known !== undefined && isSafe(known) ? "safe" : "all" };
}
