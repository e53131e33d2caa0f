// Runs a program that knows nothing of us, and ends it when our standard input closes: however the test process went,
// what it started does not stay. Usage: node guard.ts PROGRAM [ARGUMENT…]
import { spawn } from "node:child_process";

const [program = "", ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
child.once("error", (error) => {
  process.stderr.write(`${program}: ${error.message}\n`);
  process.exit(1);
});
child.once("exit", (code, signal) => {
  process.exitCode = code ?? 1;
  if (signal !== null) process.stderr.write(`${program}: ${signal}\n`);
  process.stdin.destroy();
});
process.stdin.resume();
process.stdin.once("end", () => child.kill("SIGKILL"));
