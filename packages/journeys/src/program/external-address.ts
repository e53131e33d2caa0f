import type { Template } from "../expressions/ast.ts";

/** Stands for what a run puts into an address. */
export const UNKNOWN = "{…}";

/** Returns the address of an `x-operation` as a program has it: without what comes from values. */
export function externalAddress(template: Template): string {
  return template.map((part) => (typeof part === "string" ? part : UNKNOWN)).join("");
}

/** Returns the origin that was called and the path as the program has it, so that calls for many values are one. */
export function calledAddress(called: URL, template: Template): string {
  const [address = ""] = externalAddress(template).split(/[?#]/, 1);
  const path = /^[a-z][a-z0-9+.-]*:\/\/[^/]*(.*)$/is.exec(address)?.[1] ?? address;
  return called.origin + (path === "" || path.startsWith("/") ? path : `/${path}`);
}
