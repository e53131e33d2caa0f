import { isObject, ownObject, ownValue } from "@waymark/openapi/json.ts";
import { DocumentError } from "@waymark/openapi/parse/parsed-document.ts";
import { parseDocument } from "@waymark/openapi/parse/parse-document.ts";
import { type CliError, usageError } from "../lib/cli-error.ts";
import { printable } from "../lib/text.ts";

/** Fields that only rulesets of Spectral have. vacuum reads the same files. */
const SPECTRAL_FIELDS = ["aliases", "formats", "functions", "functionsDir", "overrides", "parserOptions"];

/**
 * Returns the error of a ruleset that the rule engine can't say: it fails without a reason on an `extends` that is no list, and
 * calls each rule of Spectral unexpected.
 */
export async function checkRuleset(text: string, name: string): Promise<CliError | undefined> {
  if (/\.[cm]?[jt]s$/i.test(name)) return foreign(name, "code");
  let ruleset: unknown;
  try {
    ruleset = (await parseDocument(text, name)).value;
  } catch (error) {
    // The rule engine says what is wrong with the syntax, and accepts an empty file.
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
  if (isSpectral(ruleset)) return foreign(name, "a ruleset of Spectral");
  for (const [field, value] of extendsOf(ruleset)) {
    if (Array.isArray(value) && value.every((each) => typeof each === "string")) continue;
    const example = typeof value === "string" ? printable(value, 100) : "recommended";
    return usageError(
      `The ruleset ${name} is not valid: ${field} must be a list of texts, such as [${example}].`,
    );
  }
  return undefined;
}

/** Returns the rules whose level a ruleset itself gives, not one that it extends. */
export async function rulesNamedIn(text: string, name: string): Promise<string[]> {
  try {
    const { value } = await parseDocument(text, name);
    const apis = Object.values(ownObject(value, "apis") ?? {});
    return [value, ...apis].flatMap(rulesOf);
  } catch (error) {
    if (error instanceof DocumentError) return [];
    throw error;
  }
}

/** Rules of one version of OpenAPI are below such names as `oas3_1Rules`. */
function rulesOf(ruleset: unknown): string[] {
  if (!isObject(ruleset)) return [];
  const fields = Object.keys(ruleset).filter((field) => /rules$/i.test(field));
  return fields.flatMap((field) => Object.keys(ownObject(ruleset, field) ?? {}));
}

function foreign(name: string, form: string): CliError {
  const ruleset = shellWord(name);
  return usageError(
    `The ruleset ${name} is ${form}, and Waymark reads rulesets in the form of Redocly's redocly.yaml.`,
    {
      details: [
        "Run Spectral, and submit what it finds:",
        `  npx @stoplight/spectral-cli lint openapi.yaml --ruleset ${ruleset} --format json --output spectral.json || [ $? -eq 1 ]`,
        "  waymark scan --spec openapi.yaml --findings spectral.json",
        "Or write the rules as configurable rules in a redocly.yaml: https://redocly.com/docs/cli/rules/configurable-rules",
      ],
    },
  );
}

/** Returns a text as one word for a shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function isSpectral(ruleset: unknown): boolean {
  if (SPECTRAL_FIELDS.some((field) => ownValue(ruleset, field) !== undefined)) return true;
  if (JSON.stringify(ownValue(ruleset, "extends") ?? "").includes('"spectral:')) return true;
  return Object.values(ownObject(ruleset, "rules") ?? {}).some(
    (rule) => ownValue(rule, "then") !== undefined,
  );
}

/** Lists the values of `extends` with their places. */
function extendsOf(ruleset: unknown): [string, unknown][] {
  const apis = Object.entries(ownObject(ruleset, "apis") ?? {});
  const all: [string, unknown][] = [
    ["extends", ownValue(ruleset, "extends")],
    ...apis.map(([name, api]): [string, unknown] => [
      `extends of the api ${printable(name, 60)}`,
      ownValue(api, "extends"),
    ]),
  ];
  return all.filter(([, value]) => value !== undefined);
}
