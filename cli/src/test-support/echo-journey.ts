import { answerJson, startFakeServer } from "./fake-server.ts";
import type { Answer } from "./fake-server.ts";
import { runCaptured, temporaryFolder } from "./run-captured.ts";

/** A journey of one step, whose server returns the request that it received, with 500 for the word "bad". */
export const ECHO_JOURNEY = `arazzo: 1.1.0
info: { title: Echo, version: 1.0.0 }
sourceDescriptions: [{ name: echo, type: openapi, url: ./echo.yaml }]
workflows:
  - workflowId: main
    inputs:
      type: object
      required: [word]
      properties:
        word: { type: string }
        count: { type: integer, default: 1 }
        ready: { type: [boolean, "null"] }
        list: { type: array, items: { type: integer } }
        key: { type: string }
    parameters: [{ name: X-Key, in: header, value: $inputs.key }]
    steps:
      - stepId: say
        operationId: echo
        requestBody:
          contentType: application/json
          payload: { word: $inputs.word, count: $inputs.count, ready: $inputs.ready, list: $inputs.list }
        successCriteria: [{ x-id: ok, condition: $statusCode == 200 }]
        outputs: { said: $response.body#/word }
    x-journey:
      secrets: { key: { ref: env:ECHO_KEY } }
      acceptanceCriteria: [{ id: AC-1, text: It echoes, severity: must, provenBy: [say#ok] }]
`;
const OPENAPI = `openapi: 3.1.0
info: { title: Echo, version: 1.0.0 }
paths: { /echo: { post: { operationId: echo, responses: { "200": { description: ok } } } } }
`;

export const echo: Answer = ({ body }, response) => {
  answerJson(response, body.includes('"bad"') ? 500 : 200, JSON.parse(body));
};

/** The journey in a folder, its server, and a function that runs it there. */
export async function echoProject(answer: Answer = echo) {
  const folder = await temporaryFolder();
  await folder.write("echo.journey.yaml", ECHO_JOURNEY);
  await folder.write("echo.yaml", OPENAPI);
  const server = await startFakeServer(answer);
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runCaptured(["journey", "run", "echo.journey.yaml", "--server", `echo=${server.url}`, ...args], {
      cwd: folder.path,
      env: { ECHO_KEY: "a-key-for-echo", ...env },
    });
  const sent = (): unknown[] => server.requests.map(({ body }) => JSON.parse(body));
  return { ...folder, server, run, sent };
}
