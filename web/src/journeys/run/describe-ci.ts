import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";

/** Describes the build that uploaded a result, in its own words: `GitHub Actions · shop/api · main · 0123456789ab`. */
export function describeCi({ system, repository, branch, commit }: NonNullable<JourneyRun["ci"]>): string {
  const known = [system, repository, branch, commit?.slice(0, 12)].filter((one) => one !== undefined);
  return known.length === 0 ? "a build" : known.join(" · ");
}
