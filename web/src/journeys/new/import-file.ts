import { importHar } from "@waymark/journey-authoring/exchange/har.ts";
import { importPostman } from "@waymark/journey-authoring/exchange/postman.ts";
import { parseDocument } from "@waymark/journeys/document/parse.ts";
import { isObject, ownString } from "@waymark/openapi/json.ts";

export type ImportedFile =
  | {
      ok: true;
      text: string;
      kind: "journey" | "overlay";
      title: string;
      /** Parts of the journey to check after the import. */
      notes: string[];
    }
  | { ok: false; message: string };

/**
 * Reads a journey from a file, whose format its content shows. Postman and HAR are converted, Arazzo and overlays are
 * not.
 */
export function importFile(name: string, text: string): ImportedFile {
  const title = titleOf(name);
  const foreign = text.trimStart().startsWith("{") ? foreignObject(text) : undefined;
  if (foreign !== undefined && "log" in foreign) return converted(importHar(text, { title }), title);
  if (foreign !== undefined && "item" in foreign) return converted(importPostman(text), title);
  const { raw, problems } = parseDocument(text, { file: name });
  if (raw === undefined)
    return { ok: false, message: `${name}, line ${problems[0]?.line ?? 1}: ${problems[0]?.message ?? ""}` };
  if (Object.hasOwn(raw, "openapi") || Object.hasOwn(raw, "swagger"))
    return {
      ok: false,
      message: `${name} is an OpenAPI description. Choose "From a scanned service" for it.`,
    };
  if (!Object.hasOwn(raw, "arazzo") && !Object.hasOwn(raw, "overlay"))
    return {
      ok: false,
      message: `${name} is no Arazzo document, overlay, Postman collection or HAR recording.`,
    };
  const kind = Object.hasOwn(raw, "overlay") && !Object.hasOwn(raw, "arazzo") ? "overlay" : "journey";
  return { ok: true, text, kind, title: ownString(raw["info"], "title") ?? title, notes: [] };
}

function converted(result: ReturnType<typeof importHar>, title: string): ImportedFile {
  return result.ok ? { ok: true, text: result.text, kind: "journey", title, notes: result.notes } : result;
}

function foreignObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** `Orders` of `Orders.postman_collection.json`. */
function titleOf(name: string): string {
  const stem = name.replace(
    /(?:\.postman_collection|\.journey|\.arazzo|\.overlay)?\.(?:json|har|ya?ml)$/i,
    "",
  );
  return stem === "" ? "Imported" : stem;
}
