import { FileError } from "@waymark/journeys/load/files.ts";
import { lintLoaded } from "@waymark/journeys/load/lint-loaded.ts";
import { loadJourney, type LoadedJourney } from "@waymark/journeys/load/load-journey.ts";
import { composeText } from "@waymark/journeys/overlay/compose-text.ts";
import type { Position } from "@waymark/journeys/document/problem.ts";
import type { Composition, Work } from "./messages.ts";
import type { Session } from "./session.ts";
import { storable } from "../../lib/storable.ts";
import { documentFault, verdictOf } from "./verdict.ts";

const FIELDS_MAX = 5_000;
const TEXT_MAX = 4 * 1024 * 1024;
const NAME_MAX = 500;

/** A journey or an overlay as it is run: with its overlays applied, and where each field comes from. */
export async function compose(
  { access, hash }: Session,
  { path, environment }: Work["compose"]["document"],
): Promise<Composition> {
  let journey: LoadedJourney;
  try {
    journey = await loadJourney(access, { file: path, overlays: [], given: new Map() });
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { ...verdictOf([documentFault(path, "missing-file", error.message)], null), ...NOTHING };
  }
  const { problems, artifact } = await lintLoaded(journey, { environment, hash });
  return { ...verdictOf(problems, artifact?.id ?? null), ...partsOf(journey) };
}

const NOTHING = { text: null, fields: [], removed: [], drift: [] };

type Parts = Pick<Composition, "text" | "fields" | "removed" | "drift">;

function partsOf({ merged, baseFile }: LoadedJourney): Parts {
  if (merged.raw === undefined) return NOTHING;
  if (!("provenance" in merged)) return { ...NOTHING, text: baseFile.text };
  const text = composeText(merged.raw);
  if (text.length > TEXT_MAX) return NOTHING;
  const written = [...merged.provenance].filter(([, { change }]) => change !== "inherited");
  return {
    text,
    fields: written.slice(0, FIELDS_MAX).map(([pointer, { from, change, source }]) => ({
      pointer: storable(pointer, NAME_MAX),
      from: storable(from, NAME_MAX),
      change,
      source: place(source),
    })),
    removed: merged.removed.slice(0, FIELDS_MAX).map(({ pointer, by, source }) => ({
      pointer: storable(pointer, NAME_MAX),
      by: storable(by, NAME_MAX),
      source: place(source),
    })),
    drift: merged.drift.map(({ overlay, extendsVersion, baseVersion, moved }) => ({
      overlay: storable(overlay, NAME_MAX),
      extendsVersion: extendsVersion === undefined ? null : storable(extendsVersion, NAME_MAX),
      baseVersion: baseVersion === undefined ? null : storable(baseVersion, NAME_MAX),
      moved,
    })),
  };
}

function place({ file, line, column }: Position): Position {
  return { file: storable(file, NAME_MAX), line, column };
}
