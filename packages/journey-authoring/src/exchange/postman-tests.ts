import { ownArray, ownObject, ownString } from "@waymark/openapi/json.ts";
import type { JsonObject, JsonValue } from "@waymark/openapi/json.ts";
import { inputName } from "../template/names.ts";
import type { Importing } from "./imported.ts";

export interface PostmanTests {
  criteria: JsonObject[];
  outputs: JsonObject;
}

interface TestedRequest {
  name: string;
  stepId: string;
}

const STATUS =
  /to\.have\.status\(\s*(\d{3})\s*\)|response\.code\s*\)\s*\.to\.(?:equal|eql|be\.equal)\(\s*(\d{3})\s*\)/;
const SET =
  /(?:environment|collectionVariables|globals|variables)\.set\(\s*["'`]([\w-]+)["'`]\s*,\s*(?:(?:pm\.)?response\.json\(\)|JSON\.parse\(\w{1,40}\)|\w{1,40})((?:\.[A-Za-z_]\w*|\[\d+\])+)\s*\)/;

/** Recognizes tests in their usual form. Nothing is executed; other lines are only counted. */
export function postmanTests(importing: Importing, item: JsonValue, request: TestedRequest): PostmanTests {
  const found: PostmanTests = { criteria: [], outputs: {} };
  for (const event of ownArray(item, "event")) {
    const lines = scriptLines(ownObject(event, "script"));
    if (ownString(event, "listen") === "test")
      lines.forEach((line) => testLine(importing, found, line, request));
    else if (lines.some((line) => line.trim() !== "" && !line.trim().startsWith("//"))) {
      importing.notes.add(`${request.name} has a script that runs before it; it was left out.`);
    }
  }
  return found;
}

function scriptLines(script: JsonObject | undefined): string[] {
  const lines = ownArray(script, "exec").filter((line) => typeof line === "string");
  return (lines.length > 0 ? lines : (ownString(script, "exec") ?? "").split("\n")).map((line) =>
    line.slice(0, 500),
  );
}

function testLine(
  importing: Importing,
  { criteria, outputs }: PostmanTests,
  line: string,
  request: TestedRequest,
): void {
  const status = STATUS.exec(line);
  const code = status?.[1] ?? status?.[2];
  if (code !== undefined) {
    const condition = `$statusCode == ${code}`;
    if (!criteria.some((criterion) => criterion["condition"] === condition)) {
      criteria.push({
        "x-id": criteria.length === 0 ? "status" : `status-${criteria.length + 1}`,
        condition,
      });
    }
    return;
  }
  const set = SET.exec(line);
  if (set?.[1] !== undefined && set[2] !== undefined) {
    const name = inputName(set[1]);
    outputs[name] = `$response.body#${set[2].replaceAll(/\.|\[/g, "/").replaceAll("]", "")}`;
    importing.links.set(set[1], `$steps.${request.stepId}.outputs.${name}`);
    return;
  }
  if (/(?:environment|ollectionVariables|globals|variables)\.set\(/.test(line))
    importing.notes.add(
      `${request.name} sets a variable in a way that wasn't recognized: write it as an output.`,
    );
  if (/pm\.expect|tests\[/.test(line))
    importing.notes.add(`${request.name} has a test that wasn't recognized: write it as a criterion.`);
}
