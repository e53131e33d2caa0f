import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import { compileJourney } from "@waymark/journeys/compile/compile-journey.ts";
import type { CompileResult } from "@waymark/journeys/compile/compile-journey.ts";
import type { CompilableDocument, LoadedSource } from "@waymark/journeys/compile/unit.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import type { Evaluator } from "@waymark/journeys/evaluation/evaluator.ts";
import { applyOverlays } from "@waymark/journeys/overlay/apply.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";

export const FIXTURES = join(import.meta.dirname, "..", "..", "..", "examples", "journeys");

export interface Given {
  /** Path of the journey's file. */
  file: string;
  overlays?: string[];
  workflow?: string;
  /** All sources, if their files are not at the document's paths. */
  sources?: Record<string, LoadedSource>;
  evaluator?: Evaluator;
  /** Changes the journey's text before it is parsed. */
  edit?: (text: string) => string;
}

/** Parses, overlays and compiles files. */
async function build(given: Given): Promise<CompileResult> {
  const text = readFileSync(given.file, "utf8");
  return buildText(given.edit?.(text) ?? text, given);
}

export async function buildText(text: string, given: Omit<Given, "edit">): Promise<CompileResult> {
  const base = parseDocument(text, { file: basename(given.file) });
  const overlays = (given.overlays ?? []).map((path) =>
    parseOverlay(readFileSync(path, "utf8"), { file: basename(path) }),
  );
  const merged = overlays.length === 0 ? base : applyOverlays(base, overlays);
  if (merged.model === undefined) return { ok: false, problems: merged.problems };
  const document: CompilableDocument = {
    model: merged.model,
    sourceOf: (pointer) => merged.sourceOf(pointer),
    ...("provenance" in merged ? { provenance: merged.provenance } : {}),
  };
  const ids = "overlays" in merged ? merged.overlays : [];
  return compileJourney({
    document,
    sources: given.sources ?? loadSources(merged.model.sourceDescriptions, dirname(given.file)),
    ...(given.workflow === undefined ? {} : { workflow: given.workflow }),
    ...(given.evaluator === undefined ? {} : { evaluator: given.evaluator }),
    provenance: { overlays: ids.map((id) => ({ id, touched: [] })) },
  });
}

function loadSources(
  descriptions: readonly { name: string; url: string; type?: string | undefined }[],
  folder: string,
): Record<string, LoadedSource> {
  const sources: Record<string, LoadedSource> = {};
  for (const { name, url } of descriptions) {
    if (!url.startsWith("./")) continue;
    const document: unknown = parse(readFileSync(join(folder, url), "utf8"));
    sources[name] = { type: "openapi", url, document };
  }
  return sources;
}

/** The artifact, or an error that shows the problems. */
export async function artifactOf(given: Given): Promise<Artifact> {
  const result = await build(given);
  if (result.ok) return result.artifact;
  throw new Error(result.problems.map(({ file, line, message }) => `${file}:${line} ${message}`).join("\n"));
}
