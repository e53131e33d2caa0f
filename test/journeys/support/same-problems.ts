import { expect } from "vitest";
import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import type { Problem } from "@waymark/journeys/document/problem.ts";
import { compileLoaded } from "@waymark/journeys/load/compile-loaded.ts";
import { lintLoaded } from "@waymark/journeys/load/lint-loaded.ts";
import { loadJourney } from "@waymark/journeys/load/load-journey.ts";

/** Texts by path; `given` are the files of sources, by name. */
export interface Files {
  texts: Record<string, string>;
  file: string;
  given?: Record<string, string>;
}

/** Lists what `journey lint` and `journey run` report of a journey. */
async function problemsOf({ texts, file, given = {} }: Files): Promise<{ lint: Problem[]; run: Problem[] }> {
  const access = {
    read: async (name: string) =>
      texts[name] === undefined ? undefined : new TextEncoder().encode(texts[name]),
    parse: parseDocument,
  };
  const files = { file, overlays: [], given: new Map(Object.entries(given)) };
  const { problems: lint } = await lintLoaded(await loadJourney(access, files), {});
  const { problems } = await compileLoaded(await loadJourney(access, files), {});
  return { lint, run: problems };
}

/** Only a run needs to know which of several workflows is run. */
export async function expectSame(files: Files): Promise<Problem[]> {
  const { lint, run } = await problemsOf(files);
  expect(run.filter(({ code }) => code !== "no-entry")).toEqual(lint);
  expect(lint.filter(({ code }) => code === "not-compiled")).toEqual([]);
  const told = lint.map(({ pointer, code, message }) => `${pointer} ${code} ${message}`);
  expect(told).toEqual([...new Set(told)]);
  return lint;
}
