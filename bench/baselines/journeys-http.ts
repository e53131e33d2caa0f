// The floor of a runner: the journey's five requests written by hand on node:http, answers checked.
import { Agent, request as httpRequest } from "node:http";
import { serveCalls } from "../support/calls.ts";
import { measureRuns } from "../support/journey-runs.ts";

const agent = new Agent({ keepAlive: true });

function call(method: string, url: string, wanted: number, body?: unknown): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      text === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
    const request = httpRequest(url, { method, agent, headers }, (response) => {
      let answer = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (answer += chunk));
      response.on("end", () => {
        if (response.statusCode === wanted) resolve(answer === "" ? {} : JSON.parse(answer));
        else reject(new Error(`${method} ${url}: ${response.statusCode}`));
      });
    });
    request.on("error", reject);
    request.end(text);
  });
}

async function journey(url: string): Promise<void> {
  const { id, name } = await call("POST", `${url}/things`, 201, { name: "widget", price: 10 });
  if (name !== "widget") throw new Error("another name");
  const one = `${url}/things/${String(id)}`;
  await call("GET", one, 200);
  const { price } = await call("PUT", one, 200, { name: "widget", price: 12 });
  if (price !== 12) throw new Error("another price");
  await call("GET", `${url}/things?limit=50`, 200);
  await call("DELETE", one, 204);
}

serveCalls({
  ready: () => 0,
  run: ({ url, count }: { url: string; count: number }) => measureRuns(count, () => journey(url)),
});
