import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";

/** Starts a process that runs `draining` and `closing` on a signal, and waits until it is ready. */
async function startProcess(closing: string, draining = "") {
  const script = `
    import { runProcess } from ${JSON.stringify(new URL("run-process.ts", import.meta.url).href)};
    const logger = { fatal: (_, text) => console.log(text), error: (_, text) => console.log(text) };
    await runProcess("test", async () => ({
      logger, drain: async () => { ${draining} }, close: async () => { ${closing} },
    }));
    setInterval(() => {}, 1_000);
    process.on("message", () => { throw new Error("nobody catches this"); });
    process.send("started");`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  let printed = "";
  const firstOutput = new Promise<void>((resolve) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      resolve();
    });
  });
  const ended = once(child, "close");
  await once(child, "message");
  return {
    child,
    firstOutput,
    outcome: async () => {
      const [exitCode] = await ended;
      return { exitCode, printed };
    },
  };
}

const SLOWLY = `console.log("closing"); await new Promise((resolve) => setTimeout(resolve, 300)); console.log("closed");`;

const DRAINING = `console.log("draining"); await new Promise((resolve) => setTimeout(resolve, 300)); console.log("drained");`;

it("a second signal doesn't interrupt closing: a terminal and the launcher each send one", async () => {
  const { child, firstOutput, outcome } = await startProcess(SLOWLY);
  child.kill("SIGINT");
  await firstOutput;
  child.kill("SIGTERM");
  child.kill("SIGINT");
  expect(await outcome()).toEqual({ exitCode: 0, printed: "closing\nclosed\n" });
});

it("closes after a signal once it has drained, and drains once however many signals come", async () => {
  const { child, firstOutput, outcome } = await startProcess(SLOWLY, DRAINING);
  child.kill("SIGTERM");
  await firstOutput;
  child.kill("SIGTERM");
  expect(await outcome()).toEqual({ exitCode: 0, printed: "draining\ndrained\nclosing\nclosed\n" });
});

it("closes at once after an error that nobody caught, also while it drains", async () => {
  const { child, firstOutput, outcome } = await startProcess(SLOWLY, DRAINING.replace("300", "60_000"));
  child.kill("SIGTERM");
  await firstOutput;
  child.send("throw");
  expect(await outcome()).toEqual({ exitCode: 1, printed: "draining\nuncaught error\nclosing\nclosed\n" });
});

it.each([
  ["an error that nobody caught", SLOWLY, "uncaught error\nclosing\nclosed\n"],
  ["an error while it closes", `throw new Error("no")`, "uncaught error\ncould not close cleanly\n"],
])("after %s the process ends with 1, and reports it", async (_, closing, printed) => {
  const { child, outcome } = await startProcess(closing);
  child.send("throw");
  expect(await outcome()).toEqual({ exitCode: 1, printed });
});
