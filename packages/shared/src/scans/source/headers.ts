import { z } from "zod";
import {
  ofSourceFields,
  type ScanSource,
  type SOURCE_FIELDS,
  type SourceField,
  type SourceFieldName,
  type SubmittedSource,
} from "./schema.ts";

type HeaderOf<Name extends SourceFieldName> = (typeof SOURCE_FIELDS)[Name]["header"];
type SourceHeaderSchemas = {
  [Name in SourceFieldName as HeaderOf<Name>]: z.ZodOptional<z.ZodType<string, string>>;
};
type SourceHeaders = { [Name in SourceFieldName as HeaderOf<Name>]?: string | undefined };

/** The headers that say where a scan comes from. */
export const SOURCE_HEADERS = headerSchemas();

/**
 * The bytes that the headers of a source may have together. Servers and proxies refuse requests with more than about 16 kB of headers,
 * and a scan must not be lost because of the names of branches.
 */
const HEADER_BYTES_MAX = 12_000;

/** Returns the source that valid headers describe; null without any of them. */
export function sourceOf(headers: SourceHeaders): ScanSource | null {
  const sent: Readonly<Record<string, unknown>> = headers;
  const source = ofSourceFields((field) => {
    const value = sent[field.header];
    return typeof value === "string" ? (field.isEncoded ? (decoded(value) ?? null) : value) : null;
  });
  return Object.values(source).every((value) => value === null) ? null : source;
}

/** Returns the headers of a source. The last fields are left out if they would make the headers too long. */
export function sourceHeadersOf(source: SubmittedSource): Record<string, string> {
  const headers: Record<string, string> = {};
  let bytes = 0;
  ofSourceFields(({ header, isEncoded }, name) => {
    const value = source[name];
    if (value === undefined) return;
    const written = isEncoded ? encodeURIComponent(value) : value;
    bytes += header.length + written.length;
    if (bytes <= HEADER_BYTES_MAX) headers[header] = written;
  });
  return headers;
}

function headerSchemas(): SourceHeaderSchemas {
  const schemas = Object.values(
    ofSourceFields((field) => [field.header, headerSchema(field).optional()] as const),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the fields
  return Object.fromEntries(schemas) as SourceHeaderSchemas;
}

function headerSchema({ isEncoded, value, description }: SourceField): z.ZodType<string, string> {
  if (!isEncoded) return value.meta({ description });
  return z
    .string()
    .check((ctx) => {
      const text = decoded(ctx.value);
      const problem =
        text === undefined
          ? "must be percent-encoded UTF-8"
          : value.safeParse(text).error?.issues[0]?.message;
      if (problem !== undefined) ctx.issues.push({ code: "custom", message: problem, input: ctx.value });
    })
    .meta({ description: `${description} Percent-encoded.` });
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
