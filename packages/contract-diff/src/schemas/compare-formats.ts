import { DISPLAY, NUMBER_FORMATS, TEXT_FORMATS } from "./formats.ts";
import type { Finding } from "./pair-result.ts";
import type { Shape } from "./shape.ts";

/** Formats whose values all are values of the second one. */
const WIDER = new Set([
  "int8 int16",
  "int8 int32",
  "int8 int64",
  "int16 int32",
  "int16 int64",
  "int32 int64",
  "float double",
  "uint8 uint16",
  "uint8 uint32",
  "uint8 uint64",
  "uint16 uint32",
  "uint32 uint64",
  "uint16 uint64",
  "email idn-email",
  "hostname idn-hostname",
  "uri uri-reference",
  "uri iri",
  "uri url",
  "url uri",
  "iri iri-reference",
]);
export function compareNumberFormats(old: Shape, next: Shape): Finding[] {
  const formats = [old, next].map(({ numberFormat }) =>
    numberFormat !== undefined && DISPLAY.has(numberFormat) ? undefined : numberFormat,
  );
  const known = formats.every((format) => format === undefined || NUMBER_FORMATS.has(format));
  return compareFormat(formats[0], formats[1], known);
}

export function compareTextFormats(old: ReadonlySet<string>, next: ReadonlySet<string>): Finding[] {
  const before = [...old].filter((format) => !next.has(format) && !DISPLAY.has(format));
  const after = [...next].filter((format) => !old.has(format) && !DISPLAY.has(format));
  const known = [...before, ...after].every((format) => TEXT_FORMATS.has(format));
  return compareFormat(before[0], after[0], known);
}

/** A format that comes or goes is an annotation to most validators; one that changes is another syntax. */
function compareFormat(before: string | undefined, after: string | undefined, known: boolean): Finding[] {
  if (before === after) return [];
  const shown = { keyword: "format", before: formatText(before), after: formatText(after) };
  if (before === undefined) {
    return [{ kind: "format-added", effect: "narrow", ...shown, levels: { request: "maybe" } }];
  }
  if (after === undefined) {
    return [{ kind: "format-removed", effect: "widen", ...shown, levels: { response: "maybe" } }];
  }
  if (WIDER.has(`${before} ${after}`)) return [{ kind: "format-widened", effect: "widen", ...shown }];
  if (WIDER.has(`${after} ${before}`)) return [{ kind: "format-narrowed", effect: "narrow", ...shown }];
  return [{ kind: "format-changed", effect: known ? "both" : "unknown", ...shown }];
}

function formatText(format: string | undefined): string | undefined {
  return format === undefined ? undefined : `format: ${format}`;
}
