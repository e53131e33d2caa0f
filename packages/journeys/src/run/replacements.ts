import type { ProgramBody } from "../compile/program.ts";
import type { Engines } from "../criteria/engines.ts";
import { EngineError } from "../criteria/regex.ts";
import { embeddedText, evaluateValue, renderTemplate } from "../expressions/evaluate.ts";
import { isObject } from "@waymark/openapi/json.ts";
import { decodePointer } from "@waymark/openapi/pointer.ts";
import type { Scope } from "../expressions/scope.ts";
import { RequestError } from "./request-error.ts";
import { selectWith } from "./selectors.ts";

/** The payload with every replacement made, in order. The document's own value is never changed. @throws RequestError */
export function applyReplacements(
  payload: unknown,
  body: ProgramBody,
  { scope, engines }: { scope: Scope; engines: Engines },
): unknown {
  if (body.replacements.length === 0) return payload;
  let current = structuredClone(parseStructure(payload));
  for (const { target, type, value } of body.replacements) {
    const text = renderTemplate(target, scope);
    const wanted = evaluateValue(value, scope, selectWith(engines));
    try {
      current = replace(current, { text, type: type.type, wanted: wanted ?? null, engines });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      throw new RequestError(`The replacement at ${text} can't be made: ${error.message}.`);
    }
  }
  return current;
}

function replace(
  payload: unknown,
  change: { text: string; type: "jsonpath" | "xpath" | "jsonpointer"; wanted: unknown; engines: Engines },
): unknown {
  const { text, type, wanted, engines } = change;
  if (type === "xpath") {
    if (typeof payload !== "string") throw new EngineError("the payload is no XML text");
    return engines.xpath?.replace(text, payload, embeddedText(wanted));
  }
  const tokens = type === "jsonpointer" ? decodePointer(text) : undefined;
  if (type === "jsonpointer" && tokens === undefined) throw new EngineError("it is no JSON pointer");
  const places = tokens === undefined ? (engines.jsonpath?.locate(text, payload) ?? []) : [tokens];
  let result = payload;
  for (const place of places) result = setAt(result, place, wanted);
  return result;
}

function setAt(root: unknown, place: readonly (string | number)[], wanted: unknown): unknown {
  const last = place.at(-1);
  if (last === undefined) return wanted;
  let container = root;
  for (const key of place.slice(0, -1)) container = childOf(container, key);
  if (Array.isArray(container)) {
    const index = last === "-" ? container.length : Number(last);
    if (!Number.isInteger(index) || index < 0 || index > container.length)
      throw new EngineError("there is no such item");
    container[index] = wanted;
  } else if (isObject(container)) {
    Object.defineProperty(container, String(last), {
      value: wanted,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else throw new EngineError("there is no such place in the payload");
  return root;
}

function childOf(container: unknown, key: string | number): unknown {
  if (Array.isArray(container)) {
    const items: unknown[] = container;
    return items[Number(key)];
  }
  return isObject(container) && Object.hasOwn(container, String(key)) ? container[String(key)] : undefined;
}

/** A payload that is written as JSON text is replaced in as the structure it is. */
function parseStructure(payload: unknown): unknown {
  if (typeof payload !== "string" || !/^\s*[[{]/.test(payload)) return payload;
  try {
    const value: unknown = JSON.parse(payload);
    return value;
  } catch {
    return payload;
  }
}
