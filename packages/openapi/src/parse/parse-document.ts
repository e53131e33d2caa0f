import { hasDuplicateKeys } from "./duplicate-json-keys.ts";
import { duplicatesInJson, lineInJson } from "./json-members.ts";
import { DocumentError } from "./parsed-document.ts";
import type { SourceTree } from "./source-tree.ts";
import type { ParsedDocument } from "./parsed-document.ts";

/**
 * Parses JSON or YAML, distinguished by content, because file extensions aren't reliable. A text that starts like JSON and
 * isn't valid, such as a flow mapping with comments, is parsed as YAML, which also reports the position of a fault.
 * @throws DocumentError with the line and column of the first fault
 */
export async function parseDocument(text: string, name: string): Promise<ParsedDocument> {
  const start = text.search(/\S/);
  if (start === -1) throw new DocumentError(`${name} is empty: there is no OpenAPI description in it.`);
  if (text[start] === "{" || text[start] === "[") {
    const value = parseJson(text);
    if (value !== undefined) return describeJson(text, value);
  }
  // Neither parser is loaded for a JSON spec.
  const { parsePlainYaml } = await import("./plain-yaml/parse-plain-yaml.ts");
  const plain = parsePlainYaml(text);
  if (plain !== undefined) {
    const { value, sourceText } = plain;
    return {
      value,
      format: "yaml",
      duplicateKeys: [],
      sourceText: async (container, key) => sourceText(container, key),
      lineOf: lateTree(text, value).lineOf,
    };
  }
  const { parseYaml } = await import("./parse-yaml.ts");
  const { value, duplicateKeys, sourceText, lineOf } = parseYaml(text, name);
  return {
    value,
    format: "yaml",
    duplicateKeys: duplicateKeys(),
    sourceText: async (container, key) => sourceText(container, key),
    lineOf: async (path) => lineOf(path),
  };
}

function describeJson(text: string, value: unknown): ParsedDocument {
  return {
    value,
    format: "json",
    duplicateKeys: hasDuplicateKeys(text, value) ? duplicatesInJson(text) : [],
    sourceText: lateTree(text, value).sourceText,
    lineOf: async (path) => lineInJson(text, path),
  };
}

/** Parses a text again only if its positions or writings are needed, because this takes ten times as long. JSON is YAML. */
function lateTree(text: string, value: unknown) {
  let tree: Promise<SourceTree | undefined> | undefined;
  const read = () => (tree ??= import("./parse-yaml.ts").then(({ readTree }) => readTree(text, value)));
  return {
    sourceText: async (container: object, key: string | number) => (await read())?.sourceText(container, key),
    lineOf: async (path: readonly string[]) => (await read())?.lineOf(path) ?? 1,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
