import { duplicateJsonKeys } from "./duplicate-json-keys.ts";
import { DocumentError } from "./parsed-document.ts";
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
    if (value !== undefined) {
      const duplicateKeys = (member: string) => duplicateJsonKeys(text, value, member);
      return { value, sourceText: () => undefined, duplicateKeys };
    }
  }
  // Neither parser is loaded for a JSON spec.
  const { parsePlainYaml } = await import("./plain-yaml/parse-plain-yaml.ts");
  const plain = parsePlainYaml(text);
  if (plain !== undefined) return plain;
  const { parseYaml } = await import("./parse-yaml.ts");
  return parseYaml(text, name);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
