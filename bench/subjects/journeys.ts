// Waymark's own runner in one process: runs, compiles, and says what memory it needs.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Artifact } from "@waymark/journeys/compile/artifact-model.ts";
import { compileJourney } from "@waymark/journeys/compile/compile-journey.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { applyOverlays } from "@waymark/journeys/overlay/apply.ts";
import { parseOverlay } from "@waymark/journeys/overlay/parse-overlay.ts";
import { prepareJourney } from "@waymark/journeys/run/prepare.ts";
import { runJourney } from "@waymark/journeys/run/run-journey.ts";
import { systemClock } from "@waymark/journeys/run/system-clock.ts";
import { createHttpTransport } from "@waymark/journey-transport/http-transport.ts";
import { serveCalls } from "../support/calls.ts";
import { collectGarbage } from "../support/collect-garbage.ts";
import { measureRuns } from "../support/journey-runs.ts";

interface Texts {
  journey: string;
  overlays: string[];
  openapi: string;
  source: string;
}

function read(files: Texts): Texts {
  const text = (name: string) => readFileSync(name, "utf8");
  return {
    ...files,
    journey: text(files.journey),
    overlays: files.overlays.map(text),
    openapi: text(files.openapi),
  };
}

function parseAll({ journey, overlays, openapi }: Texts) {
  const document: unknown = parse(openapi);
  return {
    base: parseDocument(journey, { file: "notes.journey.yaml" }),
    overlays: overlays.map((text, at) => parseOverlay(text, { file: `overlay-${at}.yaml` })),
    document,
  };
}

/** From the texts to the artifact. */
async function compile(texts: Texts): Promise<Artifact> {
  const { base, overlays, document } = parseAll(texts);
  const merged = overlays.length === 0 ? base : applyOverlays(base, overlays);
  if (merged.model === undefined) throw new Error(JSON.stringify(merged.problems));
  const result = await compileJourney({
    document: { model: merged.model, sourceOf: merged.sourceOf },
    sources: { [texts.source]: { type: "openapi", url: "openapi.yaml", document } },
  });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.artifact;
}

async function runner(texts: Texts, url: string): Promise<() => Promise<void>> {
  const prepared = prepareJourney(await compile(texts));
  const { transport } = createHttpTransport();
  const deps = { transport, clock: systemClock, resolveSecret: () => undefined };
  return async () => {
    const { status, error } = await runJourney(prepared, deps, { servers: { [texts.source]: url } });
    if (status !== "passed") throw new Error(`the journey ${status}: ${error?.message ?? ""}`);
  };
}

async function perCall(count: number, work: () => unknown): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < count; n++) await work();
  return (performance.now() - start) / count;
}

function heapUsed(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

serveCalls({
  ready: () => 0,
  run: async ({ files, url, count }: { files: Texts; url: string; count: number }) =>
    measureRuns(count, await runner(read(files), url)),
  /** Bytes of live objects after so many runs, at each of the given numbers. */
  heapAt: async ({ files, url, runs }: { files: Texts; url: string; runs: number[] }) => {
    const journey = await runner(read(files), url);
    const heap: number[] = [];
    let done = 0;
    for (const wanted of runs) {
      for (; done < wanted; done++) await journey();
      heap.push(heapUsed());
    }
    return heap;
  },
  /** In ms: parsing the files, and all the way to the artifact, in turns. */
  compile: async ({ files, count }: { files: Texts; count: number }) => {
    const texts = read(files);
    return {
      parseMs: await perCall(count, () => parseAll(texts)),
      compileMs: await perCall(count, () => compile(texts)),
    };
  },
});
