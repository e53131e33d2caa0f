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
  const [, scheme = "", authority = "", rest = address] =
    /^([a-z][a-z0-9+.-]*:\/\/)([^/]*)(.*)$/is.exec(address) ?? [];
  const path = afterHost(called, scheme, authority) + rest;
  return called.origin + (path === "" || path.startsWith("/") ? path : `/${path}`);
}

/** Returns what follows the host in an authority: a value directly after the whole host is where the path begins. */
function afterHost(called: URL, scheme: string, authority: string): string {
  const at = authority.indexOf(UNKNOWN);
  const host = authority.slice(0, Math.max(at, 0));
  // After a colon, the value is the port.
  if (host === "" || host.endsWith(":") || !URL.canParse(scheme + host)) return "";
  return new URL(scheme + host).host === called.host ? authority.slice(at) : "";
}
