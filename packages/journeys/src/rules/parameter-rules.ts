import { ownString } from "@waymark/openapi/json.ts";
import { placedItems } from "./context.ts";
import type { Placed, RuleContext } from "./context.ts";
import { resolveReusable } from "./references.ts";

/** The kind of object that parameters are passed to. Parameters of a workflow have no location. */
export type ParameterReceiver = "operation" | "workflow" | "channel";

/** Names are unique per location, and the parameters of an operation have a location. */
export function parameterRules(context: RuleContext, holder: Placed, receiver: ParameterReceiver): void {
  const seen = new Set<string>();
  for (const item of placedItems(holder.value, "parameters", holder.pointer)) {
    const { pointer } = item;
    const parameter = resolveReusable(context, item, "parameters");
    const name = ownString(parameter, "name");
    if (name === undefined) continue;
    const location = receiver === "workflow" ? undefined : ownString(parameter, "in");
    if (receiver === "operation" && (location === undefined || location === "channel")) {
      const message = `Say where the parameter "${name}" goes: in: path, query, querystring, header or cookie.`;
      context.report(pointer, "parameter-without-location", message);
    }
    const key = parameterKey({ in: location, name });
    if (seen.has(key)) {
      context.report(pointer, "duplicate-parameter", `The parameter "${name}" is given twice: keep one.`);
    }
    seen.add(key);
    if (location === "header") headerRule(context, name, pointer);
  }
}

/** A `querystring` is the whole query: nothing else is beside it, of the step or of its workflow. */
export function queryRules(context: RuleContext, step: Placed, workflow: Placed): void {
  const silent = { ...context, report: () => {} };
  const located = [step, workflow].flatMap((holder) =>
    placedItems(holder.value, "parameters", holder.pointer).map(({ value, pointer }) => {
      const parameter = resolveReusable(silent, { value, pointer }, "parameters");
      return { in: ownString(parameter, "in"), name: ownString(parameter, "name"), pointer };
    }),
  );
  const whole = located.find((parameter) => parameter.in === "querystring");
  if (whole === undefined) return;
  const other = located.find(
    (parameter) =>
      parameter.in === "query" || (parameter.in === "querystring" && parameter.name !== whole.name),
  );
  if (other === undefined) return;
  const message = `The parameter "${whole.name}" is the whole query, so "${other.name}" can't be beside it.`;
  context.report(whole.pointer, "querystring-and-query", message);
}

/** Equal for parameters that override each other. Names of headers ignore case. */
export function parameterKey({ in: location = "", name }: { in?: string | undefined; name: string }): string {
  return `${location}:${location === "header" ? name.toLowerCase() : name}`;
}

/** Headers that a document can't set. */
function headerRule({ report }: RuleContext, name: string, pointer: string): void {
  switch (name.toLowerCase()) {
    case "host": {
      const message =
        "Host is that of the URL; a runner that guards its targets refuses another one. Give the server with --server.";
      return report(pointer, "host-header", message, "warning");
    }
    case "proxy-authorization": {
      const message =
        "Proxy-Authorization is never sent: the proxy is the choice of whoever runs the journey. Remove it.";
      return report(pointer, "proxy-authorization-header", message, "warning");
    }
    default:
  }
}
