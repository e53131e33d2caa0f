import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { ciSnippets } from "../../web/src/lib/ci-snippets.ts";

const KEY = "wmk_aBcDeFgHiJkL_key-of-the-pipeline";
const API_URL = "https://waymark.example.com";
const NAMES = [
  "orders",
  "team/orders@v1.2",
  "${{ secrets.WAYMARK_API_KEY }}",
  "a ${{ '${{ github.token }}' }} b ${{",
  "x\n      env: { EVIL: 1 }\n    - run: touch evil",
  "x\r\n- evil",
  "$(touch evil) `touch evil` $HOME ${HOME} $$ $[[ inputs.a ]]",
  `it's "quoted" \\ \\n`,
  "# no comment: [a, b] {c} & * ! | > % @",
  "-x",
  "--api-url=https://evil.example",
  "",
  " ",
  "null",
  "\u001b[31m\u0085\u2028\u2029\u202e\u007f\u009b\ufeff",
  "größe 日本 🎉",
];

interface Step {
  run?: string;
  env?: Record<string, string>;
}

/** Evaluates a value like GitHub: an expression with a quoted text is that text, any other is a secret. */
function evaluated(value: string): string {
  return value.replace(/\$\{\{\s*(?:'((?:[^']|'')*)'|[^}]*)\s*\}\}/g, (_, text?: string) => text ?? "SECRET");
}

/** A folder with a command `waymark` that prints its arguments, and `npm` that prints what it can see of the key. */
async function fakeCommands() {
  const folder = await mkdtemp(path.join(tmpdir(), "waymark-ci-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const say = `#!${process.execPath}\nconsole.log(JSON.stringify({ args: process.argv.slice(2), env: process.env, cwd: process.cwd() }));\n`;
  const install = `#!${process.execPath}
const { env, argv, cwd } = process;
console.log(JSON.stringify({ npm: argv.slice(2), hasKey: JSON.stringify(env).includes(${JSON.stringify(KEY)}), cwd: cwd() }));
`;
  const bin = path.join(folder, "bin");
  await mkdir(bin);
  await mkdir(path.join(folder, "checkout"));
  await writeFile(path.join(bin, "waymark"), say);
  await writeFile(path.join(bin, "npm"), install);
  for (const name of ["waymark", "npm"]) await chmod(path.join(bin, name), 0o755);
  await mkdir(path.join(folder, "temp/waymark/node_modules/.bin"), { recursive: true });
  await writeFile(path.join(folder, "temp/waymark/node_modules/.bin/waymark"), say);
  await chmod(path.join(folder, "temp/waymark/node_modules/.bin/waymark"), 0o755);
  const run = (script: string, env: Record<string, string>): Seen[] => {
    const output = execFileSync("bash", ["--norc", "-eo", "pipefail", "-c", script], {
      cwd: path.join(folder, "checkout"),
      env: {
        PATH: `${bin}:${process.env["PATH"] ?? ""}`,
        RUNNER_TEMP: path.join(folder, "temp"),
        GITHUB_PATH: path.join(folder, "github-path"),
        ...env,
      },
      encoding: "utf8",
    });
    return output.split("\n").flatMap((line): Seen[] => (line.startsWith("{") ? [JSON.parse(line)] : []));
  };
  return { folder, run };
}

interface Seen {
  args?: string[];
  npm?: string[];
  hasKey?: boolean;
  env?: Record<string, string>;
  cwd: string;
}

/** The value of --service as the command reads it, in both notations. */
function serviceOf(args: string[] = []): string | undefined {
  const at = args.indexOf("--service");
  return at >= 0
    ? args[at + 1]
    : args.find((arg) => arg.startsWith("--service="))?.slice("--service=".length);
}

describe.each(NAMES.map((name) => [JSON.stringify(name), name] as const))(
  "the jobs for the service %s",
  (_, name) => {
    const { github, gitlab } = ciSnippets({ apiUrl: API_URL, service: name });

    test("on GitHub scan exactly that service, whatever is in its name", async () => {
      const { run, folder } = await fakeCommands();
      const job: { waymark: { steps: Step[] } } = parse(github.text);
      const [, install, scan] = job.waymark.steps;
      expect(job.waymark.steps).toHaveLength(3);
      expect(Object.keys(install?.env ?? {})).toEqual(["WAYMARK_PACKAGE"]);
      const env = Object.fromEntries(
        Object.entries(scan?.env ?? {}).map(([variable, value]) => [variable, evaluated(value)]),
      );
      expect(env).toMatchObject({ SERVICE_API_URL: API_URL, SERVICE_API_KEY: "SECRET" });
      expect(scan?.run).not.toContain("${{");
      const [seen] = run(scan?.run ?? "", env);
      expect(serviceOf(seen?.args)).toBe(name);
      expect(seen?.args?.slice(-3)).toEqual(["--spec", "openapi.yaml", "--lint"]);
      const [npm] = run(install?.run ?? "", { WAYMARK_PACKAGE: "x.tgz" });
      expect(npm?.cwd).toBe(path.join(folder, "temp"));
    });

    test("on GitLab scan exactly that service, and the name is not expanded", async () => {
      const { run } = await fakeCommands();
      const job: {
        waymark: { script: string[]; variables: Record<string, string | { value: string; expand: boolean }> };
      } = parse(gitlab.text);
      const { script, variables } = job.waymark;
      const env: Record<string, string> = {};
      for (const [variable, value] of Object.entries(variables))
        env[variable] = typeof value === "string" ? value : value.value;
      expect(variables["SERVICE_API_URL"]).toEqual({ value: API_URL, expand: false });
      const [npm, seen] = run(script.join("\n"), { ...env, WAYMARK_API_KEY: KEY });
      expect(serviceOf(seen?.args)).toBe(name);
      expect(seen?.env).toMatchObject({ SERVICE_API_URL: API_URL, SERVICE_API_KEY: KEY });
      expect(npm).toMatchObject({ cwd: "/tmp" });
    });

    test("are plain lines of text", () => {
      for (const { text } of [github, gitlab])
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/);
    });
  },
);

describe("the templates of deploy/", () => {
  test("the action gives the key only to the scan, in the environment, with the address from its input", async () => {
    const { run, folder } = await fakeCommands();
    const action: { runs: { steps: Step[] } } = parse(
      await readFile(path.join(root, "deploy/github-action/action.yml"), "utf8"),
    );
    const [install, scan] = action.runs.steps;
    expect(JSON.stringify(install)).not.toContain("api-key");
    for (const step of action.runs.steps) expect(step.run).not.toContain("${{");
    const [npm] = run(install?.run ?? "", { WAYMARK_PACKAGE: "x.tgz" });
    expect(npm?.cwd).toBe(path.join(folder, "temp"));
    const env = {
      SERVICE_API_KEY: KEY,
      SERVICE_API_URL: API_URL,
      WAYMARK_SERVICE: "-x",
      WAYMARK_SPEC: "a b.yaml",
    };
    const [seen] = run(scan?.run ?? "", { ...env, WAYMARK_ARGUMENTS: "--lint\n--fail-on=high\n" });
    expect(seen?.args).toEqual([
      "scan",
      "--spec=a b.yaml",
      `--api-url=${API_URL}`,
      `--summary=${path.join(folder, "temp/waymark-summary.md")}`,
      "--service=-x",
      "--lint",
      "--fail-on=high",
    ]);
    expect(() => run(scan?.run ?? "", { ...env, SERVICE_API_URL: "", WAYMARK_ARGUMENTS: "" })).toThrow(
      /Set api-url/,
    );
  });

  test.each([
    ["--lint\n--fail-on=high\n", ["--lint", "--fail-on=high"]],
    ["--fail-on high\n", ["--fail-on", "high"]],
    ["  --lint  \n\n\t--rules   my rules.yaml  \r\n", ["--lint", "--rules", "my rules.yaml"]],
    ["--report-sarif=out put.sarif", ["--report-sarif=out put.sarif"]],
    ["--severity $(touch evil)=high", ["--severity", "$(touch evil)=high"]],
    ["--rules C:\\api\\*.yaml", ["--rules", "C:\\api\\*.yaml"]],
  ])("the action passes the options %j", async (lines, expected) => {
    const { run } = await fakeCommands();
    const action: { runs: { steps: Step[] } } = parse(
      await readFile(path.join(root, "deploy/github-action/action.yml"), "utf8"),
    );
    const env = {
      SERVICE_API_KEY: KEY,
      SERVICE_API_URL: API_URL,
      WAYMARK_SERVICE: "s",
      WAYMARK_SPEC: "a.yaml",
    };
    const [seen] = run(action.runs.steps[1]?.run ?? "", { ...env, WAYMARK_ARGUMENTS: lines });
    expect(seen?.args?.slice(5)).toEqual(expected);
  });

  test("the GitLab job needs the address, and has no secret on a command line", async () => {
    const text = await readFile(path.join(root, "deploy/gitlab/waymark-scan.yml"), "utf8");
    const job: { ".waymark-scan": { script: string[] } } = parse(text);
    const { run } = await fakeCommands();
    const script = job[".waymark-scan"].script.join("\n").replaceAll("/tmp/waymark/node_modules/.bin/", "");
    const env = {
      SERVICE_API_KEY: KEY,
      WAYMARK_PACKAGE: "x.tgz",
      WAYMARK_SERVICE: "orders",
      WAYMARK_SPEC: "a.yaml",
    };
    const [npm, seen] = run(script, { ...env, SERVICE_API_URL: API_URL, WAYMARK_OPTIONS: "--lint" });
    expect(npm).toMatchObject({ cwd: "/tmp", hasKey: false });
    expect(npm?.npm?.at(-1)).toBe("x.tgz");
    const [own] = run(script, { ...env, WAYMARK_PACKAGE: "", SERVICE_API_URL: `${API_URL}/` });
    expect(own).toMatchObject({ cwd: "/tmp", hasKey: false });
    expect(own?.npm?.at(-1)).toBe(`${API_URL}/downloads/waymark.tgz`);
    expect(JSON.stringify(seen?.args)).not.toContain(KEY);
    expect(seen?.args).toContain(`--api-url=${API_URL}`);
    expect(() => run(script, { ...env, SERVICE_API_URL: "" })).toThrow(/Set SERVICE_API_URL/);
  });

  test.each(["deploy/github-action/action.yml", "deploy/gitlab/waymark-scan.yml"])(
    "%s says what pull_request_target does",
    async (file) => {
      expect(await readFile(path.join(root, file), "utf8")).toContain("pull_request_target");
    },
  );
});

describe("the request by hand", () => {
  test("checks the key of the variable, and leaves no service behind", () => {
    const { text } = ciSnippets({ apiUrl: API_URL }).curl;
    // Prints the arguments that the shell gives to curl.
    const script = `curl() { printf '%s\\0' "$@"; }\n${text}`;
    const env = { ...process.env, WAYMARK_API_KEY: KEY };
    const args = execFileSync("bash", ["--norc", "-ec", script], { encoding: "utf8", env }).split("\0");
    expect(args).toEqual([`${API_URL}/api/api-keys/self`, "--header", `Authorization: Bearer ${KEY}`, ""]);
  });
});
