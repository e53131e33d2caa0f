import { ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { childPointer } from "@waymark/openapi/pointer.ts";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { placed, textsOf } from "./outline-parts.ts";

const LISTS = ["onFailure", "onSuccess"] as const;

/** An action after a step. */
export interface ActionRow {
  list: (typeof LISTS)[number];
  pointer: Pointer;
  value: JsonObject;
  name: string;
  type: string;
  /** The step that a jump goes to; undefined if it goes to another workflow. */
  stepId: string | undefined;
  /** Its only condition; undefined if it has several, or one of another type than simple. */
  condition: string | undefined;
  /** The number of actions of the list. */
  count: number;
}

/** The parts of a step that control its repetition and the next step. */
export interface FlowRows {
  actions: ActionRow[];
  poll: { pointer: Pointer; value: JsonObject; until: string; failWhen: string } | undefined;
}

export function flowRowsOf(step: JsonObject, pointer: Pointer): FlowRows {
  const extension = childPointer(pointer, "x-journey");
  const poll = ownObject(ownValue(step, "x-journey"), "poll");
  return {
    actions: LISTS.flatMap((list) =>
      placed(step, list, pointer)
        .filter(([value]) => !Object.hasOwn(value, "reference"))
        .map(([value, at]): ActionRow => ({
          list,
          pointer: at,
          value,
          name: ownString(value, "name") ?? "",
          type: ownString(value, "type") ?? "",
          stepId: Object.hasOwn(value, "workflowId") ? undefined : (ownString(value, "stepId") ?? ""),
          condition: onlyCondition(value),
          count: ownArray(step, list).length,
        })),
    ),
    poll: poll && {
      pointer: childPointer(extension, "poll"),
      value: poll,
      until: ownString(poll, "until") ?? "",
      failWhen: ownString(poll, "failWhen") ?? "",
    },
  };
}

function onlyCondition(action: JsonObject): string | undefined {
  const [first, ...others] = ownArray(action, "criteria");
  if (first === undefined) return "";
  const isSimple = others.length === 0 && ownValue(first, "type") === undefined;
  return isSimple ? ownString(first, "condition") : undefined;
}

/** Describes in words how a step is repeated, and which step follows. */
export function flowOf(step: JsonObject): string[] {
  const poll = ownObject(ownValue(step, "x-journey"), "poll");
  const dependsOn = textsOf(step, "dependsOn");
  return [
    ...ownArray(step, "onSuccess").map((action) => `On success: ${describeAction(action)}`),
    ...ownArray(step, "onFailure").map((action) => `On failure: ${describeAction(action)}`),
    ...(poll === undefined
      ? []
      : [
          `Polls every ${fieldOf(poll, "everyMs")} ms, for up to ${fieldOf(poll, "maxMs")} ms, until ${fieldOf(poll, "until")}`,
        ]),
    ...(dependsOn.length === 0 ? [] : [`After: ${dependsOn.join(", ")}`]),
  ];
}

function describeAction(action: JsonValue): string {
  const reference = ownString(action, "reference");
  if (reference !== undefined) return reference;
  const target = ownString(action, "stepId") ?? ownString(action, "workflowId");
  const when = ownArray(action, "criteria").map((criterion) => ownString(criterion, "condition") ?? "");
  const condition = when.length === 0 ? "" : `, if ${when.join(" and ")}`;
  switch (ownString(action, "type")) {
    case "retry": {
      const limit = ownValue(action, "retryLimit") ?? 1;
      const after = ownValue(action, "retryAfter");
      return `retry up to ${JSON.stringify(limit)}×${after === undefined ? "" : ` after ${JSON.stringify(after)} s`}${condition}`;
    }
    case "goto":
      return `go to ${target ?? ""}${condition}`;
    default:
      return `end${condition}`;
  }
}

function fieldOf(value: JsonObject, key: string): string {
  const found = value[key];
  return typeof found === "string" ? found : JSON.stringify(found ?? "");
}
