import { describe, expect, test } from "vitest";
import { checkDestination } from "../api/key-destination.ts";
import { commandDefinitions } from "../test-support/command-definitions.ts";
import { answerJson, RUN_ID, startFakeServer } from "../test-support/fake-server.ts";
import { startProxy } from "../test-support/fake-proxy.ts";
import { runCaptured, temporaryFolder } from "../test-support/run-captured.ts";

const SPEC = '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{}}';
const KEY = "wmk_aBcDeFgHiJkL_this-is-the-key-of-the-pipeline";

/** Every command that sends the key, with its other arguments. A new one without an entry fails below. */
const KEYED: Record<string, string[]> = {
  scan: ["--service", "s", "--spec", "openapi.json"],
  flush: ["--spool", "spool"],
  diff: ["current", RUN_ID, "--service", "s"],
  approve: [RUN_ID],
  decide: [RUN_ID],
  decisions: [],
  doctor: ["--service", "s"],
  "journey push": [],
  "journey pull": [],
  "journey status": [],
  "journey run": ["--cloud", "--env", "e", "a.journey.yaml"],
  "journey coverage": ["--cloud"],
  "journey runs": [],
  "journey result": [RUN_ID],
  "journey cancel": [RUN_ID],
  "journey upload": ["result.json"],
  "journey schedule list": [],
  "journey schedule set": ["s", "--cron", "0 0 * * *"],
  "journey schedule pause": ["s"],
  "journey schedule resume": ["s"],
  "journey schedule remove": ["s"],
  "environment list": [],
  "environment show": ["e"],
  "environment set": ["e", "--server", "api=https://api.example.com"],
  "environment delete": ["e"],
  "secret list": ["--env", "e"],
  "secret remove": ["TOKEN", "--env", "e"],
  "secret set": ["TOKEN", "--env", "e"],
};

async function checkout(projectFile = "") {
  const folder = await temporaryFolder();
  await folder.write("openapi.json", SPEC);
  await folder.write("waymark.yaml", projectFile);
  const scan = {
    version: 1,
    idempotencyKey: "a",
    scannedAt: "2026-01-01T00:00:00Z",
    payload: {
      service: { name: "s" },
      spec: { hash: "0".repeat(64), format: "openapi" },
      endpoints: [],
      findings: [],
    },
  };
  await folder.write("spool/a.scan.json", JSON.stringify(scan));
  await folder.write("result.json", JSON.stringify({ schema: "journey-result/1", runId: RUN_ID }));
  await folder.write("a.journey.yaml", "arazzo: 1.1.0\n");
  await folder.write("key.txt", KEY);
  return folder.path;
}

test("every command with an address is tested here", async () => {
  const withAddress = (await commandDefinitions()).filter(({ options }) => options.includes("--api-url"));
  // The first sends nothing. The others take no key from options or the environment: login.test.ts.
  const others = ["init", "login", "logout"];
  expect(withAddress.map(({ name }) => name).toSorted()).toEqual(
    [...Object.keys(KEYED), ...others].toSorted(),
  );
});

/** Runs a command with a secret on standard input, which one command reads. */
const run: typeof runCaptured = (args, options) => runCaptured(args, { stdin: "kE3p-me-s4fe!", ...options });

describe.each(Object.entries(KEYED))("waymark %s and an address of waymark.yaml", (command, args) => {
  const line = [...command.split(" "), ...args];

  test.each([
    ["the environment", { SERVICE_API_KEY: KEY }, []],
    ["an option", {}, ["--api-key", KEY]],
    ["a file", {}, ["--api-key-file", "key.txt"]],
  ])("gets no key from %s, also on loopback", async (_, env, keyArgs) => {
    const attacker = await startFakeServer();
    const cwd = await checkout(`url: ${attacker.url}\n`);
    const { host } = new URL(attacker.url);
    const result = await run([...line, ...keyArgs], { cwd, env });
    expect(result.exitCode).toBe(2);
    const said = result.stdout + result.stderr;
    expect(said).toContain(`The API key is not sent to ${host}: that address comes from waymark.yaml`);
    expect(said).toContain(`--allow-host ${host} or WAYMARK_ALLOWED_HOSTS=${host}`);
    expect(said).toMatch(/--api-url or SERVICE_API_URL/);
    expect(said).not.toContain(KEY);
    expect(attacker.requests).toEqual([]);
  });

  test("is not avoided by leaving it out: the default host must be allowed too", async () => {
    const env = { SERVICE_API_KEY: KEY, WAYMARK_ALLOWED_HOSTS: "waymark.example.com" };
    const result = await run(line, { cwd: await checkout(), env });
    expect(result.exitCode).toBe(2);
    expect(result.stdout + result.stderr).toContain(
      "The API key is not sent to 127.0.0.1:3000: no address is given, and the default one is none of the allowed hosts.",
    );
  });

  test("gets it if the operator allowed exactly this host and port, or set the address", async () => {
    const server = await startFakeServer((_request, response) => answerJson(response, 418, {}));
    const cwd = await checkout(`url: ${server.url}\n`);
    const { host } = new URL(server.url);
    const env = { SERVICE_API_KEY: KEY };
    const attempts: [string[], Record<string, string>][] = [
      [["--allow-host", host], env],
      [["--allow-host", "a.example", "--allow-host", host], env],
      [[], { ...env, WAYMARK_ALLOWED_HOSTS: `a.example, ${host}` }],
      [["--api-url", server.url], env],
      [[], { ...env, SERVICE_API_URL: server.url }],
      [[], { ...env, SERVICE_BASE_URL: server.url }],
    ];
    for (const [more, environment] of attempts) {
      server.requests.length = 0;
      await run([...line, ...more], { cwd, env: environment });
      expect([more, server.requests.length > 0]).toEqual([more, true]);
    }
    server.requests.length = 0;
    for (const other of ["127.0.0.1", "127.0.0.1:1", "localhost", "example.com"]) {
      const result = await run([...line, "--allow-host", other], { cwd, env });
      expect([other, result.exitCode]).toEqual([other, 2]);
    }
    expect(server.requests).toEqual([]);
  });

  test("never follows a redirect with it", async () => {
    const other = await startFakeServer();
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await startFakeServer((_request, response) =>
        answerJson(response, status, {}, { location: `${other.url}/api/scans/ingest` }),
      );
      const cwd = await checkout(`url: ${server.url}\n`);
      const env = { SERVICE_API_KEY: KEY, WAYMARK_ALLOWED_HOSTS: new URL(server.url).host };
      expect((await run(line, { cwd, env })).exitCode).not.toBe(0);
    }
    expect(other.requests).toEqual([]);
  });

  test("and an address over http:// to another machine gets no key without --allow-http", async () => {
    const target = await startFakeServer((_request, response) => answerJson(response, 418, {}));
    const proxy = await startProxy({ port: Number(new URL(target.url).port) });
    const env = { SERVICE_API_KEY: KEY, HTTP_PROXY: proxy.url };
    const cwd = await checkout();
    const overHttp = [...line, "--api-url", "http://waymark.test"];
    const refused = await run(overHttp, { cwd, env });
    expect(refused.exitCode).toBe(2);
    expect(refused.stdout + refused.stderr).toContain("is not sent to waymark.test over http://");
    expect(refused.stdout + refused.stderr).toContain("--allow-http or set WAYMARK_ALLOW_HTTP=true");
    expect(proxy.asked).toEqual([]);
    await run([...overHttp, "--allow-http"], { cwd, env });
    expect(proxy.asked.length).toBeGreaterThan(0);
    proxy.asked.length = 0;
    await run(overHttp, { cwd, env: { ...env, WAYMARK_ALLOW_HTTP: "true" } });
    expect(proxy.asked.length).toBeGreaterThan(0);
    const unclear = await run(overHttp, { cwd, env: { ...env, WAYMARK_ALLOW_HTTP: "yes, please" } });
    expect(unclear.exitCode).toBe(2);
  });
});

const LOOPBACK = [
  "127.0.0.1",
  "127.1",
  "127.255.255.254",
  "localhost",
  "LOCALHOST",
  "[::1]",
  "0x7f.1",
  "2130706433",
];
const MAPPED = ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]"];
const OTHERS = [
  "localhost.evil.com",
  "127.0.0.1.nip.io",
  "127.0.0.1.",
  "localhost.",
  "0.0.0.0",
  "[::]",
  "0",
  "128.0.0.1",
  "3232235777",
  "[::ffff:10.0.0.1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "10.0.0.1",
  "waymark",
  "xn--lcalhost-54a.com",
];
/** The beginning of the refusal. */
function refusalOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 26) : String(error);
  }
}

const FREE = { apiUrl: "", chosenBy: "operator" as const, allowedHosts: [], allowHttp: false };

test.each([...LOOPBACK, ...MAPPED])("http://%s is this machine", (host) => {
  expect(() => checkDestination(new URL(`http://${host}:3000`), FREE)).not.toThrow();
});

// Hosts that the URL parser normalizes to 127.0.0.1, such as "127.0.0.1.".
test.each(OTHERS.filter((host) => new URL(`http://${host}`).hostname !== "127.0.0.1"))(
  "http://%s is another machine, or may be",
  (host) => {
    expect(() => checkDestination(new URL(`http://${host}:3000`), FREE)).toThrow(/over http:/);
    expect(() => checkDestination(new URL(`https://${host}:3000`), FREE)).not.toThrow();
    expect(() =>
      checkDestination(new URL(`http://${host}:3000`), { ...FREE, allowHttp: true }),
    ).not.toThrow();
  },
);

test.each([
  ["https://waymark.example.com", "waymark.example.com", true],
  ["https://waymark.example.com:443", "WAYMARK.example.com", true],
  ["https://waymark.example.com", "waymark.example.com:443", true],
  ["https://waymark.example.com:8443", "waymark.example.com:8443", true],
  ["https://waymark.example.com:8443", "waymark.example.com", false],
  ["https://waymark.example.com", "example.com", false],
  ["https://waymark.example.com.evil.org", "waymark.example.com", false],
  ["https://evil-waymark.example.com", "waymark.example.com", false],
  ["https://waymark.example.com.", "waymark.example.com", false],
  ["https://bücher.example", "bücher.example", true],
  ["https://[2001:db8::1]:8443", "[2001:db8::1]:8443", true],
  ["https://[2001:db8::1]", "[2001:DB8:0::1]", true],
])("%s is allowed by %s: %s", (url, allowed, isAllowed) => {
  const check = () => checkDestination(new URL(url), { ...FREE, chosenBy: "file", allowedHosts: [allowed] });
  expect(refusalOf(check)).toBe(isAllowed ? undefined : "The API key is not sent to");
});

test.each(["*", "*.example.com", "https://waymark.example.com", "a/b", "user@a", "a:b", ":443", "[::1"])(
  "an allowed host that is none is told: %s",
  (entry) => {
    const check = () => checkDestination(new URL("https://a"), { ...FREE, allowedHosts: [entry] });
    expect(check).toThrow(/take host or host:port/);
  },
);

test.each([
  "https://waymark.example.com\n::error::x",
  "https://waymark.example.com/\u0007",
  "https://way\tmark.example.com",
  "https://waymark.example.com/\u202egnp.exe",
  " https://waymark.example.com/ a",
])("an address with a line break, a control character or a space is refused: %j", async (url) => {
  const cwd = await checkout(`url: ${JSON.stringify(url)}\n`);
  const env = { SERVICE_API_KEY: KEY, WAYMARK_ALLOWED_HOSTS: "waymark.example.com" };
  const result = await runCaptured(["doctor"], { cwd, env });
  expect(result.exitCode).toBe(2);
  expect(result.stdout).toMatch(
    /^ok +settings: waymark\.yaml\nfailed {3}--api-url must be an http:\/\/ or https:\/\/ address[^\n]*\n$/,
  );
});
