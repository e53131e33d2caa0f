import { type Document, isMap, isScalar, LineCounter, type Pair, type YAMLError } from "yaml";
import { composeYaml, YamlLimitError, type YamlLimits } from "../compose-yaml.ts";
import { DocumentError } from "./parsed-document.ts";
import type { ParsedDocument } from "./parsed-document.ts";
import { checkAliases } from "./yaml-aliases.ts";

/**
 * Real specs have one token per 5 to 7 characters, so 10 MB of them stay below 2 million; `[[[[…` or `1,1,1,…` has ten
 * million and ended in 4 GB of memory and a crash.
 */
const YAML_LIMITS: YamlLimits = { tokens: 4_000_000, depth: 500 };
const FAULT_CHARS_MAX = 300;

/**
 * Parses one YAML document in bounded time and memory. Duplicate keys: the last one counts, as in JSON.
 * @throws DocumentError with line and column
 */
export function parseYaml(text: string, name: string, limits = YAML_LIMITS): ParsedDocument {
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
    return {
      value,
      sourceText: (path) => scalarText(document, path),
      duplicateKeys: (member) => duplicateKeys(memberNode(document.contents, member)),
    };
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(name, error);
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
      composer: { merge: true, logLevel: "silent" },
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

function scalarText(document: Document.Parsed, path: readonly string[]): string | undefined {
  let node: unknown = document.contents;
  for (const key of path) node = memberNode(node, key);
  return isScalar(node) ? node.source : undefined;
}

/** If a key occurs twice, the last one is used. */
function memberNode(node: unknown, key: string): unknown {
  const isNext = (pair: Pair) => isScalar(pair.key) && pair.key.value === key;
  return isMap(node) ? node.items.findLast(isNext)?.value : undefined;
}

function duplicateKeys(node: unknown): string[] {
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const { key } of isMap(node) ? node.items : []) {
    const name = isScalar(key) ? String(key.value) : "";
    if (seen.has(name)) duplicates.add(name);
    seen.add(name);
  }
  return [...duplicates];
}
