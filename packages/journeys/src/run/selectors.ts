import { decodePointer, resolvePointer } from "@waymark/openapi/pointer.ts";
import type { Engines } from "../criteria/engines.ts";
import { EngineError } from "../criteria/regex.ts";
import type { SelectorEngine } from "../expressions/evaluate.ts";

/** Applies Selector Objects with the engines that are loaded; what selects nothing or can't be applied is missing. */
export function selectWith(engines: Engines): SelectorEngine {
  return ({ type }, context, text) => {
    if (context === undefined || context === null) return undefined;
    try {
      if (type.type === "jsonpointer") return resolvePointer(context, decodePointer(text) ?? ["\0"]);
      if (type.type === "xpath") return engines.xpath?.selectText(text, context, type.version);
      const found = engines.jsonpath?.select(text, context, type.version) ?? [];
      return found.length > 1 ? found : found[0];
    } catch (error) {
      if (error instanceof EngineError) return undefined;
      throw error;
    }
  };
}
