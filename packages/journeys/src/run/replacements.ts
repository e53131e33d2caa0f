import { isObject } from "@waymark/openapi/json.ts";
import { decodePointer } from "@waymark/openapi/pointer.ts";
import type { ProgramBody } from "../program/program.ts";
import { cloneValue } from "../expressions/bytes.ts";
import { EngineError } from "../expressions/engine-error.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { parseJson } from "../expressions/exact-json.ts";
import { embeddedText } from "../expressions/embedded-text.ts";
import { evaluateValue, renderTemplate } from "../expressions/evaluate.ts";
import type { SelectorResults } from "../expressions/evaluate.ts";
import type { SelectorType } from "../expressions/ast.ts";
import type { Scope } from "../expressions/scope.ts";
import type { Shield } from "../secrets/shield.ts";
import { RequestError } from "./request-error.ts";

/** The payload with all replacements applied, in order. Doesn't change the document's value. @throws RequestError */
export async function applyReplacements(
  payload: unknown,
  body: ProgramBody,
  {
    scope,
    selected,
    evaluator,
    shield,
  }: { scope: Scope; selected: SelectorResults; evaluator: Evaluator; shield: Shield },
): Promise<unknown> {
  if (body.replacements.length === 0) return payload;
  const structure = parseStructure(payload);
  if (shield.whole(structure) !== structure) throw new RequestError(SECRET_STRUCTURE);
  let current = cloneValue(structure);
  // Followed by what is put into it: the shield remembers values, and this one changes.
  let isSecret = shield.holdsSecret(structure);
  for (const { target, type, value } of body.replacements) {
    const text = renderTemplate(target, scope);
    // Whether such a place exists would tell of the secret.
    if (shield.holdsSecret(text))
      throw new RequestError("The target of a replacement contains a secret: name the place without it.");
    if (type.type !== "jsonpointer" && isSecret) throw new RequestError(SECRET_PAYLOAD);
    const wanted = evaluateValue(value, scope, selected);
    isSecret ||= shield.holdsSecret(wanted);
    try {
      // A later replacement may change it, and it may be the document's own.
      current = await replace(current, { text, type, wanted: cloneValue(wanted ?? null), evaluator });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      throw new RequestError(`The replacement at ${text} can't be made: ${error.message}.`);
    }
  }
  return current;
}

const SECRET_STRUCTURE =
  "A replacement would take a secret apart that is JSON itself: put the value into the payload by an expression.";

const SECRET_PAYLOAD =
  "A replacement selects its place by a query, and the payload contains a secret: select it by a JSON pointer, or put the value into the payload by an expression.";

async function replace(
  payload: unknown,
  change: { text: string; type: SelectorType; wanted: unknown; evaluator: Evaluator },
): Promise<unknown> {
  const { text, wanted, evaluator } = change;
  const { type, version } = change.type;
  if (type === "xpath") {
    if (typeof payload !== "string") throw new EngineError("the payload is no XML text");
    return evaluator.replaceXPath(text, payload, embeddedText(wanted), version);
  }
  const tokens = type === "jsonpointer" ? decodePointer(text) : undefined;
  if (type === "jsonpointer" && tokens === undefined) throw new EngineError("it is no JSON pointer");
  const places = tokens === undefined ? await evaluator.locateJsonPath(text, payload, version) : [tokens];
  if (places.length === 0) throw new EngineError(NOTHING_THERE);
  let result = payload;
  for (const place of places) result = setAt(result, place, wanted);
  return result;
}

const NOTHING_THERE = "there is nothing at this place of the payload";

function setAt(root: unknown, place: readonly (string | number)[], wanted: unknown): unknown {
  const last = place.at(-1);
  if (last === undefined) return wanted;
  let container = root;
  for (const key of place.slice(0, -1)) container = childOf(container, key);
  if (Array.isArray(container)) {
    const isItem = /^(?:0|[1-9]\d*)$/.test(String(last)) && Number(last) < container.length;
    if (!isItem) throw new EngineError(NOTHING_THERE);
    container[Number(last)] = wanted;
  } else if (isObject(container) && Object.hasOwn(container, String(last))) {
    Object.defineProperty(container, String(last), {
      value: wanted,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else throw new EngineError(NOTHING_THERE);
  return root;
}

function childOf(container: unknown, key: string | number): unknown {
  if (Array.isArray(container)) {
    const items: unknown[] = container;
    return items[Number(key)];
  }
  return isObject(container) && Object.hasOwn(container, String(key)) ? container[String(key)] : undefined;
}

/** In a payload written as JSON text, replacements apply to the parsed structure. */
function parseStructure(payload: unknown): unknown {
  if (typeof payload !== "string" || !/^\s*[[{]/.test(payload)) return payload;
  try {
    return parseJson(payload);
  } catch {
    return payload;
  }
}
