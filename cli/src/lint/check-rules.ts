import type { Config } from "@redocly/openapi-core";
import { isObject, ownValue } from "@waymark/openapi/json.ts";
import { type CliError, usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";

const VERSIONS = ["oas2", "oas3_0", "oas3_1", "oas3_2"] as const;

/**
 * Returns the error of a ruleset that would find nothing and say nothing: none of its rules is on, or one is of a plugin that it doesn't
 * load. The rule engine itself refuses unknown rules of its own.
 */
export function checkRules(config: Config, name: string): CliError | undefined {
  const active = VERSIONS.flatMap((version) =>
    Object.entries(config.rules[version]).flatMap(([rule, setting]) => (isOn(setting) ? [rule] : [])),
  );
  const unknown = [...new Set(active)].filter((rule) => rule.includes("/") && !hasRule(config, rule));
  if (unknown.length > 0) {
    return usageError(`The ruleset ${name} has rules that nothing defines, so they would find nothing:`, {
      details: [
        ...unknown.slice(0, 10).map((rule) => printable(rule, 200)),
        "Name the plugin that has them under plugins, or remove them. Configurable rules begin with rule/.",
      ],
    });
  }
  if (active.length > 0) return undefined;
  const only = Object.keys(config.resolvedConfig.apis ?? {}).length > 0;
  return usageError(`The ruleset ${name} has no rule that is on, so linting would find nothing.`, {
    details: [
      only
        ? "The rules of an api, below apis, are not used: move them to the top."
        : "Add extends: [recommended], or rules.",
    ],
  });
}

/** True for a rule, or a group of configurable rules, that is not off. */
function isOn(setting: unknown): boolean {
  if (Array.isArray(setting)) return setting.some(isOn);
  return (isObject(setting) ? (ownValue(setting, "severity") ?? "error") : setting) !== "off";
}

function hasRule(config: Config, rule: string): boolean {
  const [id = ""] = rule.split("/");
  const plugin = config.plugins.find((each) => each.id === id);
  const families: readonly unknown[] = Object.values(plugin?.rules ?? {});
  return families.some((rules) => ownValue(rules, rule) !== undefined);
}
