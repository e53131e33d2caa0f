import type { Expression, Template } from "./ast.ts";
import { embeddedText } from "./embedded-text.ts";

/** Whether the text so far ends inside a string literal, and whether that has only just begun. */
interface Place {
  inString: boolean;
  begins: boolean;
}

/**
 * JSON text with its expressions replaced and everything else unchanged. Inside a string literal a value is escaped, so that it
 * can't end the literal. If a structure is the whole literal, it replaces it.
 */
export function renderJson(
  template: Template,
  evaluate: (expression: Expression) => unknown,
  assertLength: (length: number) => void,
): string {
  const written: string[] = [];
  let length = 0;
  const write = (text: string) => {
    length += text.length;
    assertLength(length);
    written.push(text);
  };
  let place: Place = { inString: false, begins: false };
  let skip = 0;
  for (const [index, part] of template.entries()) {
    if (typeof part === "string") {
      const rest = part.slice(skip);
      skip = 0;
      write(rest);
      place = placeAfter(rest, place.inString);
      continue;
    }
    const value = evaluate(part);
    const next = template[index + 1];
    const isWhole = place.begins && typeof next === "string" && next.startsWith('"');
    if (isWhole && typeof value === "object" && value !== null) {
      written.push((written.pop() ?? "").slice(0, -1));
      write(embeddedText(value));
      skip = 1;
      place = { inString: false, begins: false };
      continue;
    }
    write(place.inString ? JSON.stringify(embeddedText(value)).slice(1, -1) : embeddedText(value));
    place = { ...place, begins: false };
  }
  return written.join("");
}

function placeAfter(text: string, inStringBefore: boolean): Place {
  let inString = inStringBefore;
  let begins = false;
  for (let at = 0; at < text.length; at++) {
    begins = false;
    const char = text.charAt(at);
    if (inString && char === "\\") at++;
    else if (char === '"') {
      inString = !inString;
      begins = inString;
    }
  }
  return { inString, begins };
}
