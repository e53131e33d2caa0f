import type { Environment } from "@waymark/shared/environments/schema.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerJson, startFakeServer } from "../../cli/src/test-support/fake-server.ts";
import { runCaptured, temporaryFolder } from "../../cli/src/test-support/run-captured.ts";
import { createJourney } from "@waymark/test-support/journeys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";

const VALUE = "kE3p-me-s4fe!";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

type Options = Parameters<typeof runCaptured>[1];
/** Runs `waymark` against the real api. */
const waymark = (args: string[], options: Options = {}) =>
  runCaptured(args, {
    ...options,
    env: { SERVICE_API_KEY: stack.apiKey, SERVICE_API_URL: stack.api.baseUrl, ...options.env },
  });
const environmentSet = (...args: string[]) => waymark(["environment", "set", ...args]);
const read = async (name: string) => {
  const { stdout } = await waymark(["environment", "show", name, "--json"]);
  return JSON.parse(stdout) as Environment & { secrets: Record<string, unknown>[] };
};

describe("waymark environment", () => {
  it("set creates an environment, then changes only what its options name", async () => {
    const created = await environmentSet("staging", "--server", "orders=https://orders.example.com/v1");
    expect(created).toEqual({ exitCode: 0, stdout: "Created: staging (revision 1)\n", stderr: "" });
    expect(await read("staging")).toMatchObject({
      servers: { orders: "https://orders.example.com/v1" },
      allowedHosts: ["orders.example.com"],
      protected: false,
      storesBodies: true,
    });

    const settings = ["--server", "payments=https://pay.example.com", "--variable", "payments.region=eu"];
    const inputs = [
      "--input",
      'customer={"id": 7}',
      "--input",
      "note=plain text",
      "--reach",
      "*.example.com",
    ];
    const changed = await environmentSet("staging", ...settings, ...inputs, "--protected", "--no-bodies");
    expect(changed.stdout).toBe("Changed: staging (revision 2)\n");
    const after = await read("staging");
    expect(after).toMatchObject({
      servers: { orders: "https://orders.example.com/v1", payments: "https://pay.example.com" },
      variables: { payments: { region: "eu" } },
      inputs: { customer: { id: 7 }, note: "plain text" },
      allowedHosts: ["*.example.com"],
      protected: true,
      storesBodies: false,
    });

    const removing = ["--server", "orders=", "--variable", "payments.region=", "--input", "note="];
    await environmentSet("staging", ...removing, "--rename", "stage", "--no-protected", "--bodies");
    expect(await read("stage")).toMatchObject({
      id: after.id,
      servers: { payments: "https://pay.example.com" },
      variables: {},
      inputs: { customer: { id: 7 } },
      allowedHosts: ["*.example.com"],
      protected: false,
      storesBodies: true,
      revision: 3,
    });
  });

  it("set takes over an environment of waymark.yaml, and options win over it", async () => {
    const { path: cwd, write } = await temporaryFolder();
    await write(
      "waymark.yaml",
      "environments:\n  project: { servers: { a: https://a.example, b: https://b.example }, inputs: { n: 1 } }\n",
    );
    const set = (name: string, ...args: string[]) =>
      waymark(["environment", "set", name, "--from-project", ...args], { cwd });
    expect((await set("project", "--server", "b=https://other.example")).exitCode).toBe(0);
    expect(await read("project")).toMatchObject({
      servers: { a: "https://a.example", b: "https://other.example" },
      inputs: { n: 1 },
    });
    const unknown = await set("elsewhere");
    expect(unknown).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('waymark.yaml has no environment "elsewhere"'),
    });
  });

  it("list and show print it for people, with secrets and releases and no value", async () => {
    await environmentSet("shown", "--server", "a=https://a.example", "--input", "n=1", "--protected");
    const { id } = await read("shown");
    await waymark(["secret", "set", "TOKEN", "--env", "shown"], { stdin: VALUE });
    const journeyId = await createJourney(stack);
    await stack.http.request("PUT", `/api/environments/${id}/releases/${journeyId}`, {
      body: { version: 1 },
    });
    expect((await waymark(["environment", "list"])).stdout).toContain(`${id}  shown  (protected)\n`);
    expect((await waymark(["environment", "show", id])).stdout).toBe(`Name:        shown
Id:          ${id}
Revision:    1
Protected:   yes, runs released versions only
Bodies:      stored
Servers:     a = https://a.example
Inputs:      n = 1
May reach:   a.example
Secrets:     TOKEN  version 1, for a.example, never used
Releases:    ${journeyId} version 1
`);
  });

  it("delete deletes it, and one that there is not is told by name", async () => {
    await environmentSet("gone");
    expect((await waymark(["environment", "delete", "gone"])).stdout).toBe("Deleted: gone\n");
    const again = await waymark(["environment", "delete", "gone"]);
    expect(again).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('There is no environment "gone". waymark environment list'),
    });
  });

  it("says what the server refuses, with the exit code of the reason", async () => {
    const wrong = await environmentSet("wrong", "--reach", "https://a.example");
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("allowedHosts[0]") });
    const key = await createKey(stack, ["environments:read"]);
    const denied = await waymark(["environment", "set", "denied"], { env: { SERVICE_API_KEY: key } });
    expect(denied).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("environments:write") });
    const malformed = await environmentSet("wrong", "--variable", "region=eu");
    expect(malformed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("<source>.<name>=") });
  });
});

describe("waymark secret", () => {
  const ENV = ["--env", "secrets"];
  beforeAll(async () => {
    await environmentSet("secrets", "--server", "a=https://a.example");
  });

  it("set takes the value from standard input without its last line break, list and remove show no value", async () => {
    const set = await waymark(["secret", "set", "TOKEN", ...ENV], { stdin: `${VALUE}\n` });
    expect(set).toEqual({ exitCode: 0, stdout: "Set: TOKEN of secrets\n", stderr: "" });
    const hosts = ["--host", "b.example", "--host", "*.c.example"];
    await waymark(["secret", "set", "OTHER", ...ENV, ...hosts], { stdin: `${VALUE}\r\n` });
    const list = await waymark(["secret", "list", ...ENV]);
    expect(list.stdout).toBe(
      "OTHER  version 1, for b.example, *.c.example, never used\nTOKEN  version 1, for a.example, never used\n",
    );
    const json = await waymark(["secret", "list", ...ENV, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject([{ name: "OTHER" }, { name: "TOKEN", version: 1 }]);
    expect((await waymark(["secret", "remove", "OTHER", ...ENV])).stdout).toBe("Removed: OTHER of secrets\n");
    expect((await waymark(["secret", "remove", "OTHER", ...ENV])).exitCode).toBe(2);
    expect(list.stdout + json.stdout).not.toContain(VALUE);
  });

  it.each<[string, string[], Options, RegExp]>([
    ["no environment", ["TOKEN"], { stdin: VALUE }, /--env is required/],
    [
      "an environment that there is not",
      ["TOKEN", "--env", "nothing"],
      { stdin: VALUE },
      /no environment "nothing"/,
    ],
    ["nothing on standard input", ["TOKEN", ...ENV], { stdin: "\n" }, /Standard input is empty/],
    ["a terminal", ["TOKEN", ...ENV], { terminal: true }, /--env E < file/],
    [
      "the key on standard input",
      ["TOKEN", ...ENV, "--api-key", "-"],
      { stdin: VALUE },
      /give the API key by/,
    ],
    ["too long a value", ["TOKEN", ...ENV], { stdin: VALUE.repeat(6_000) }, /standard input is too large/],
    ["a short value", ["TOKEN", ...ENV], { stdin: "short" }, /value: must be at least 8 characters/],
    ["a value with the name", [`TOKEN=${VALUE}`, ...ENV], { stdin: VALUE }, /name of a secret has letters/],
    ["a value as an argument", ["TOKEN", VALUE, ...ENV], {}, /too few or too many arguments/],
    ["a value as an option", ["TOKEN", `--value=${VALUE}`, ...ENV], {}, /Unknown option "--value"/],
  ])("set refuses %s and shows no value", async (_what, args, options, message) => {
    const { exitCode, stdout, stderr } = await waymark(["secret", "set", ...args], options);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain(VALUE);
  });

  it("set does not take a proxy's page for a success", async () => {
    const known = await read("secrets");
    const server = await startFakeServer((request, response) => {
      if (request.method === "GET") answerJson(response, 200, { environments: [known] });
      else response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>");
    });
    const { exitCode, stderr } = await waymark(["secret", "set", "TOKEN", ...ENV, "--api-url", server.url], {
      stdin: VALUE,
    });
    expect(exitCode).toBe(4);
    expect(stderr).toContain("not that of a Waymark server");
  });
});
