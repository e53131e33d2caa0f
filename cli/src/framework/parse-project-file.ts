import { TEAM_LIMITS } from "@waymark/shared/principals/teams/limits.ts";
import { DECISION_LIMITS } from "@waymark/shared/scans/finding-decisions/limits.ts";
import { DecisionKind } from "@waymark/shared/scans/finding-decisions/schema.ts";
import { HttpMethod, Severity } from "@waymark/shared/scans/schema.ts";
import { PolicySeverity } from "@waymark/shared/scans/severity-policy/schema.ts";
import { parse, YAMLParseError } from "yaml";
import { z } from "zod";
import { usageError } from "../lib/cli-error.ts";

/** The gates that are on or off. Each is a setting below `gates`, and an option such as `--fail-on-removed`. */
export const SWITCH_GATES = ["failOnRemoved", "failOnBrokenJourneys"] as const;
export type SwitchGate = (typeof SWITCH_GATES)[number];

/** Returns each gate that is on or off with what a function says of it. */
export function switchGates<Value>(valueOf: (gate: SwitchGate) => Value): Record<SwitchGate, Value> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the list
  return Object.fromEntries(SWITCH_GATES.map((gate) => [gate, valueOf(gate)])) as Record<SwitchGate, Value>;
}

const Owner = z
  .string()
  .max(TEAM_LIMITS.handleMax)
  .regex(
    /^([a-z][a-z0-9-]*|@[\w.-]+(\/[\w.-]+)*)$/,
    "must be the slug of a team, such as payments, or one of its handles, such as @acme/payments",
  );

const ProjectFile = z.strictObject({
  service: z.string().optional(),
  owner: Owner.optional(),
  serviceFrom: z.enum(["title", "file"]).optional(),
  spec: z.string().optional(),
  services: z
    .array(z.strictObject({ service: z.string().min(1), spec: z.string().min(1), owner: Owner.optional() }))
    .min(1)
    .max(1_000)
    .optional(),
  url: z.string().optional(),
  defaultBranch: z.string().optional(),
  longLivedBranches: z.array(z.string().min(1)).optional(),
  description: z.boolean().optional(),
  lint: z.boolean().optional(),
  rules: z.string().optional(),
  severities: z.record(z.string(), PolicySeverity).optional(),
  gates: z
    .strictObject({
      failOn: Severity.optional(),
      newOnly: z.boolean().optional(),
      ...switchGates(() => z.boolean().optional()),
    })
    .optional(),
  decisions: z
    .array(
      z.strictObject({
        rule: z.string().min(1),
        path: z.string().optional(),
        method: HttpMethod.optional(),
        kind: DecisionKind.default("accepted_risk"),
        maxSeverity: Severity.default("critical"),
        reason: z
          .string()
          .max(DECISION_LIMITS.reasonMax)
          .refine((reason) => reason.trim() !== "", "must not be blank"),
        until: z.iso.date("must be a day such as 2027-03-31"),
      }),
    )
    .max(1_000)
    .optional(),
  contract: z
    .strictObject({
      failOn: z.enum(["breaking", "maybe"]).optional(),
      levels: z.record(z.string(), z.enum(["breaking", "maybe", "safe"])).optional(),
      noticeDays: z.record(z.string(), z.int().min(0).max(3650)).optional(),
      ignores: z
        .array(
          z.strictObject({
            id: z.string(),
            operation: z.string().optional(),
            reason: z.string().min(1),
            until: z.iso.date().optional(),
          }),
        )
        .optional(),
    })
    .optional(),
  environments: z
    .record(
      z.string(),
      z.strictObject({
        servers: z.record(z.string(), z.url({ protocol: /^https?$/ })).optional(),
        variables: z.record(z.string(), z.record(z.string(), z.string())).optional(),
        inputs: z.record(z.string(), z.json()).optional(),
      }),
    )
    .optional(),
});
export type ProjectFile = z.infer<typeof ProjectFile>;

/**
 * Parses the text of a `waymark.yaml`, called `name` in messages.
 * @throws {CliError} that names every unknown or wrong field, an API key most of all
 */
export function parseProjectFile(text: string, name: string): ProjectFile {
  let value: unknown;
  try {
    // Node would print the parser's warnings, with the line that they are about.
    value = parse(text, { logLevel: "error" }) ?? {};
  } catch (error) {
    const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
    throw usageError(`${name}${line === undefined ? "" : `:${line}`} is not valid YAML.`, {
      cause: error,
    });
  }
  const parsed = ProjectFile.safeParse(value);
  if (parsed.success) {
    const { services, ...rest } = parsed.data;
    if (services !== undefined && (rest.service ?? rest.serviceFrom ?? rest.spec) !== undefined)
      throw usageError(`${name} is not valid: services stands instead of service, serviceFrom and spec.`);
    return parsed.data;
  }
  throw usageError(`${name} is not valid:`, { details: parsed.error.issues.map(describeIssue) });
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const location = issue.path.join(".");
  if (issue.code !== "unrecognized_keys")
    return `${location === "" ? "the file" : location}: ${issue.message}`;
  const secret = issue.keys.find((key) => /key|token|secret/i.test(key));
  if (secret !== undefined) {
    return `"${secret}" doesn't belong here: the API key is never kept in a file of the project. Use SERVICE_API_KEY.`;
  }
  return `unknown field ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}${location === "" ? "" : ` in ${location}`}`;
}
