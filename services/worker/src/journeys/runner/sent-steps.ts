// The steps of a run are sent as they are stored.
export {
  createStepRows as createSentSteps,
  type StepRows as SentSteps,
} from "@waymark/server/journey-runs/ending/step-rows.ts";
