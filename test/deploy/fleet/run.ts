import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { root } from "../../../scripts/bootstrap/checkout.mjs";

const execute = promisify(execFile);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Runs a program in the checkout to its end, and returns what it wrote to standard output.
 *
 * @throws Error with the end of its output, if it ends with anything but 0
 */
export async function run(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  try {
    const options = { cwd: root, env: { ...process.env, ...env }, maxBuffer: OUTPUT_BYTES_MAX };
    return (await execute(program, args, options)).stdout.trim();
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    const told = `${stdout}\n${stderr}`.trim().split("\n").slice(-20).join("\n");
    throw new Error(`${[program, ...args].join(" ")} failed:\n${told}`, { cause: error });
  }
}

/** Whether it ends with 0. */
export function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

export function docker(...args: string[]): Promise<string> {
  // The classic builder: Debian's Docker has no other.
  return run("docker", args, { DOCKER_BUILDKIT: "0" });
}
