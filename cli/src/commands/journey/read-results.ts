import { z } from "zod";
import type { CliContext } from "../../framework/context.ts";
import { usageError } from "../../lib/cli-error.ts";
import { readText } from "../../lib/read-text.ts";

const BYTES_MAX = 256 * 1024 * 1024;

/**
 * Reads the results of a file that `--report json=…` wrote: one, or a list of them.
 * @throws {CliError} if it contains anything else
 */
export async function readResults<T>(
  context: Pick<CliContext, "cwd" | "openStdin">,
  name: string,
  schema: z.ZodType<T>,
): Promise<T[]> {
  const text = await readText(context, name, { bytesMax: BYTES_MAX });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw usageError(`${name} is not valid JSON: give what --report json=… wrote.`, { cause: error });
  }
  const parsed = z.array(schema).safeParse(Array.isArray(value) ? value : [value]);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw usageError(
    `${name} is no result of a journey (${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}): give what --report json=… wrote.`,
  );
}
