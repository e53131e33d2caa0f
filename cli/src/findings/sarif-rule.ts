import { ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { Severity } from "@waymark/shared/scans/schema.ts";

const LEVELS: Readonly<Record<string, Severity>> = {
  error: "high",
  warning: "medium",
  note: "low",
  none: "info",
};

/** Returns the rule of a result: by its index, else by its id, of the tool itself or of one of its extensions. */
export function ruleOf(result: unknown, run: unknown): unknown {
  const reference = ownObject(result, "rule");
  const tool = ownObject(run, "tool");
  const component = ownValue(ownObject(reference, "toolComponent"), "index");
  const owner =
    component === undefined ? ownObject(tool, "driver") : ownArray(tool, "extensions")[Number(component)];
  const rules = ownArray(owner, "rules");
  const index = ownValue(reference, "index") ?? ownValue(result, "ruleIndex");
  const byIndex = rules[Number(index ?? -1)];
  if (byIndex !== undefined) return byIndex;
  const id = ownString(result, "ruleId") ?? ownString(reference, "id");
  if (id === undefined) return undefined;
  // The id of a result may have more than that of its rule: `CA1000/1` is of the rule `CA1000`.
  const named = (name: string) => rules.find((rule) => ownString(rule, "id") === name);
  return named(id) ?? named(id.replace(/\/[^/]*$/, ""));
}

/** Returns the id of a result's rule. */
export function idOf(result: unknown, rule: unknown): string | undefined {
  return ownString(result, "ruleId") ?? ownString(ownObject(result, "rule"), "id") ?? ownString(rule, "id");
}

/**
 * Returns the severity of a result. GitHub's `security-severity` of the rule wins. Otherwise the level is that of the result, of the
 * run's configuration of the rule, or of the rule; without any of them it is a warning.
 */
export function severityOf(result: unknown, rule: unknown, run: unknown): Severity {
  const score = Number(ownValue(ownObject(rule, "properties"), "security-severity") ?? Number.NaN);
  if (score > 0) return securitySeverity(score);
  const kind = ownString(result, "kind") ?? "fail";
  const level =
    ownString(result, "level") ??
    (kind === "fail"
      ? (overriddenLevel(result, rule, run) ?? levelOf(ownObject(rule, "defaultConfiguration")))
      : "none");
  return LEVELS[level ?? "warning"] ?? "medium";
}

function securitySeverity(score: number): Severity {
  if (score >= 9) return "critical";
  if (score >= 7) return "high";
  return score >= 4 ? "medium" : "low";
}

function levelOf(configuration: unknown): string | undefined {
  return ownString(configuration, "level");
}

function overriddenLevel(result: unknown, rule: unknown, run: unknown): string | undefined {
  const index = Number(ownValue(ownObject(result, "provenance"), "invocationIndex") ?? 0);
  const overrides = ownArray(ownArray(run, "invocations")[index], "ruleConfigurationOverrides");
  const id = ownString(rule, "id");
  const own = overrides.find((each) => {
    const descriptor = ownObject(each, "descriptor");
    const named = ownString(descriptor, "id");
    if (named !== undefined) return named === id;
    const rules = ownArray(ownObject(ownObject(run, "tool"), "driver"), "rules");
    return rule !== undefined && rules[Number(ownValue(descriptor, "index") ?? -1)] === rule;
  });
  return levelOf(ownObject(own, "configuration"));
}

/** Returns the text of a result's message, which may be a template of its rule or of its tool. */
export function messageOf(result: unknown, rule: unknown, run: unknown): string {
  const message = ownObject(result, "message");
  const id = ownString(message, "id");
  const shared = ownObject(ownObject(ownObject(run, "tool"), "driver"), "globalMessageStrings");
  const template =
    id === undefined
      ? undefined
      : textOf(ownValue(ownObject(rule, "messageStrings"), id) ?? ownValue(shared, id));
  const text = textOf(message) ?? template;
  if (text === undefined) {
    return (
      textOf(ownValue(rule, "shortDescription")) ??
      textOf(ownValue(rule, "fullDescription")) ??
      ownString(rule, "name") ??
      ""
    );
  }
  const values = ownArray(message, "arguments");
  if (values.length === 0) return text;
  return text.replaceAll(/\{(\d+)\}/g, (place, index: string) => {
    const value = values[Number(index)];
    return typeof value === "string" ? value : place;
  });
}

function textOf(message: unknown): string | undefined {
  return ownString(message, "text") ?? ownString(message, "markdown");
}

/** Returns the address of a rule's documentation. */
export function helpOf(rule: unknown): string | undefined {
  const address = ownString(rule, "helpUri");
  return address !== undefined && /^https?:\/\//i.test(address) ? address : undefined;
}
