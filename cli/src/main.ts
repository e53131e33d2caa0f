import { runCli } from "./app/run-cli.ts";
import { processEnvironment } from "./config.ts";
import { DEFAULT_TIMES } from "./http/times.ts";

// A reader that closes early, such as `| head -1`, is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const { stdin, stdout, stderr } = process;
// The exit code is set and the process left to end by itself: process.exit would cut off output that is still written.
process.exitCode = await runCli(process.argv.slice(2), {
  env: processEnvironment(),
  cwd: process.cwd(),
  times: DEFAULT_TIMES,
  stdin,
  stdout,
  stderr,
  colorDepth: 1,
});
