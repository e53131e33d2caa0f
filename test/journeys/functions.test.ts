import { createHash, createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { RunLeft } from "@waymark/journeys/run/take-checkpoint.ts";
import { guardSecrets } from "../../services/worker/src/journeys/runner/guard-secrets.ts";
import { buildText } from "./support/build.ts";
import { documentText, fakeTransport, play, SOURCE, virtualClock } from "./support/fake.ts";
import type { FakeRequest } from "./support/fake.ts";
import { run } from "./support/run.ts";
import { playArtifact, unchecked } from "./support/unchecked.ts";

const SECRET = "kq7-Zx3.Wm9/Tb5";
const inputs =
  "inputs: { type: object, properties: { user: { type: string, default: ada }, pass: { type: string } } }\n    x-journey: { secrets: { pass: { ref: env:PASS } } }";
const main = (steps: string) => `
  - workflowId: main
    ${inputs}
    steps: [${steps}]`;

async function problemsOf(workflows: string): Promise<string[]> {
  const built = await buildText(documentText({ workflows }), { file: "t.yaml", sources: { api: SOURCE } });
  return built.ok ? [] : built.problems.map(({ code, line, message }) => `${line} ${code}: ${message}`);
}

const ok = () => ({ status: 200, body: {} });

test("Basic credentials are made by functions, and no result has them", async () => {
  const { result, requests } = await play({
    workflows: main(
      `{ stepId: send, operationId: a, parameters: [{ name: Authorization, in: header, value: "Basic {$fn.base64($fn.join(':', $inputs.user, $inputs.pass))}" }], outputs: { sent: $request.header.authorization } }`,
    ),
    secret: SECRET,
    answer: ok,
  });
  expect(requests[0]?.headers["authorization"]).toBe(
    `Basic ${Buffer.from(`ada:${SECRET}`).toString("base64")}`,
  );
  expect(result.status).toBe("passed");
  const text = JSON.stringify(result);
  expect(text).not.toContain(Buffer.from(`ada:${SECRET}`).toString("base64"));
  expect(text).not.toContain(SECRET);
});

const SIGNED = main(
  `{ stepId: send, operationId: aPost, parameters: [{ name: X-Date, in: header, value: $fn.now('http') }, { name: X-Signature, in: header, value: "v1={$fn.hmac('sha256', $inputs.pass, $fn.join('.', $fn.now('http'), $fn.requestBody()), 'base64')}" }], requestBody: { contentType: application/json, payload: '{ "b":  1, "id": "{$fn.uuid()}" }' }, outputs: { o: $request.header.x-signature, again: $fn.sha256($inputs.pass) } }`,
);

test("a signature covers the bytes of the body and the date that are sent", async () => {
  const { result, requests } = await play({ workflows: SIGNED, secret: SECRET, answer: ok });
  const [request] = requests;
  if (request === undefined) throw new Error("nothing was sent");
  const { headers, body = "" } = request;
  expect(body).toMatch(/^\{ "b": {2}1, "id": "[\da-f-]{36}" \}$/);
  const signature = createHmac("sha256", SECRET).update(`${headers["x-date"]}.${body}`).digest("base64");
  expect(headers["x-signature"]).toBe(`v1=${signature}`);
  expect(result.steps[0]?.outputs).toEqual({ o: "v1=[redacted]", again: "[redacted]" });
  expect(JSON.stringify(result)).not.toContain(signature.slice(0, 20));
});

test("what a function made of a secret goes only to the hosts of the secret", async () => {
  const sends = (url: string) =>
    main(
      `{ stepId: send, x-operation: { method: POST, url: "${url}" }, parameters: [{ name: X-Signature, in: header, value: "{$fn.upper($fn.sha256($inputs.pass))}" }] }`,
    );
  const to = async (url: string) => {
    const built = await buildText(documentText({ workflows: sends(url) }), {
      file: "t.yaml",
      sources: { api: SOURCE },
    });
    if (!built.ok) throw new Error(JSON.stringify(built.problems));
    return playArtifact(built.artifact, SECRET, ok);
  };
  expect((await to("https://api.example/x")).requests).toHaveLength(1);
  const foreign = await to("https://other.example/x");
  expect(foreign.requests).toEqual([]);
  expect(foreign.result.error?.message).toContain("The secret PASS is not for other.example");
});

const KEY = "-----BEGIN KEY-----\nkq7-Zx3.Wm9\nTb5-Yv8.Lp2\n";

test.each([1, 2, 3, 4, 5, 6, 7])("a secret that $fn.json escaped %d times is found", async (times) => {
  const escaped = `${"$fn.json(".repeat(times)}$inputs.pass${")".repeat(times)}`;
  const send = async (url: string, value: string) => {
    const workflows = main(
      `{ stepId: send, x-operation: { method: POST, url: "${url}" }, requestBody: { contentType: application/json, payload: { key: "${value}" } }, outputs: { again: "${value}" } }`,
    );
    const built = await buildText(documentText({ workflows }), { file: "t.yaml", sources: { api: SOURCE } });
    if (!built.ok) throw new Error(JSON.stringify(built.problems));
    return playArtifact(built.artifact, KEY, ok);
  };
  for (const value of [escaped, `$fn.base64(${escaped})`]) {
    const own = await send("https://api.example/x", value);
    expect(own.requests).toHaveLength(1);
    expect(own.text).not.toMatch(/kq7-Zx3|Tb5-Yv8/);
    expect((await send("https://other.example/x", value)).requests).toEqual([]);
  }
});

test("what functions make of secrets is limited in a run, not in each of its workflows", async () => {
  const { result } = await play({
    workflows: `${main([1, 2, 3, 4, 5, 6].map((n) => `{ stepId: s${n}, workflowId: child, parameters: [{ name: pass, value: $inputs.pass }] }`).join(", "))}
  - workflowId: child
    inputs: { type: object, properties: { pass: { type: string } } }
    steps: [{ stepId: s, operationId: a, outputs: { made: "$fn.upper($fn.join('', $inputs.pass, $response.body))" } }]`,
    secret: SECRET,
    answer: (_, n) => ({ status: 200, type: "text/plain", body: `${n} `.repeat(450_000) }),
  });
  expect(result.status).toBe("failed");
  expect(JSON.stringify(result)).toContain("functions have made secrets of more than 4 MiB");
});

test("that holds for a run that continues from a checkpoint, too", async () => {
  const workflows = main(
    `{ stepId: one, operationId: a, outputs: { made: $fn.sha256($inputs.pass) } }, { stepId: two, x-operation: { method: POST, url: "https://other.example/" }, requestBody: { contentType: text/plain, payload: "x {$steps.one.outputs.made}" } }`,
  );
  const built = await buildText(documentText({ workflows }), { file: "t.yaml", sources: { api: SOURCE } });
  if (!built.ok) throw new Error(JSON.stringify(built.problems));
  const { transport, requests } = fakeTransport(ok);
  const deps = {
    transport: guardSecrets(transport, { PASS: { value: SECRET, hosts: ["api.example"] } }),
    clock: virtualClock(),
  };
  let checkpoint: unknown;
  const leave = run(built.artifact, {
    secret: SECRET,
    deps,
    onCheckpoint: (state) => {
      checkpoint = JSON.parse(JSON.stringify(state));
      return "leave";
    },
  });
  await expect(leave).rejects.toThrow(RunLeft);
  const result = await run(built.artifact, { secret: SECRET, deps, resume: { checkpoint } });
  expect(requests.map(({ url }) => url)).toEqual(["https://api.example/a"]);
  expect(result.error?.message).toContain("The secret PASS is not for other.example");
  expect(JSON.stringify(result)).not.toContain(
    createHash("sha256").update(SECRET).digest("hex").slice(0, 12),
  );
});

test("what a function makes of a token that a response gave is hidden as the token is", async () => {
  const { result } = await play({
    workflows: main(
      `{ stepId: login, operationId: aPost, outputs: { token: $response.body#/access_token } }, { stepId: send, operationId: bPost, requestBody: { contentType: application/json, payload: { sum: "{$fn.sha256($steps.login.outputs.token)}" } } }`,
    ),
    secret: SECRET,
    answer: () => ({ status: 200, body: { access_token: "token-of-the-login" } }),
  });
  expect(result.status).toBe("passed");
  const sum = createHash("sha256").update("token-of-the-login").digest("hex");
  expect(JSON.stringify(result)).not.toContain(sum);
});

test.each([
  ["length", "$fn.length($inputs.pass)"],
  ["add", "$fn.add($inputs.pass, 1)"],
  ["randomInt", "$fn.randomInt(1, $inputs.pass)"],
  ["length of a hash", "$fn.length($fn.sha256($inputs.pass))"],
])("the compiler refuses a function that tells a part of a secret: %s", async (_name, expression) => {
  const code = expect.stringContaining("function-on-secret");
  expect(
    await problemsOf(
      main(`{ stepId: s, operationId: a, parameters: [{ name: q, in: query, value: "{${expression}}" }] }`),
    ),
  ).toEqual([code]);
  expect(await problemsOf(main(`{ stepId: s, operationId: a, outputs: { o: "${expression}" } }`))).toEqual([
    code,
  ]);
});

test("the user of an address can't be made of a secret, whatever signs it has", async () => {
  const artifact = await unchecked(
    main(
      `{ stepId: s, x-operation: { method: GET, url: "https://{$fn.base64($inputs.pass)}@api.example/" } }`,
    ).replace(/ +x-journey.*/, ""),
  );
  // Base64 of the second one has a slash, which would end the host, and of the third nothing that is escaped.
  const reasons = ["kq7-Zx3.Wm9/Tb5#", "kq7-Zx3.Wm9??????", "kq7-Zx3.Wm9"].map(async (secret) => {
    const { result } = await playArtifact(artifact, secret, ok);
    return result.steps[0]?.reason;
  });
  expect(new Set(await Promise.all(reasons))).toEqual(
    new Set([expect.stringContaining("The host or the user of the address would contain a secret")]),
  );
});

test("a secret that is JSON stays one when a function made other JSON of it", async () => {
  const artifact = await unchecked(
    main(
      `{ stepId: s, operationId: aPost, requestBody: { contentType: application/json, payload: '{"a": {$fn.lower($inputs.pass)}}' }, outputs: { o: $request.body, p: $request.body#/a/pass }, successCriteria: [{ condition: "'x' == $request.body" }] }`,
    ).replace(/ +x-journey.*/, ""),
  );
  const { text } = await playArtifact(artifact, '{"user":"Admin","pass":"Hunt3rX2"}', ok);
  expect(text).not.toMatch(/hunt3/i);
});

test("at run time such a function sees [redacted] in place of a secret, also of one that a response repeats", async () => {
  const artifact = await unchecked(
    main(
      `{ stepId: s, operationId: aPost, requestBody: { contentType: text/plain, payload: "{$inputs.pass}" }, outputs: { o: $fn.length($inputs.pass), p: $fn.length($response.body#/echo), q: $fn.length($fn.base64($inputs.pass)) } }`,
    ).replace(/ +x-journey.*/, ""),
  );
  const { result } = await playArtifact(artifact, SECRET, ({ body }) => ({
    status: 200,
    body: { echo: body },
  }));
  expect(result.steps[0]?.outputs).toEqual({ o: 10, p: 10, q: 10 });
});

test("conditions, selectors and hosts are refused what a function made of a secret", async () => {
  const hash = "$fn.sha256($inputs.pass)";
  expect(
    await problemsOf(
      main(`{ stepId: s, operationId: a, successCriteria: [{ condition: "${hash} == 'ab'" }] }`),
    ),
  ).toEqual([expect.stringContaining("assertion-on-secret")]);
  expect(
    await problemsOf(
      main(
        `{ stepId: s, operationId: a, successCriteria: [{ context: "${hash}", type: regex, condition: ^a }] }`,
      ),
    ),
  ).toEqual([expect.stringContaining("assertion-on-secret")]);
  expect(
    await problemsOf(
      main(
        `{ stepId: s, operationId: a, outputs: { o: { context: "${hash}", selector: "$", type: jsonpath } } }`,
      ),
    ),
  ).toEqual([expect.stringContaining("selector-on-secret")]);
  expect(
    await problemsOf(
      main(`{ stepId: s, x-operation: { method: GET, url: "https://{$fn.lower($inputs.pass)}.example/" } }`),
    ),
  ).toEqual([expect.stringContaining("secret-in-host")]);
  expect(
    await problemsOf(
      main(`{ stepId: s, operationId: a, successCriteria: [{ condition: "${hash} != null" }] }`),
    ),
  ).toEqual([]);
});

test("a misspelled function is an error at its place, and so is a name without $fn.", async () => {
  expect(
    await problemsOf(
      main(`{ stepId: s, operationId: a, parameters: [{ name: q, in: query, value: "{$fn.uid()}" }] }`),
    ),
  ).toEqual(["9 invalid-expression: There is no function $fn.uid: did you mean $fn.uuid?"]);
});

test("a name of a function without $fn. is no expression, and a warning says how to write it", async () => {
  const text = documentText({
    workflows: main(`{ stepId: s, operationId: a, parameters: [{ name: q, in: query, value: "x {$now}" }] }`),
  });
  const built = await buildText(text, { file: "t.yaml", sources: { api: SOURCE } });
  expect(built.problems.map(({ message }) => message)).toContain(
    "{$now} is sent as text, because it is no expression: write {$fn.now()}.",
  );
});

test("each place has its own random value, and each attempt another one", async () => {
  const ids = ({ body }: FakeRequest) => Object.values(JSON.parse(body ?? "{}") as Record<string, string>);
  const workflows = main(
    `{ stepId: s, operationId: aPost, requestBody: { payload: { a: $fn.uuid(), b: $fn.uuid() } }, successCriteria: [{ condition: $statusCode == 200 }], onFailure: [{ name: again, type: retry, retryLimit: 1 }] }`,
  );
  const scenario = {
    workflows,
    secret: SECRET,
    options: { seed: "s" },
    answer: (_: FakeRequest, n: number) => ({ status: n === 1 ? 500 : 200, body: {} }),
  };
  const first = await play(scenario);
  expect(new Set(first.requests.flatMap(ids)).size).toBe(4);
  expect((await play(scenario)).requests).toEqual(first.requests);
});

test("a value that is missing ends a request, and is missing in a condition and an output", async () => {
  const request = await play({
    workflows: main(
      `{ stepId: s, operationId: a, parameters: [{ name: X-Signature, in: header, value: "{$fn.sha256($fn.requestBody())}" }] }`,
    ),
    secret: SECRET,
    answer: ok,
  });
  expect(request.requests).toEqual([]);
  expect(request.result.error?.message).toBe(
    "The request can't be made: $fn.requestBody has a value only in the parameters of a request with a body.",
  );
  const { result } = await play({
    workflows: main(
      `{ stepId: s, operationId: a, outputs: { o: $fn.lower($response.body#/no) }, successCriteria: [{ condition: $fn.length($response.body#/items) == 2 }, { condition: $fn.lower($response.body#/no) == null }] }`,
    ),
    secret: SECRET,
    answer: () => ({ status: 200, body: { items: [1, 2] } }),
  });
  expect(result.status).toBe("passed");
  expect(result.steps[0]?.outputs).toEqual({ o: null });
});
