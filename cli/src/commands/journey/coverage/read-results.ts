import type { AcceptanceResult, Coverage } from "@waymark/journeys/result/result.ts";
import { z } from "zod";
import type { CliContext } from "../../../context.ts";
import { usageError } from "../../../lib/cli-error.ts";
import { readText } from "../../../lib/read-text.ts";

const BYTES_MAX = 256 * 1024 * 1024;

const Operation = z.object({
  source: z.string(),
  operationId: z.string().optional(),
  method: z.string(),
  path: z.string(),
  calls: z.number(),
  statuses: z.array(z.number()),
  asserted: z.boolean(),
});

/** The parts of a result that are aggregated. */
const CoveredResult = z.object({
  schema: z.literal("journey-result/1"),
  status: z.string(),
  journey: z.object({ id: z.string(), title: z.string() }),
  acceptance: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      severity: z.string(),
      status: z.enum(["proven", "failed", "notRun", "unproven"]),
      by: z.array(z.string()),
    }),
  ),
  coverage: z.object({
    operations: z.array(Operation),
    notInInventory: z.array(z.object({ method: z.string(), url: z.string(), calls: z.number() })),
  }),
});

export interface CoveredResult {
  status: string;
  journey: { id: string; title: string };
  acceptance: AcceptanceResult[];
  coverage: { operations: z.infer<typeof Operation>[]; notInInventory: Coverage["notInInventory"] };
}

/**
 * Reads the results of a file: one, or a list of them.
 * @throws {CliError} if it contains anything else
 */
export async function readResults(
  context: Pick<CliContext, "cwd" | "openStdin">,
  name: string,
): Promise<CoveredResult[]> {
  const text = await readText(context, name, { bytesMax: BYTES_MAX });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`${name} is not valid JSON: give what --report json=… wrote.`, { cause: error });
  }
  const parsed = z.array(CoveredResult).safeParse(Array.isArray(value) ? value : [value]);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw usageError(
    `${name} is no result of a journey (${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}): give what --report json=… wrote.`,
  );
}
