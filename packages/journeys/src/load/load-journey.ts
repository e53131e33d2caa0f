import { isObject } from "@waymark/openapi/json.ts";
import { parseDocument } from "../document/parse.ts";
import type { JourneyDocument } from "../document/parse.ts";
import { applyOverlays } from "../overlay/apply.ts";
import { parseOverlay } from "../overlay/parse-overlay.ts";
import type { ParsedOverlay } from "../overlay/parse-overlay.ts";
import type { AppliedOverlays } from "../overlay/provenance.ts";
import { FileError, openFiles } from "./files.ts";
import type { FileAccess, Files, TextFile } from "./files.ts";
import { loadSources } from "./load-sources.ts";
import type { LoadedSources } from "./load-sources.ts";
import { resolveReference } from "./paths.ts";
import type { RootPath } from "./paths.ts";

/** The files of a journey. */
export interface JourneyFiles {
  /** The journey's file, or an overlay, whose base is read too. */
  file: RootPath;
  /** Further overlays, in the order of application. */
  overlays: readonly RootPath[];
}

/** A journey as read from its files, overlays applied. Faults are in `merged.problems`, not thrown. */
export interface ReadJourney {
  base: JourneyDocument;
  baseFile: TextFile;
  /** In the order of application. */
  overlays: { overlay: ParsedOverlay; file: TextFile }[];
  /** The base itself where there are no overlays. */
  merged: JourneyDocument | AppliedOverlays;
}

/** A journey with everything needed to compile it. */
export interface LoadedJourney extends ReadJourney {
  loaded: LoadedSources;
  files: Files;
}

const OVERLAYS_MAX = 20;

/**
 * Reads a journey, its overlays and its sources.
 *
 * @param given files of source descriptions, by name, instead of those that the journey names
 * @throws FileError for a journey or an overlay that can't be read
 */
export async function loadJourney(
  access: FileAccess,
  { given, ...journeyFiles }: JourneyFiles & { given: ReadonlyMap<string, RootPath> },
): Promise<LoadedJourney> {
  const files = openFiles(access);
  const journey = await readJourney(files, journeyFiles);
  const { model, sourceOf } = journey.merged;
  const loaded =
    model === undefined
      ? { sources: {}, problems: [], read: [] }
      : await loadSources(files, { model, sourceOf, path: journey.baseFile.path }, given);
  return { ...journey, loaded, files };
}

/**
 * Reads a journey and its overlays. If the file is an overlay, the journey is its base with the overlay applied. @throws
 * FileError
 */
export async function readJourney(files: Files, { file, overlays }: JourneyFiles): Promise<ReadJourney> {
  const above: ReadJourney["overlays"] = [];
  for (const path of overlays) above.push(overlayIn(await files.read(path)));
  const below: ReadJourney["overlays"] = [];
  for (let path = file; ;) {
    const baseFile = await files.read(path);
    const base = parseDocument(baseFile.text, { file: baseFile.shown });
    if (!isOverlay(base)) {
      const all = [...below.toReversed(), ...above];
      const parsed = all.map(({ overlay }) => overlay);
      const merged = parsed.length === 0 ? base : applyOverlays(base, parsed);
      return { base, baseFile, overlays: all, merged };
    }
    const found = overlayIn(baseFile);
    below.push(found);
    path = baseOf(found, below.length);
  }
}

function overlayIn(file: TextFile): ReadJourney["overlays"][number] {
  return { overlay: parseOverlay(file.text, { file: file.shown }), file };
}

function isOverlay({ raw }: JourneyDocument): boolean {
  return isObject(raw) && Object.hasOwn(raw, "overlay") && !Object.hasOwn(raw, "arazzo");
}

function baseOf({ overlay, file }: ReadJourney["overlays"][number], depth: number): RootPath {
  const reference = overlay.raw?.["extends"];
  const base = typeof reference === "string" ? resolveReference(reference, file.path) : undefined;
  if (base === undefined) {
    const why = reference === undefined ? "without a base (extends)" : "whose base is not a local file";
    throw new FileError(
      `${file.shown} is an overlay ${why}: name the journey, and the overlay with --overlay.`,
    );
  }
  if (depth >= OVERLAYS_MAX) {
    throw new FileError(`${file.shown}: more than ${OVERLAYS_MAX} overlays extend one another.`);
  }
  return base;
}
