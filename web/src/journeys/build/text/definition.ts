import type { Pointer } from "@waymark/openapi/pointer.ts";
import type { Name, Names } from "./names.ts";

/**
 * Returns the place that declares the name at an offset of a text. Undefined without a name, or if it is in another
 * document.
 */
export function definitionAt(text: string, offset: number, names: Names): Pointer | undefined {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const lineEnd = text.indexOf("\n", offset);
  const line = text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd);
  const at = offset - lineStart;
  for (const match of line.matchAll(/[$A-Za-z0-9_.#/-]+/g))
    if (match.index <= at && at <= match.index + match[0].length) return placeOf(match[0], names);
  return undefined;
}

function placeOf(word: string, names: Names): Pointer | undefined {
  const [, root, name = "", rest = ""] =
    /^\$(steps|inputs|vars|sourceDescriptions)\.([A-Za-z0-9_-]+)(.*)$/.exec(word) ?? [];
  switch (root) {
    case "steps": {
      const output = /^\.outputs\.([A-Za-z0-9_-]+)/.exec(rest)?.[1];
      return find(names.outputs, `${name}.${output}`) ?? find(names.steps, name);
    }
    case "inputs":
      return find(names.inputs, name);
    case "vars":
      return find(names.variables, name);
    case "sourceDescriptions":
      return find(names.sources, name);
    default:
      return find(names.proofs, word) ?? find(names.steps, word) ?? find(names.workflows, word);
  }
}

function find(list: readonly Name[], wanted: string): Pointer | undefined {
  return list.find(({ name }) => name === wanted)?.pointer;
}
