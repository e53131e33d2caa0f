import { existsSync } from "node:fs";
import { join } from "node:path";
import { FIXTURES } from "./build.ts";

/** The worked example: a journey over the life of a record, with an overlay that also proves that it is gone. */
export interface WorkedExample {
  name: string;
  folder: string;
  journey: string;
  overlay: string;
  openapi: string;
  source: string;
  collection: string;
  versionField: string;
  /** The variable that the journey's secret refers to. */
  secret: string;
  steps: { create: string; read: string; update: string; list: string; remove: string; gone: string };
}

const NOTES: WorkedExample = {
  name: "notes",
  folder: FIXTURES,
  journey: "notes.journey.yaml",
  overlay: "notes.gone.overlay.yaml",
  openapi: "notes.openapi.yaml",
  source: "notes",
  collection: "notes",
  versionField: "revision",
  secret: "NOTES_ACCESS",
  steps: { create: "add", read: "see", update: "rate", list: "find", remove: "drop", gone: "seeGone" },
};

const ITEMS: WorkedExample = {
  name: "items (the design's own example)",
  folder: join(import.meta.dirname, "..", "..", "..", "..", "shared", "journeys"),
  journey: "item-lifecycle.journey.yaml",
  overlay: "item-lifecycle.soft-delete.overlay.yaml",
  openapi: "items.openapi.yaml",
  source: "items",
  collection: "items",
  versionField: "version",
  secret: "ITEMS_TOKEN",
  steps: {
    create: "create",
    read: "read",
    update: "update",
    list: "list",
    remove: "remove",
    gone: "readGone",
  },
};

/** Both of them where the design's pages lie beside the checkout, else the one that belongs to it. */
export const WORKED_EXAMPLES: readonly WorkedExample[] = existsSync(ITEMS.folder) ? [NOTES, ITEMS] : [NOTES];
