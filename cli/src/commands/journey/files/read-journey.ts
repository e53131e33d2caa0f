import path from "node:path";
import { isObject } from "@waymark/openapi/json.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import type { JourneyDocument } from "@waymark/journeys/document/parse.ts";
import { applyOverlays } from "@waymark/journeys/overlay/apply.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import type { ParsedOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import type { AppliedOverlays } from "@waymark/journeys/overlay/provenance.ts";
import type { CliContext } from "../../../context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";
import { resolveReferencedFile, displayPath } from "./names.ts";

export interface JourneyFiles {
  /** The journey's file, an overlay (its base is read too), or `-` for standard input. */
  file: string;
  overlays: readonly string[];
}

/** A journey as read from its files, overlays applied. Faults are in `merged.problems`, not thrown. */
export interface ReadJourney {
  base: JourneyDocument;
  /** In the order of application. */
  overlays: ParsedOverlay[];
  /** The base itself where there are no overlays. */
  merged: JourneyDocument | AppliedOverlays;
  /** Absolute path of the base: what its sources are relative to. */
  baseFile: string;
}

type FileContext = Pick<CliContext, "cwd" | "stdin">;

const OVERLAYS_MAX = 20;

/**
 * Reads a journey and its overlays. A file that is an overlay itself stands for its base with it on top.
 * @throws {CliError} for a file that can't be read
 */
export async function readJourney(context: FileContext, files: JourneyFiles): Promise<ReadJourney> {
  const given: ParsedOverlay[] = [];
  for (const name of files.overlays) given.push(await readOverlay(context, name));
  const below: ParsedOverlay[] = [];
  let name = files.file;
  for (;;) {
    const baseFile = path.resolve(context.cwd, name === "-" ? "standard-input" : name);
    const file = name === "-" ? "standard input" : displayPath(context.cwd, name);
    const text = await readText(context, name);
    const base = parseDocument(text, { file });
    if (!isOverlay(base)) {
      const overlays = [...below.toReversed(), ...given];
      const merged = overlays.length === 0 ? base : applyOverlays(base, overlays);
      return { base, overlays, merged, baseFile };
    }
    const overlay = parseOverlay(text, { file });
    below.push(overlay);
    name = baseOf(overlay, baseFile, below.length);
  }
}

async function readOverlay(context: FileContext, name: string): Promise<ParsedOverlay> {
  return parseOverlay(await readText(context, name), { file: displayPath(context.cwd, name) });
}

function isOverlay({ raw }: JourneyDocument): boolean {
  return isObject(raw) && Object.hasOwn(raw, "overlay") && !Object.hasOwn(raw, "arazzo");
}

function baseOf(overlay: ParsedOverlay, overlayFile: string, depth: number): string {
  const reference = overlay.raw?.["extends"];
  const file = typeof reference === "string" ? resolveReferencedFile(reference, overlayFile) : undefined;
  if (file === undefined) {
    throw usageError(
      `${overlay.file} is an overlay whose base is no local file: name the journey, and the overlay with --overlay.`,
    );
  }
  if (depth >= OVERLAYS_MAX) {
    throw usageError(`${overlay.file}: more than ${OVERLAYS_MAX} overlays extend one another.`);
  }
  return file;
}
