/** Formats of numbers. */
export const NUMBER_FORMATS = new Set([
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "float",
  "double",
]);
/** Formats that only say how a value is shown. */
export const DISPLAY = new Set(["password", "textarea", "markdown", "html", "multiline"]);
/** Formats of texts with a syntax that is the same for everybody. */
export const TEXT_FORMATS = new Set([
  "date",
  "date-time",
  "time",
  "duration",
  "email",
  "idn-email",
  "hostname",
  "idn-hostname",
  "ipv4",
  "ipv6",
  "uri",
  "url",
  "uri-reference",
  "iri",
  "iri-reference",
  "uuid",
  "byte",
  "binary",
  "base64",
  "base64url",
  "json-pointer",
  "regex",
  "decimal",
]);

/** Expressions without repetitions inside repetitions: they take time in proportion to the text. */
const SYNTAX: Record<string, RegExp> = {
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  "date-time": /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/,
  time: /^\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/,
  uuid: /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
  email: /^[^@\s]+@[^@\s]+$/,
  ipv4: /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/,
  uri: /^[a-z][a-z\d+.-]*:\S*$/i,
  url: /^[a-z][a-z\d+.-]*:\S*$/i,
};

/** True if the text has the format; undefined if that is not known. */
export function matchesFormat(format: string, text: string): boolean | undefined {
  if (DISPLAY.has(format)) return true;
  const syntax = Object.hasOwn(SYNTAX, format) ? SYNTAX[format] : undefined;
  return syntax?.test(text);
}
