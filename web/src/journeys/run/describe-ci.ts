import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";

/** Where an uploaded result comes from, such as `GitHub Actions · shop/api · main · 0123456789ab`, as its uploader says. */
export function describeCi({ system, repository, branch, commit }: NonNullable<JourneyRun["ci"]>): string {
  const known = [system, repository, branch, commit?.slice(0, 12)].filter((one) => one !== undefined);
  return known.length === 0 ? "a build" : known.join(" · ");
}
