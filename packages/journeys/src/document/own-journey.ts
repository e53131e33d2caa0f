import type { ArazzoDocument } from "./model.ts";

/**
 * Whether a document was written as a journey: it has `x-journey` somewhere. An Arazzo document of others knows nothing of this
 * tool's rules for secrets, so what breaks them is told, and the document still runs.
 */
export function isOwnJourney({ info, workflows }: ArazzoDocument): boolean {
  return (
    info["x-journey"] !== undefined ||
    workflows.some(
      (workflow) =>
        workflow["x-journey"] !== undefined || workflow.steps.some((step) => step["x-journey"] !== undefined),
    )
  );
}
