import { describe, expect, test } from "vitest";
import { buildText } from "./support/build.ts";
import { documentText, SOURCE } from "./support/fake.ts";
import type { FakeAnswer, FakeRequest } from "./support/fake.ts";
import { playArtifact, unchecked } from "./support/unchecked.ts";

const SECRET = "kq7-Zx3.Wm9/Tb5";

const inputs = (type = "type: string") =>
  `inputs: { type: object, properties: { pass: { ${type} }, guess: { type: string, default: a } } }`;
const main = (steps: string, more = "") => `
  - workflowId: main
    ${inputs()}
    steps: [${steps}]
    ${more}`;
const CALL = "stepId: send, operationId: aPost";
const sends = (payload: string, outputs: string) =>
  main(
    `{ ${CALL}, requestBody: { contentType: application/json, payload: ${payload} }, outputs: { o: ${outputs} } }`,
  );
const PASS = "{ a: $inputs.pass }";

async function playUnchecked(
  workflows: string,
  secret: string,
  answer: (request: FakeRequest) => FakeAnswer,
) {
  return playArtifact(await unchecked(workflows), secret, answer);
}

/** Everything that the author learns from a run. Another secret of the same form must give the same. */
async function learned(workflows: string, secret: string): Promise<string> {
  const answer = ({ body, headers }: FakeRequest): FakeAnswer => ({
    status: 200,
    body: { token: "login-token-1", echo: body, key: headers["x-key"] ?? null },
  });
  const { text, requests } = await playUnchecked(workflows, secret, answer);
  const hosts = requests.map(({ url }) => new URL(url).host);
  const times = /"(?:runId|seed|startedAt|ms)":("[^"]*"|\d+),?/g;
  return `${text.replaceAll(times, "")} ${hosts.join(" ")}`;
}

/** Each with the problem that the compiler reports where the input is declared a secret; none where only a response tells. */
const ATTACKS: [name: string, workflows: string, code: string | undefined][] = [
  [
    "a JSONPath filter over an output",
    sends(PASS, "{ context: $request.body, selector: \"$[?match(@, 'k.*')]\", type: jsonpath }"),
    "selector-on-secret",
  ],
  [
    "an XPath over an output",
    main(
      `{ ${CALL}, outputs: { o: "<a>{$inputs.pass}</a>" } }, { stepId: two, operationId: b, outputs: { p: { context: $steps.send.outputs.o, selector: "substring(/a, 1, 3)", type: xpath } } }`,
    ),
    "selector-on-secret",
  ],
  [
    "an XPath over a body",
    main(
      `{ ${CALL}, requestBody: { contentType: text/xml, payload: "<a>{$inputs.pass}</a>" }, outputs: { o: { context: $request.body, selector: "string-join(for $c in string-to-codepoints(string(/a)) return string($c), ' ')", type: xpath } } }`,
    ),
    "selector-on-secret",
  ],
  [
    "a filter with the secret in its text",
    sends(PASS, "{ context: $response.body, selector: \"$[?@ < '{$inputs.pass}']\", type: jsonpath }"),
    "selector-on-secret",
  ],
  [
    "a pattern over a body",
    main(
      `{ ${CALL}, requestBody: { contentType: application/json, payload: ${PASS} }, successCriteria: [{ context: $request.body, type: regex, condition: "kq7" }] }`,
    ),
    "assertion-on-secret",
  ],
  [
    "a pattern over a response that has the secret",
    main(
      `{ ${CALL}, requestBody: { contentType: application/json, payload: ${PASS} }, successCriteria: [{ context: $response.body, type: regex, condition: "kq7" }] }`,
    ),
    undefined,
  ],
  [
    "a pattern over an address",
    main(
      `{ stepId: send, x-operation: { method: GET, url: "https://api.example/x?p={$inputs.pass}" }, successCriteria: [{ context: $url, type: regex, condition: "p=kq7" }] }`,
    ),
    "assertion-on-secret",
  ],
  [
    "a comparison of order",
    main(`{ ${CALL}, successCriteria: [{ condition: $inputs.pass < 'm' }] }`),
    "assertion-on-secret",
  ],
  [
    "a comparison with a response that has the secret",
    main(
      `{ ${CALL}, parameters: [{ name: X-Key, in: header, value: $inputs.pass }], successCriteria: [{ condition: $response.body#/key < 'm' }] }`,
    ),
    undefined,
  ],
  [
    "a selector over a response that has the secret",
    main(
      `{ ${CALL}, parameters: [{ name: X-Key, in: header, value: $inputs.pass }], outputs: { o: { context: $response.body, selector: "$[?match(@, 'k.*')]", type: jsonpath } } }`,
    ),
    undefined,
  ],
  [
    "a selector over an output that came from such a response",
    main(
      `{ ${CALL}, parameters: [{ name: X-Key, in: header, value: $inputs.pass }], outputs: { o: $response.body } }, { stepId: two, operationId: b, outputs: { p: { context: $steps.send.outputs.o, selector: "$[?match(@, 'k.*')]", type: jsonpath } } }`,
    ),
    undefined,
  ],
  [
    "an action",
    main(
      `{ ${CALL}, onSuccess: [{ name: x, type: end, criteria: [{ condition: $inputs.pass > 'm' }] }] }, { stepId: two, operationId: b }`,
    ),
    "assertion-on-secret",
  ],
  [
    "a pattern of an input",
    `
  - workflowId: main
    ${inputs("type: string, pattern: ^kq7")}
    steps: [{ ${CALL} }]`,
    "secret-input-schema",
  ],
  [
    "a pattern of an input of a called workflow",
    `${main("{ stepId: call, workflowId: sub, parameters: [{ name: word, value: $inputs.pass }] }")}
  - workflowId: sub
    inputs: { type: object, properties: { word: { type: string, pattern: ^kq7 } } }
    steps: [{ ${CALL} }]`,
    "secret-input-schema",
  ],
  [
    "a condition of a schema over all inputs",
    `${main("{ stepId: call, workflowId: sub, parameters: [{ name: word, value: $inputs.pass }] }")}
  - workflowId: sub
    inputs: { type: object, properties: { word: true }, if: { properties: { word: { pattern: ^kq7 } } }, then: { required: [gone] } }
    steps: [{ ${CALL} }]`,
    "secret-input-schema",
  ],
  [
    "the target of a replacement",
    main(
      `{ ${CALL}, requestBody: { contentType: application/json, payload: { k: m }, replacements: [{ target: "$[?@ < '{$inputs.pass}']", targetSelectorType: jsonpath, value: 2 }] } }`,
    ),
    "secret-in-replacement",
  ],
  [
    "a query of a replacement over the payload",
    main(
      `{ ${CALL}, requestBody: { contentType: application/json, payload: ${PASS}, replacements: [{ target: "$[?match(@, 'k.*')]", targetSelectorType: jsonpath, value: 2 }] } }`,
    ),
    "secret-in-replacement",
  ],
  [
    "a query of a replacement after another one that put the secret into the payload",
    main(
      `{ ${CALL}, requestBody: { contentType: application/json, payload: { k: m }, replacements: [{ target: $.k, targetSelectorType: jsonpath, value: { p: "<{$inputs.pass}>" } }, { target: "$..[?search(@, 'kq')]", targetSelectorType: jsonpath, value: 2 }] } }`,
    ),
    "secret-in-replacement",
  ],
  [
    "the host of an address",
    main(`{ stepId: send, x-operation: { method: GET, url: "https://{$inputs.pass}.example/" } }`),
    "secret-in-host",
  ],
  [
    "a part of a host",
    main(`{ stepId: send, x-operation: { method: GET, url: "https://a{$inputs.pass}" } }`),
    "secret-in-host",
  ],
];

describe("an artifact that was not checked tells nothing of a secret by", () => {
  test.each(ATTACKS)("%s", async (_name, workflows) => {
    // Each piece that an attack looks at differs: characters, and the order among other texts.
    const other = "zw4-Pd8.Vc2/Hn6";
    const [one, two] = [await learned(workflows, SECRET), await learned(workflows, other)];
    expect(one).not.toMatch(/Zx3|Wm9/i);
    expect(one).toBe(two);
  });
});

/** The workflows with `pass` declared as a secret of the environment. */
const declared = (workflows: string) =>
  documentText({ workflows })
    .replace("version: 1.0.0", "version: 1.0.0, x-journey: { schema: 1 }")
    .replace(
      "workflowId: main\n",
      "workflowId: main\n    x-journey: { secrets: { pass: { ref: env:PASS } } }\n",
    );

async function problemsOf(workflows: string): Promise<string[]> {
  const built = await buildText(declared(workflows), { file: "t.yaml", sources: { api: SOURCE } });
  return built.problems.map(({ severity, code }) => `${severity} ${code}`);
}

describe("the compiler refuses", () => {
  test.each(ATTACKS.filter(([, , code]) => code !== undefined))("%s", async (_name, workflows, code) => {
    expect(await problemsOf(workflows)).toContain(`error ${code}`);
  });

  test.each([
    [
      "a selector over an address",
      main(
        `{ stepId: send, x-operation: { method: GET, url: "https://api.example/{$inputs.pass}" }, outputs: { o: { context: $url, selector: "substring(., 2, 3)", type: xpath } } }`,
      ),
    ],
    [
      "a selector over the whole request of a called workflow",
      `${main("{ stepId: call, workflowId: sub, parameters: [{ name: word, value: $inputs.pass }], outputs: { o: { context: $request.body, selector: $.a, type: jsonpath } } }")}
  - workflowId: sub
    inputs: { type: object, properties: { word: { type: string } } }
    steps: [{ ${CALL}, requestBody: { payload: { a: $inputs.word } } }]`,
    ],
    [
      "a selector over a payload that a replacement fills",
      main(
        `{ ${CALL}, requestBody: { payload: { k: 1 }, replacements: [{ target: /k, value: $inputs.pass }] }, outputs: { o: { context: $request.body, selector: $.k, type: jsonpath } } }`,
      ),
    ],
    [
      "a selector in a parameter, a payload and the outputs of the workflow",
      main(
        `{ ${CALL}, parameters: [{ name: q, in: query, value: { context: $inputs.pass, selector: /0, type: jsonpointer } }] }`,
      ),
    ],
    [
      "a selector in an output of the workflow",
      main(
        `{ ${CALL}, outputs: { all: "<{$inputs.pass}>" } }`,
        'outputs: { o: { context: $steps.send.outputs.all, selector: "substring(., 2, 1)", type: xpath } }',
      ),
    ],
    [
      "a guess that is declared a secret too",
      main(
        `{ ${CALL}, outputs: { guess: $inputs.guess }, x-journey: { secretOutputs: [guess] }, successCriteria: [{ condition: $steps.send.outputs.guess == $inputs.pass }] }`,
      ),
    ],
  ])("%s", async (_name, workflows) => {
    expect((await problemsOf(workflows)).filter((problem) => problem.startsWith("error"))).toHaveLength(1);
  });

  test.each([
    [
      "a secret in a header, a query, a body and a path",
      main(
        `{ ${CALL}, parameters: [{ name: Authorization, in: header, value: "Bearer {$inputs.pass}" }, { name: q, in: query, value: $inputs.pass }], requestBody: { contentType: application/json, payload: { a: { b: $inputs.pass }, name: n } }, successCriteria: [{ condition: $statusCode == 200 }, { condition: $response.body#/name == $request.body#/name }] }, { stepId: two, x-operation: { method: GET, url: "https://api.example/x/{$inputs.pass}" } }`,
      ),
    ],
    [
      "a base address of an input before a secret in the path",
      main(`{ stepId: send, x-operation: { method: GET, url: "{$inputs.guess}/x/{$inputs.pass}" } }`),
    ],
    [
      "a token of a response with selectors, patterns and comparisons",
      main(
        `{ ${CALL}, requestBody: { payload: { a: $inputs.pass } }, outputs: { t: { context: $response.body, selector: $.token, type: jsonpath }, all: $response.body }, successCriteria: [{ context: $response.body, type: jsonpath, condition: "$[?@.token]" }, { context: $response.body#/token, type: regex, condition: ^login }] }, { stepId: two, operationId: b, parameters: [{ name: Authorization, in: header, value: "Bearer {$steps.send.outputs.t}" }], outputs: { u: { context: $steps.send.outputs.all, selector: /token, type: jsonpointer } } }`,
      ),
    ],
    [
      "a replacement by a pointer",
      main(
        `{ ${CALL}, requestBody: { contentType: application/json, payload: { k: 1, p: $inputs.pass }, replacements: [{ target: /k, value: $inputs.guess }] }, outputs: { k: $request.body#/k } }`,
      ),
    ],
  ])("not %s", async (_name, workflows) => {
    expect((await problemsOf(workflows)).filter((problem) => problem.startsWith("error"))).toEqual([]);
  });
});

test("a response that contains the secret is checked apart from it, and its other values are as they were", async () => {
  const { result, requests } = await playUnchecked(
    main(`{ ${CALL}, parameters: [{ name: X-Key, in: header, value: $inputs.pass }], successCriteria: [{ condition: $response.body#/key != null }, { context: $response.body, type: jsonpath, condition: "$[?@.name == 'Rex']" }, { condition: $response.body#/pet/name == 'Rex' }], outputs: { key: $response.body#/key, token: $response.body#/token } },
      { stepId: two, operationId: b, parameters: [{ name: X-Again, in: header, value: $steps.send.outputs.key }, { name: Authorization, in: header, value: "Bearer {$steps.send.outputs.token}" }] }`),
    SECRET,
    ({ headers }) => ({
      status: 200,
      body: { key: headers["x-key"], pet: { name: "Rex" }, token: "login-token-1" },
    }),
  );
  expect(result.status).toBe("passed");
  expect(requests[1]?.headers).toMatchObject({ "x-again": SECRET, authorization: "Bearer login-token-1" });
  expect(JSON.stringify(result)).not.toMatch(/Zx3|login-token/);
});

test("parts of a secret that is JSON are hidden where a response has them, and none is taken from the request", async () => {
  const secret = '{ "type": "account", "private_key": "-----p1-p2-p3-----", "pin": 12345678 }\n';
  const { result, text } = await playUnchecked(
    main(
      `{ ${CALL}, requestBody: { contentType: application/json, payload: $inputs.pass }, outputs: { k: $request.body#/private_key, n: $response.body#/pin } }`,
    ),
    secret,
    () => ({ status: 200, body: { pin: 12345678 } }),
  );
  expect(result.steps[0]?.outputs).toEqual({ k: null, n: "[redacted]" });
  expect(text).not.toMatch(/p1-p2|12345678/);
});

test("a secret with a quote is hidden in a pattern, where its quotes are doubled", async () => {
  const workflows = main(
    `{ ${CALL}, parameters: [{ name: X-Key, in: header, value: $inputs.pass }], successCriteria: [{ context: $request.path.p, type: xpath, condition: ". = '{$response.body#/key}'" }, { context: $response.body, type: jsonpath, condition: "$[?@.n == '{$response.body#/key}']" }] }`,
  );
  const { text, result } = await playUnchecked(workflows, "kq7'Zx3.Wm9", ({ headers }) => ({
    status: 200,
    body: { key: headers["x-key"] },
  }));
  expect(result.steps[0]?.assertions.map(({ expected }) => expected)).toEqual([
    "true for . = '[redacted]'",
    "a node at $[?@.n == '[redacted]']",
  ]);
  expect(text).not.toMatch(/Zx3|Wm9/);
});

test.each([
  ["of several lines", "kq7Zx3Wm\nTb5Rr8Ll"],
  ["with a #, behind which nothing is sent", "kq7Zx3Wm#Tb5Rr8Ll"],
])(
  "a secret %s is sent in no address that changes it, also if it is there again, escaped",
  async (_form, secret) => {
    const workflows = main(
      `{ stepId: send, x-operation: { method: GET, url: "https://api.example/{$inputs.pass}" }, parameters: [{ name: q, in: query, value: $inputs.pass }] }`,
    );
    const { text, result, requests } = await playUnchecked(workflows, secret, () => ({ status: 200 }));
    expect(requests).toEqual([]);
    expect(result.error?.message).toMatch(/^The address can't contain this secret/);
    expect(text).not.toMatch(/Zx3|Rr8/);
  },
);

test("a text that the author ends like a cut tells nothing of a secret that is known, or known later", async () => {
  for (const guess of ["kq7-Zx3", "kq7-Zx4", "Lw4-Pd8"]) {
    const { result } = await playUnchecked(
      main(
        `{ ${CALL}, outputs: { o: "${guess}… {$statusCode}" }, successCriteria: [{ condition: "$response.body#/k == '${guess}…'" }] }`,
      ),
      SECRET,
      () => ({ status: 200, body: { k: `${guess}…` } }),
    );
    expect(result.steps[0]).toMatchObject({
      outputs: { o: `${guess}… 200` },
      assertions: [{ actual: `${guess}…`, condition: `$response.body#/k == '${guess}…'` }],
    });
  }
});

test("a response that was cut in the middle of a secret shows no part of it to a pattern", async () => {
  const body = JSON.stringify({ pad: "x".repeat(5 * 1024 * 1024 - 24), key: SECRET });
  const { text, result } = await playUnchecked(
    main(
      `{ ${CALL}, successCriteria: [{ context: $response.body, type: regex, condition: "kq7" }], outputs: { end: { context: $response.body, selector: "substring(., string-length(.) - 40)", type: xpath } } }`,
    ),
    SECRET,
    () => ({ status: 200, body, type: "text/plain" }),
  );
  expect(result.steps[0]?.evidence?.truncated).toBe(true);
  expect(result.steps[0]?.assertions[0]?.status).toBe("failed");
  expect(text).not.toContain("kq7-");
});

describe("a secret that is JSON stays in one piece, however short its parts are", () => {
  const secretOf = (pass: string) => `{ "user": "admin", "pass": "${pass}" }`;
  const whole = (outputs: string, replacements = "[]") =>
    main(
      `{ ${CALL}, requestBody: { contentType: application/json, payload: $inputs.pass, replacements: ${replacements} }, outputs: { o: ${outputs} } }`,
    );
  const within = (outputs: string, replacements = "[]") =>
    main(
      `{ ${CALL}, requestBody: { contentType: application/json, payload: '{"a": {$inputs.pass}, "b": 1}', replacements: ${replacements} }, outputs: { o: ${outputs} } }`,
    );
  const echo = ({ body }: FakeRequest): FakeAnswer => ({ status: 200, body: JSON.parse(String(body)) });

  test.each([
    ["a part of the request", whole('"$request.body#/pass"')],
    ["a part of what contains it", within('"$request.body#/a/pass"')],
    ["a part of a response that repeats it", whole('"$response.body#/pass"')],
    ["a part of a larger response", within('"$response.body#/a/pass"')],
    ["a replacement in it", whole("$request.body", "[{ target: /user, value: x }]")],
    ["a replacement beside it", within("$request.body", "[{ target: /b, value: 2 }]")],
  ])("%s", async (_what, workflows) => {
    const { text, requests } = await playUnchecked(workflows, secretOf("hunt3r2"), echo);
    expect(text).not.toContain("hunt3r2");
    for (const { body } of requests) expect(String(body)).toContain(secretOf("hunt3r2"));
  });
});
