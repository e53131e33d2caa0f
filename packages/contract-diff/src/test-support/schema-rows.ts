import type { Level } from "../verdict.ts";
import { compareValues, requestWith, responseWith, type SchemaHolder, worstOf } from "./compare-texts.ts";

export interface SchemaRow {
  name: string;
  before: unknown;
  after: unknown;
  /** In requests, in answers, and back in both. */
  levels: readonly [Level, Level, Level, Level];
  /** The components of both sides, or of each. */
  components?: readonly [Record<string, unknown>, Record<string, unknown>?];
  version?: string;
}

/** Returns the levels of a row as they are judged. */
export async function judgeRow({
  before,
  after,
  components = [{}],
  version = "3.1.0",
}: SchemaRow): Promise<SchemaRow["levels"]> {
  const old: SchemaHolder = { version, components: components[0] };
  const next: SchemaHolder = { version, components: components[1] ?? components[0] };
  const judge = async (make: typeof requestWith): Promise<[Level, Level]> => {
    const [base, head] = [make(before, old), make(after, next)];
    return [worstOf(await compareValues(base, head)), worstOf(await compareValues(head, base))];
  };
  const [[request, requestBack], [response, responseBack]] = [
    await judge(requestWith),
    await judge(responseWith),
  ];
  return [request, response, requestBack, responseBack];
}

export const SAME = ["safe", "safe", "safe", "safe"] as const;
/** Fewer values: requests break, and answers on the way back. */
export const NARROWER = ["breaking", "safe", "safe", "breaking"] as const;
export const WIDER = ["safe", "breaking", "breaking", "safe"] as const;
export const OTHER = ["breaking", "breaking", "breaking", "breaking"] as const;

export const text = { type: "string" };
export const whole = { type: "integer" };
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const object = (properties: object, required: readonly string[] = [], more: object = {}) => ({
  type: "object",
  properties,
  required,
  ...more,
});
