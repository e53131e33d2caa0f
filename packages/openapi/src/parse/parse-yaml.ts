import { type Document, LineCounter, type YAMLError } from "yaml";
import { composeYaml, YamlLimitError, type YamlLimits } from "../compose-yaml.ts";
import { DocumentError } from "./parsed-document.ts";
import { sourceTree, type SourceTree } from "./source-tree.ts";
import { checkAliases } from "./yaml-aliases.ts";

/** Tags whose values JSON can't have. Such values are read as they stand in the text. */
const BEYOND_JSON = new Set(
  ["binary", "omap", "pairs", "set", "timestamp"].map((name) => `tag:yaml.org,2002:${name}`),
);

/**
 * Real specs have one token per 5 to 7 characters, so 10 MB of them stay below 2 million; `[[[[…` or `1,1,1,…` has ten
 * million and ended in 4 GB of memory and a crash.
 */
const YAML_LIMITS: YamlLimits = { tokens: 4_000_000, depth: 500 };
const FAULT_CHARS_MAX = 300;

export interface YamlReading extends SourceTree {
  value: unknown;
}

/**
 * Parses one YAML document in bounded time and memory. Duplicate keys: the last one counts, as in JSON.
 * @throws DocumentError with line and column
 */
export function parseYaml(text: string, name: string, limits = YAML_LIMITS): YamlReading {
  const lines = new LineCounter();
  const document = compose(text, { name, lines, limits });
  const [fault] = document.errors;
  if (fault !== undefined) {
    // The composer reports an exhausted stack as a fault of the document.
    if (fault.message.includes("call stack")) throw tooDeep(name, fault);
    throw syntaxError(name, fault, lines);
  }
  try {
    checkAliases(document, { name, lines });
    // Aliases share their anchor's value, so this is as large as the file; the parser's own limit refuses a plain
    // anchor that is used a hundred times.
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    return { value, ...sourceTree(document, { value, lines }) };
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(name, error);
    throw error;
  }
}

/** The syntax tree of a text that was parsed in another way, to the given value; undefined if it exceeds the limits. */
export function readTree(text: string, value: unknown): SourceTree | undefined {
  const lines = new LineCounter();
  try {
    return sourceTree(compose(text, { name: "", lines, limits: YAML_LIMITS }), { value, lines });
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

function compose(
  text: string,
  { name, lines, limits }: { name: string; lines: LineCounter; limits: YamlLimits },
): Document.Parsed {
  try {
    const [first, second] = composeYaml(text, {
      limits,
      lines,
      composer: {
        merge: true,
        logLevel: "silent",
        resolveKnownTags: false,
        // YAML 1.1 has these tags in its schema, and reads dates by itself.
        customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !BEYOND_JSON.has(tag.tag)),
      },
    });
    if (second !== undefined) {
      throw new DocumentError(`${name} holds several YAML documents; a scan reads a file with exactly one.`);
    }
    if (first === undefined)
      throw new DocumentError(`${name} is empty: there is no OpenAPI description in it.`);
    return first;
  } catch (error) {
    if (!(error instanceof YamlLimitError)) throw error;
    if (error.limit === "depth") throw tooDeep(name, error);
    throw new DocumentError(
      `${name} has more than ${limits.tokens} YAML tokens, which no OpenAPI file needs.`,
    );
  }
}

function syntaxError(name: string, fault: YAMLError, lines: LineCounter): DocumentError {
  const { line, col } = lines.linePos(fault.pos[0]);
  return new DocumentError(
    `${name}:${line}:${col} is neither JSON nor YAML: ${fault.message.slice(0, FAULT_CHARS_MAX)}`,
  );
}

function tooDeep(name: string, cause?: unknown): DocumentError {
  return new DocumentError(`${name} is nested too deeply to be read.`, { cause });
}
