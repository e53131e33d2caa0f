import { type Answer, RUN_ID, startFakeServer } from "../../src/test-support/fake-server.ts";
import { folderWith, type MakeHostile } from "./files.ts";

/** Returns a function that makes the cases of a command for a run of a server. */
export function commandOnRun(
  command: "approve" | "decide",
): (answer: (text: string) => Answer, more: (text: string) => string[]) => MakeHostile {
  return (answer, more) => async (text) => {
    const server = await startFakeServer(answer(text));
    const { path: cwd } = await folderWith({});
    return { args: [command, RUN_ID, ...more(text), "--api-key", "k", "--api-url", server.url], cwd };
  };
}
