import type { TargetRequest } from "@waymark/test-support/journey-target.ts";

/**
 * Steps of main phases that were sent more than once. The teardown may remove what the journey itself has removed already: that is
 * no harm.
 */
export function sentTwice(requests: readonly TargetRequest[]): string[] {
  const sent = new Set<string>();
  return requests
    .filter(({ method }) => method !== "DELETE")
    .map((one) => `${one.run} ${one.step}`)
    .filter((one) => sent.size === sent.add(one).size);
}
