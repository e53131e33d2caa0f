import { answerJson, RUN_ID, startFakeServer } from "../../src/test-support/fake-server.ts";
import { folderWith, type MakeHostile } from "./files.ts";

/** `waymark login` at a server that answers with these fields of the key, or with an error. */
function loginAt(status: number, answer: (text: string) => unknown): MakeHostile {
  return async (text) => {
    const server = await startFakeServer((_request, response) => answerJson(response, status, answer(text)));
    const { path: cwd } = await folderWith({});
    return { args: ["login", "--api-url", server.url], cwd, env: { HOME: cwd }, stdin: "wmk_key" };
  };
}

function addressOf(command: string): MakeHostile {
  return async (text) => {
    const { path: cwd } = await folderWith({});
    return { args: [command, "--api-url", text], cwd, env: { HOME: cwd }, stdin: "wmk_key" };
  };
}

const KEY = { id: RUN_ID, scopes: [{ permission: "*" }], expiresAt: null, organizationId: RUN_ID };

export const HOSTILE_LOGINS: Record<string, Record<string, MakeHostile>> = {
  login: {
    "the name of the key": loginAt(200, (text) => ({ ...KEY, name: text, prefix: text })),
    "a refusal of the server": loginAt(401, (text) => ({ error: { code: text, message: text } })),
    "an address": addressOf("login"),
  },
  logout: { "an address": addressOf("logout") },
};
