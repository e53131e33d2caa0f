/** The outputs that `x-journey.secretOutputs` names. */
export function secretOutputsOf(names: readonly string[] = []): { secretOutputs?: string[] } {
  return names.length === 0 ? {} : { secretOutputs: [...new Set(names)].toSorted() };
}
