import { capped } from "../operations/change.ts";
import type { Effect, Finding, Mode } from "../schemas/pair-result.ts";
import type { Level } from "../verdict.ts";

/** Fewer values break requests, and more values break answers. */
export function levelOf({ levels }: Finding, effect: Effect, mode: Mode, cap: Level): Level {
  const own = levels?.[mode];
  if (own !== undefined) return capped(own, cap);
  if (effect === "unknown") return capped("maybe", cap);
  const breaks = effect === "both" || effect === (mode === "request" ? "narrow" : "widen");
  return capped(breaks ? "breaking" : "safe", cap);
}
