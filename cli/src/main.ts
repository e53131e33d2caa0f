import { reportError } from "./framework/report-error.ts";
import { runCli } from "./app/run-cli.ts";
import { processEnvironment } from "./lib/config.ts";
import { DEFAULT_TIMES } from "./http/times.ts";
import { EXIT_CODES } from "./lib/cli-error.ts";
import { describeFileError } from "./lib/describe-file-error.ts";
import { writeLine } from "./lib/output.ts";

const { stdout, stderr } = process;

let outputFailed = false;
stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that closes early, such as `| head -1`, is not a failure.
  if (error.code === "EPIPE" || outputFailed) return;
  outputFailed = true;
  writeLine(stderr, `Can't write to standard output: ${describeFileError(error)}.`);
});
// A result that was lost must not look like a success. Output may fail after the command has ended.
process.on("exit", () => {
  if (outputFailed && process.exitCode === EXIT_CODES.ok) process.exitCode = EXIT_CODES.unavailable;
});

// Node's own exit code would be 1, which means that a gate failed.
process.on("uncaughtException", (error) => process.exit(reportError(error, { stderr })));

// Sets the exit code and lets the process end by itself: process.exit would cut off pending output.
process.exitCode = await runCli(process.argv.slice(2), {
  env: processEnvironment(),
  cwd: process.cwd(),
  times: DEFAULT_TIMES,
  openStdin: () => process.stdin,
  stdout,
  stderr,
  colorDepth: 1,
});
