// Runs a program, and kills it when its own standard input closes: the program ends with the test process, however that
// ends. Usage: node end-with-parent.ts [--as=UID:GID] PROGRAM [ARGUMENT…]
import { spawn } from "node:child_process";

const AS = "--as=";
const words = process.argv.slice(2);
// Only the program runs as the other user, who may not be able to enter the checkout with Node and this file.
const account = words[0]?.startsWith(AS) ? words.shift()?.slice(AS.length).split(":").map(Number) : undefined;
const [program = "", ...args] = words;
const child = spawn(program, args, {
  stdio: ["ignore", "inherit", "inherit"],
  ...(account === undefined ? {} : { uid: account[0], gid: account[1], cwd: "/" }),
});
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
