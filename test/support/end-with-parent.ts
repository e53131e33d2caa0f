// Runs a program, and kills it when its own standard input closes: the program ends with the test process, however that
// ends. Usage: node end-with-parent.ts PROGRAM [ARGUMENT…]
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
