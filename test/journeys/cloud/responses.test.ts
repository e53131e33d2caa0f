import { expect, it } from "vitest";
import { serve } from "../support/serve.ts";
import { startJourneyStack } from "./support/journey-stack.ts";

const FILES = {
  "a.journey.yaml": `
arazzo: 1.1.0
info: { title: Responses, version: 1.0.0 }
sourceDescriptions: [{ name: api, type: openapi, url: ./api.yaml }]
workflows:
  - workflowId: main
    steps:
      - stepId: letters
        operationId: letters
        successCriteria: [{ context: $response.body, type: regex, condition: '^Zürich$' }]
      - stepId: events
        operationId: events
        timeout: 1000
        successCriteria: [{ context: $response.body, type: regex, condition: 'event: ready' }]
      - stepId: slow
        operationId: slow
        timeout: 500
        successCriteria: [{ condition: $statusCode == 200 }]
`,
  "api.yaml": `
openapi: 3.1.0
info: { title: Responses, version: 1.0.0 }
paths:
  /letters: { get: { operationId: letters, responses: {} } }
  /events: { get: { operationId: events, responses: {} } }
  /slow: { get: { operationId: slow, responses: {} } }
`,
};

it("the worker reads charsets, open streams and responses that do not end as the command does", async () => {
  const url = await serve(({ url: path }, response) => {
    if (path === "/letters") {
      response.writeHead(200, { "content-type": "text/plain; charset=iso-8859-1" });
      response.end(Buffer.from("Zürich", "latin1"));
      return;
    }
    response.writeHead(200, { "content-type": path === "/events" ? "text/event-stream" : "text/plain" });
    response.write("event: ready\n\n");
  });
  await using stack = await startJourneyStack({ allow: new URL(url).host });
  const start = await stack.addJourney(FILES, { server: url });
  await stack.startWorker();
  const runId = await start();
  expect(await stack.ended(runId)).toMatchObject({ status: "failed" });
  const { steps } = await stack.resultOf(runId);
  expect(steps).toMatchObject([
    { status: "passed", evidence: { response: { body: "Zürich" } } },
    {
      status: "passed",
      notes: [expect.stringContaining("The criteria see what had arrived: 1 event.")],
      evidence: { truncated: true },
    },
    {
      status: "timedOut",
      reason: "The response was not complete within 500 ms: the status 200 and 14 bytes had arrived.",
      evidence: { response: { status: 200, body: expect.stringContaining("event: ready") } },
    },
  ]);
});
