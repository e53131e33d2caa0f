import { ownString } from "@waymark/openapi/json.ts";
import type { JsonObject } from "@waymark/openapi/json.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { placedItems } from "./context.ts";
import type { LintContext } from "./context.ts";

const WARNINGS: Record<string, { code: string; message: string }> = {
  host: {
    code: "host-header",
    message:
      "Host is that of the URL; a runner that guards its targets refuses another one. Give the server with --server.",
  },
  "proxy-authorization": {
    code: "proxy-authorization-header",
    message:
      "Proxy-Authorization is never sent: the proxy is the choice of whoever runs the journey. Remove it.",
  },
};

/** Headers that a document has no say in. */
export function headerRules(context: LintContext, holder: JsonObject, pointer: Pointer): void {
  for (const { value, pointer: at } of placedItems(holder, "parameters", pointer)) {
    const name = ownString(value, "name")?.toLowerCase() ?? "";
    if (ownString(value, "in") !== "header" || !Object.hasOwn(WARNINGS, name)) continue;
    const { code = "", message = "" } = WARNINGS[name] ?? {};
    context.report("warning", code, message, at);
  }
}
