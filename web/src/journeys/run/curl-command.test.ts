import { expect, test } from "vitest";
import { curlCommand } from "./curl-command.ts";

const SENT = { method: "POST", url: "https://a.example/things", headers: [] as [string, string][] };

test("a request is a command of the same method, address, headers and body", () => {
  const headers: [string, string][] = [
    ["content-type", "application/json"],
    ["host", "a.example"],
    ["Content-Length", "16"],
  ];
  expect(curlCommand({ ...SENT, headers, body: '{"name":"it\'s"}' })).toEqual({
    text: [
      "curl --request POST https://a.example/things \\",
      "  --header 'content-type: application/json' \\",
      `  --data-raw '{"name":"it'\\''s"}'`,
    ].join("\n"),
    variables: [],
  });
});

test("each hidden value is a variable, which the shell reads between what is quoted", () => {
  const headers: [string, string][] = [["authorization", "Bearer [redacted]"]];
  const { text, variables } = curlCommand({
    ...SENT,
    url: "https://a.example/[redacted]?q=1&r=2",
    headers,
    body: "[redacted]",
  });
  expect(text).toBe(
    [
      `curl --request POST https://a.example/"$SECRET_1"'?q=1&r=2' \\`,
      `  --header 'authorization: Bearer '"$SECRET_2" \\`,
      `  --data-raw "$SECRET_3"`,
    ].join("\n"),
  );
  expect(variables).toEqual(["SECRET_1", "SECRET_2", "SECRET_3"]);
});

test("nothing of a request becomes a command of its own", () => {
  const { text } = curlCommand({ ...SENT, url: "https://a.example/$(id)`id`", body: "'; id #" });
  expect(text).toContain("'https://a.example/$(id)`id`'");
  expect(text).toContain(`''\\''; id #'`);
});
