import type { z } from "zod";
import type { DocumentKind as Kind } from "./schema.ts";

export type DocumentKind = z.infer<typeof Kind>;

const KINDS: Readonly<Record<string, DocumentKind>> = {
  arazzo: "journey",
  overlay: "overlay",
  openapi: "openapi",
  swagger: "openapi",
};
/** The first of the four members with which these documents begin, at the start of a line or of a JSON object's member. */
const FIRST_MEMBER = /(?:^\uFEFF?|[{,\n])[ \t]*["']?(arazzo|overlay|openapi|swagger)["']?[ \t]*:/;
const BY_NAME: readonly (readonly [RegExp, DocumentKind])[] = [
  [/[.]overlay[.](ya?ml|json)$/i, "overlay"],
  [/[.](journey|arazzo)[.](ya?ml|json)$/i, "journey"],
];
const CHARS_MAX = 64 * 1024;

/** The kind of a document, without parsing it. What is none of the others is a part of a description. */
export function documentKind(path: string, text: string): DocumentKind {
  const member = FIRST_MEMBER.exec(text.slice(0, CHARS_MAX))?.[1];
  if (member !== undefined) return KINDS[member] ?? "openapi";
  return BY_NAME.find(([pattern]) => pattern.test(path))?.[1] ?? "openapi";
}
