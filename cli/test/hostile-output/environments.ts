import { type Answer, answerJson, RUN_ID, startFakeServer } from "../../src/test-support/fake-server.ts";
import { folderWith, type MakeHostile } from "./files.ts";
import { refusal } from "./refusal.ts";

/** An environment of which every text is hostile, with such secrets and releases. */
function environment(text: string) {
  return {
    id: text,
    name: text,
    servers: { [text]: text },
    variables: { [text]: { [text]: text } },
    inputs: { [text]: [text] },
    allowedHosts: [text],
    protected: true,
    storesBodies: false,
    revision: 1,
    releases: [{ journeyId: text, version: 1 }],
  };
}

/** A server with one environment. It is found by whatever name is asked for, and says hostile texts of it. */
function hostileServer(text: string): Answer {
  return (request, response) => {
    const secret = { name: text, hosts: [text], version: 1, updatedAt: text, lastUsedAt: text };
    if (request.url.includes("/secrets")) {
      if (request.method !== "GET") response.writeHead(204).end();
      else answerJson(response, 200, { secrets: [secret] });
    } else if (request.url.includes("?")) {
      const name = new URL(request.url, "http://localhost").searchParams.get("name") ?? text;
      answerJson(response, 200, { environments: [{ ...environment(text), name }] });
    } else if (request.method === "DELETE") {
      response.writeHead(204).end();
    } else {
      answerJson(response, 200, environment(text));
    }
  };
}

function line(
  args: (text: string) => string[],
  answer: (text: string) => Answer = hostileServer,
): MakeHostile {
  return async (text) => {
    const server = await startFakeServer(answer(text));
    const { path: cwd } = await folderWith({});
    return { args: [...args(text), "--api-key", "k", "--api-url", server.url], cwd, stdin: text };
  };
}

/** The cases of the commands for environments and their secrets. */
export const HOSTILE_ENVIRONMENTS: Record<string, Record<string, MakeHostile>> = {
  "environment list": {
    "names of environments": line(() => ["environment", "list"]),
    "a refusal of the server": line(() => ["environment", "list"], refusal),
  },
  "environment show": {
    "every text of an environment": line((text) => ["environment", "show", text]),
    "an environment that there is not": line(
      (text) => ["environment", "show", text],
      () => (_request, response) => answerJson(response, 200, { environments: [] }),
    ),
  },
  "environment set": {
    "settings of a known environment": line((text) => [
      "environment",
      "set",
      text,
      "--server",
      `a=${text}`,
      "--variable",
      `a.b=${text}`,
      "--input",
      `a=${text}`,
      "--reach",
      text,
      "--rename",
      text,
    ]),
    "options that are wrong": line((text) => ["environment", "set", "e", "--variable", `${text}=x`]),
    "a name that waymark.yaml does not have": line((text) => ["environment", "set", text, "--from-project"]),
    "a refusal of the server": line((text) => ["environment", "set", text], refusal),
  },
  "environment delete": {
    "the name of an environment": line((text) => ["environment", "delete", text]),
    "a refusal of the server": line((text) => ["environment", "delete", text], refusal),
  },
  "secret set": {
    "the name of an environment": line((text) => ["secret", "set", "TOKEN", "--env", text, "--host", text]),
    "a name that is none": line((text) => ["secret", "set", text, "--env", "e"]),
    "a refusal of the server": line(() => ["secret", "set", "TOKEN", "--env", RUN_ID], refusal),
  },
  "secret list": {
    "names and hosts of secrets": line((text) => ["secret", "list", "--env", text]),
    "a refusal of the server": line((text) => ["secret", "list", "--env", text], refusal),
  },
  "secret remove": {
    "the name of an environment": line((text) => ["secret", "remove", "TOKEN", "--env", text]),
    "a name that is none": line((text) => ["secret", "remove", text, "--env", "e"]),
    "a refusal of the server": line((text) => ["secret", "remove", "TOKEN", "--env", text], refusal),
  },
};
