import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import type { JsonObject } from "@waymark/openapi/json.ts";
import { mockApi } from "./support/mock-api.ts";
import type { MockApi } from "./support/mock-api.ts";
import { serve } from "./support/serve.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const API = join(ROOT, "examples", "bookshop.openapi.yaml");

/** The mock on a real port. */
function serveMock(mock: MockApi): Promise<string> {
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(request);
    const answer = mock.answer({
      method: request.method ?? "GET",
      url: `http://mock${request.url ?? "/"}`,
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: body === "" ? undefined : body,
    });
    if (typeof answer === "string") {
      response.destroy();
      return;
    }
    const text = answer.body === undefined || answer.body === "" ? "" : JSON.stringify(answer.body);
    response.writeHead(answer.status, text === "" ? {} : { "content-type": "application/json" });
    response.end(text);
  };
  return serve((request, response) => void handle(request, response));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

test("journeys that the command makes from an OpenAPI file run green against a server made from that file", async () => {
  const root: JsonObject = parse(readFileSync(API, "utf8"));
  const mock = mockApi(root);
  const url = await serveMock(mock);
  const folder = mkdtempSync(join(tmpdir(), "waymark-new-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(API, join(folder, "bookshop.openapi.yaml"));
  const waymark = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(ROOT, "cli/bin/waymark.mjs"), "journey", ...args], {
      cwd: folder,
    });
  await waymark("new", "made", "--openapi", "bookshop.openapi.yaml");
  const files = ["made/books.journey.yaml", "made/baskets.journey.yaml"];
  expect((await waymark("lint", ...files)).stdout).toBe("2 journeys: no problems\n");
  const { stdout } = await waymark("run", ...files, "--server", `bookshop=${url}`);
  expect(mock.refusals).toEqual([]);
  expect(stdout).toMatch(/2 (?:journeys|runs).*passed/i);
  // Its journey removed the book; a basket can't be removed.
  expect([...mock.items.keys()]).toEqual(["/baskets/id-1"]);
});
