import { ownValue } from "../expressions/pointer.ts";
import { isJson } from "../openapi/body.ts";
import type { Operation, ResponseRule } from "../openapi/operation.ts";
import type { ContractResult } from "../result/result.ts";
import type { ResponseView } from "./response.ts";
import type { Run } from "./state.ts";

/** Compares a response with what the operation's description promises. */
export async function checkContract(
  run: Run,
  operation: Operation,
  answer: { status: number; view: ResponseView; truncated: boolean },
): Promise<ContractResult[]> {
  if (Object.keys(operation.responses).length === 0) return [];
  const rule = ruleFor(operation, answer.status);
  if (rule === undefined) {
    const message = `The status ${answer.status} is not described; ${Object.keys(operation.responses).join(", ")} are.`;
    return [{ check: "status-documented", status: "failed", message }];
  }
  const results: ContractResult[] = [{ check: "status-documented", status: "passed" }];
  const { view } = answer;
  if (Object.keys(rule.content).length === 0 || view.text === "") return results;
  const bare = view.mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
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
  results.push(...(await checkSchema(run, key, view.body)));
  return results;
}

function ruleFor(operation: Operation, status: number): ResponseRule | undefined {
  const { responses } = operation;
  for (const key of [String(status), `${Math.floor(status / 100)}XX`, "default"]) {
    if (Object.hasOwn(responses, key)) return responses[key];
  }
  return undefined;
}

function mediaTypeFor(rule: ResponseRule, bare: string): string | undefined {
  const offered = Object.keys(rule.content);
  const range = `${bare.split("/")[0] ?? ""}/*`;
  return [bare, range, "*/*"]
    .map((wanted) => offered.find((type) => (type.split(";")[0]?.trim().toLowerCase() ?? "") === wanted))
    .find((type) => type !== undefined);
}

async function checkSchema(run: Run, key: string, body: unknown): Promise<ContractResult[]> {
  const { schemas, artifact } = run.prepared;
  const schema = schemaReference(artifact.program.schemas, key);
  if (schema === undefined) return [];
  try {
    const checked = schemas.check(schema, body);
    const faults = Array.isArray(checked) ? checked : await checked;
    if (faults.length === 0) return [{ check: "response-schema", status: "passed" }];
    return faults.map(({ pointer, message }) => ({
      check: "response-schema",
      status: "failed",
      pointer,
      message,
    }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    return [{ check: "response-schema", status: "skipped", message: `The schema can't be used: ${reason}.` }];
  }
}

const references = new WeakMap<object, Map<string, { $ref: string }>>();

/** One object per schema, so that its compiled form is found again. */
function schemaReference(schemas: Record<string, unknown>, key: string): { $ref: string } | undefined {
  if (ownValue(schemas, key) === undefined) return undefined;
  const known = references.get(schemas) ?? new Map<string, { $ref: string }>();
  references.set(schemas, known);
  const found = known.get(key) ?? {
    $ref: `#/$defs/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`,
  };
  known.set(key, found);
  return found;
}
