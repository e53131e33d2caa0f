import { FIXTURES } from "./build.ts";

/** The worked example: a journey over the life of a note, with an overlay that also proves that the note is gone. */
export const NOTES = {
  folder: FIXTURES,
  journey: "notes.journey.yaml",
  overlay: "notes.gone.overlay.yaml",
  openapi: "notes.openapi.yaml",
  source: "notes",
  collection: "notes",
  versionField: "revision",
  /** The variable that the journey's secret refers to. */
  secret: "NOTES_TOKEN",
  steps: { create: "add", read: "see", update: "rate", list: "find", remove: "drop", gone: "seeGone" },
  versionAssertion: "revised",
} as const;
