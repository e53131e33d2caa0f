import { bytesAsText } from "../expressions/bytes.ts";
import { ownValue } from "@waymark/openapi/json.ts";
import { EvaluationLimit } from "../expressions/engine-error.ts";
import { isJson } from "../openapi/body.ts";
import type { Operation, ResponseRule } from "../openapi/operation.ts";
import type { ContractResult } from "../result/result.ts";
import type { ResponseView } from "./response.ts";
import type { SchemaFaults } from "../evaluation/schema-engine.ts";
import type { Run } from "./state.ts";

/** Checks a response against the operation's description. Asynchronous only if ajv is needed. */
export function checkContract(
  run: Pick<Run, "evaluator" | "known" | "prepared">,
  operation: Operation,
  answer: { status: number; view: ResponseView; truncated: boolean },
): ContractResult[] | Promise<ContractResult[]> {
  const rule = ruleFor(operation, answer.status);
  if (rule === undefined) {
    if (isEmpty(operation.responses)) return [];
    const message = `The status ${answer.status} is not described; ${Object.keys(operation.responses).join(", ")} are.`;
    return [{ check: "status-documented", status: "failed", message }];
  }
  const results: ContractResult[] = [{ check: "status-documented", status: "passed" }];
  const { view } = answer;
  if (view.text === "" || isEmpty(rule.content)) return results;
  const bare = bareType(view.mediaType);
  const described = mediaTypeFor(rule, bare);
  if (described === undefined) {
    const message = `The content type ${bare || "(none)"} is not described; ${Object.keys(rule.content).join(", ")} are.`;
    return [...results, { check: "content-type-documented", status: "failed", message }];
  }
  results.push({ check: "content-type-documented", status: "passed" });
  const key = rule.content[described] ?? undefined;
  if (key === undefined || !isJson(bare)) return results;
  if (answer.truncated) {
    results.push({
      check: "response-schema",
      status: "skipped",
      message: "The body was cut, so it was not checked.",
    });
    return results;
  }
  if (run.known.shield.holdsSecret(view.body)) {
    const message = "The body contains a secret that the run was given, so no schema may look into it.";
    results.push({ check: "response-schema", status: "skipped", message });
    return results;
  }
  const checked = checkSchema(run, key, view.body);
  if (checked instanceof Promise) return checked.then((found) => [...results, ...found]);
  results.push(...checked);
  return results;
}

function isEmpty(record: Readonly<Record<string, unknown>>): boolean {
  for (const name in record) if (Object.hasOwn(record, name)) return false;
  return true;
}

function bareType(mediaType: string): string {
  const end = mediaType.search(/[;,]/);
  return (end === -1 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase();
}

function ruleFor(operation: Operation, status: number): ResponseRule | undefined {
  const { responses } = operation;
  const exact = String(status);
  if (Object.hasOwn(responses, exact)) return responses[exact];
  for (const key of [`${Math.floor(status / 100)}XX`, "default"]) {
    if (Object.hasOwn(responses, key)) return responses[key];
  }
  return undefined;
}

function mediaTypeFor(rule: ResponseRule, bare: string): string | undefined {
  const offered = Object.keys(rule.content);
  if (offered[0] === bare) return bare;
  const range = `${bare.split("/")[0] ?? ""}/*`;
  return [bare, range, "*/*"]
    .map((wanted) => offered.find((type) => bareType(type) === wanted))
    .find((type) => type !== undefined);
}

function checkSchema(
  run: Pick<Run, "evaluator" | "prepared">,
  key: string,
  body: unknown,
): ContractResult[] | Promise<ContractResult[]> {
  const { schemas, artifact } = run.prepared;
  const schema = schemaReference(artifact.program.schemas, key);
  if (schema === undefined) return [];
  try {
    const checked = schemas.check(schema, bytesAsText(body), run.evaluator);
    return checked instanceof Promise ? checked.then(resultsOf, unusable) : resultsOf(checked);
  } catch (error) {
    return unusable(error);
  }
}

function resultsOf({ faults, more }: SchemaFaults): ContractResult[] {
  if (faults.length === 0) return [{ check: "response-schema", status: "passed" }];
  const results: ContractResult[] = faults.map(({ pointer, message }) => ({
    check: "response-schema",
    status: "failed",
    pointer,
    message,
  }));
  if (more === 0) return results;
  return [
    ...results,
    { check: "response-schema", status: "failed", message: `There are ${more} more faults.` },
  ];
}

function unusable(error: unknown): ContractResult[] {
  const reason = error instanceof Error ? error.message : "";
  const what = error instanceof EvaluationLimit ? "The check was ended" : "The schema can't be used";
  return [{ check: "response-schema", status: "skipped", message: `${what}: ${reason}.` }];
}

const references = new WeakMap<object, Map<string, { $ref: string }>>();

/** One object per schema, so that its compiled form can be cached. */
function schemaReference(schemas: Record<string, unknown>, key: string): { $ref: string } | undefined {
  if (ownValue(schemas, key) === undefined) return undefined;
  let known = references.get(schemas);
  if (known === undefined) references.set(schemas, (known = new Map()));
  let found = known.get(key);
  if (found === undefined) {
    found = { $ref: `#/$defs/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}` };
    known.set(key, found);
  }
  return found;
}
