// The steps of a run are sent as they are stored.
export {
  createStepRows as createSentSteps,
  type StepRows as SentSteps,
} from "@waymark/shared/journey-runs/ending/step-rows.ts";
