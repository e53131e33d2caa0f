import { chmod, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runCaptured, temporaryFolder } from "../../test-support/run-captured.ts";

const TEXT = `# the orders' journey
arazzo: 1.1.0
info: {title: Orders, version: 1.0.0}   # no inner spaces
sourceDescriptions:
  - {name: orders, url: ./orders.yaml}
workflows:
  - workflowId: main
    steps:
      # first of all
      - stepId: create
        operationId: 'createOrder'   # odd quotes
        outputs: { id: $response.body#/id }

      - stepId: read
        operationId: getOrder
        parameters:
        - name: id
          in: path
          value: "$steps.create.outputs.id"
`;

const SOURCE = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
servers: [{ url: "https://orders.example" }]
paths:
  /orders: { post: { operationId: createOrder, responses: {} } }
  /orders/{id}: { get: { operationId: getOrder, responses: {} } }
`;

async function journey(text = TEXT) {
  const folder = await temporaryFolder();
  const file = await folder.write("orders.journey.yaml", text);
  await folder.write("orders.yaml", SOURCE);
  const edit = (args: string[], stdin?: string) =>
    runCaptured(["journey", "edit", "orders.journey.yaml", ...args], {
      cwd: folder.path,
      ...(stdin === undefined ? {} : { stdin }),
    });
  return { folder, file, edit, text: () => readFile(file, "utf8") };
}

describe("waymark journey edit", () => {
  test("changes the characters of a value and nothing else", async () => {
    const { edit, text } = await journey();
    expect(await edit(["--set", "/info/title=Orders: all of them"])).toEqual({
      exitCode: 0,
      stdout: "orders.journey.yaml: 1 edit\n",
      stderr: "",
    });
    expect(await text()).toBe(TEXT.replace("title: Orders", 'title: "Orders: all of them"'));
  });

  test.each([
    ["12", "12"],
    ["true", "true"],
    ["null", "null"],
    ['"12"', '"12"'],
    ["1.2.3", "1.2.3"],
    ["a=b", "a=b"],
    ["", '""'],
  ])("--set reads %s as %s", async (given, written) => {
    const { edit, text } = await journey();
    await edit(["--set", `/info/title=${given}`]);
    expect(await text()).toContain(`info: {title: ${written}, version: 1.0.0}   # no inner spaces\n`);
  });

  test("renames a step and all references to it", async () => {
    const { edit, text } = await journey();
    expect(await edit(["--rename-step", "create=order"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await text()).toBe(
      TEXT.replace("stepId: create", "stepId: order").replace("$steps.create.", "$steps.order."),
    );
  });

  test("renames an assertion and the proofs that name it", async () => {
    const proven = `${TEXT}        successCriteria: [{ x-id: found, condition: $statusCode == 200 }]
    x-journey:
      acceptanceCriteria: [{ id: AC-1, text: It is there, severity: must, provenBy: [read#found] }]
`;
    const { edit, text } = await journey(proven);
    expect(await edit(["--rename-assertion", "read#found=seen"])).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await text()).toBe(proven.replaceAll("found", "seen"));
  });

  test("inserts a step from a file, moves and removes steps", async () => {
    const { folder, edit, text } = await journey();
    await folder.write("step.yaml", "stepId: pay\noperationId: payOrder\n");
    await edit(["--insert-step", "step.yaml", "--after", "create"]);
    await edit(["--move-step", "pay", "--before", "create"]);
    const lines = (await text()).split("\n");
    expect(lines.filter((line) => line.includes("stepId")).map((line) => line.trim())).toEqual([
      "- stepId: pay",
      "- stepId: create",
      "- stepId: read",
    ]);
    await edit(["--remove-step", "pay"]);
    const left = await text();
    expect(left.replaceAll("\n\n", "\n")).toBe(TEXT.replaceAll("\n\n", "\n"));
  });

  test("changes lists and fields of any kind by pointer", async () => {
    const { edit, text } = await journey();
    const step = "/workflows/0/steps/0";
    const { exitCode, stderr } = await edit([
      "--set-value",
      `${step}/successCriteria=[]`,
      "--insert",
      `${step}/successCriteria/-={condition: $statusCode == 201}`,
      "--insert",
      `${step}/successCriteria/0={x-id: fast, condition: "1 == 1"}`,
      "--move",
      `${step}/successCriteria/0=1`,
      "--remove",
      `${step}/outputs`,
      "--wrap",
      `${step}/operationId=x-name`,
    ]);
    expect(stderr).toContain("operationId");
    expect(exitCode).toBe(0);
    expect(await text()).toBe(
      TEXT.replace("operationId: 'createOrder'", "operationId: { x-name: 'createOrder' }").replace(
        "outputs: { id: $response.body#/id }",
        "successCriteria: [{ condition: $statusCode == 201 }, { x-id: fast, condition: 1 == 1 }]",
      ),
    );
  });

  test("the inverse that --json prints undoes the edits, byte for byte", async () => {
    const { edit, text } = await journey();
    const { stdout } = await edit(["--remove", "/workflows/0/steps/1/parameters/0/in", "--json"]);
    const { inverse } = z.object({ inverse: z.array(z.unknown()) }).parse(JSON.parse(stdout));
    expect(await text()).not.toBe(TEXT);
    expect(await edit(["--edits", "-"], JSON.stringify(inverse))).toMatchObject({ exitCode: 0 });
    expect(await text()).toBe(TEXT);
    const again = await edit(["--edits", "-"], JSON.stringify(inverse));
    expect(again.stderr).toContain("The text isn't the one that this change was made for");
  });

  test("--variant edits the composed journey of an overlay, and doesn't change the base", async () => {
    const { folder, text } = await journey();
    const overlay = `overlay: 1.1.0
info: { title: Guests, version: 1.0.0, x-overlay: { id: guests, extendsVersion: ^1.0.0 } }
extends: ./orders.journey.yaml
actions:
  - { target: $.info, update: { title: Guests } }   # whose it is
`;
    const file = await folder.write("guests.overlay.yaml", overlay);
    const run = (...args: string[]) =>
      runCaptured(["journey", "edit", "guests.overlay.yaml", "--variant", ...args], { cwd: folder.path });
    expect(await run("--set", "/workflows/0/steps/0/timeout=900")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await readFile(file, "utf8")).toBe(
      `${overlay}  - target: $.workflows[?@.workflowId=='main'].steps[?@.stepId=='create']
    update:
      timeout: 900
`,
    );
    expect(await run("--reset", "/workflows/0/steps/0/timeout")).toMatchObject({ exitCode: 0 });
    expect(await readFile(file, "utf8")).toBe(overlay);
    expect(await text()).toBe(TEXT);
  });

  test("--as-overlay doesn't change the journey, and writes an equivalent overlay", async () => {
    const { folder, edit, text } = await journey();
    const args = ["--set", "/workflows/0/steps/0/timeout=900", "--as-overlay", "slow.overlay.yaml"];
    expect(await edit(args)).toEqual({ exitCode: 0, stdout: "Made slow.overlay.yaml\n", stderr: "" });
    expect(await text()).toBe(TEXT);
    const made = await readFile(path.join(folder.path, "slow.overlay.yaml"), "utf8");
    expect(made).toContain("extends: ./orders.journey.yaml\n");
    expect(made).toContain("[?@.stepId=='create']\n    update:\n      timeout: 900\n");
    const lint = await runCaptured(["journey", "lint", "slow.overlay.yaml"], { cwd: folder.path });
    expect(lint.stdout).not.toContain("overlay-");
    expect((await edit(args)).stderr).toContain("slow.overlay.yaml");
  });

  test("--dry-run shows a diff that git applies, and changes nothing", async () => {
    const { edit, text } = await journey();
    const { stdout, exitCode } = await edit(["--set", "/info/version=2.0.0", "--dry-run"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      "-info: {title: Orders, version: 1.0.0}   # no inner spaces\n+info: {title: Orders, version: 2.0.0}   # no inner spaces\n",
    );
    expect(stdout).toMatch(
      /^--- a\/orders\.journey\.yaml\n\+\+\+ b\/orders\.journey\.yaml\n@@ -1,6 \+1,6 @@\n/,
    );
    expect(await text()).toBe(TEXT);
  });

  test("accepts a list of commands from standard input: applies all, or none with the reason and its position", async () => {
    const { edit, text } = await journey();
    const good = [
      { op: "setScalar", pointer: "/info/version", value: "1.1.0" },
      { op: "insertStep", step: { stepId: "pay", operationId: "payOrder" }, after: "create" },
      { op: "renameStep", stepId: "pay", to: "settle" },
    ];
    const bad = [...good, { op: "removeStep", stepId: "nobody" }];
    expect(await edit(["--edits", "-"], JSON.stringify(bad))).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(
        /^Edit 4 of 4 \(removeStep\) can't be made, and orders\.journey\.yaml stays as it is: 1 error\.\n {2}orders\.journey\.yaml:8:5 error There is no step nobody in this workflow\. \(edit-refused\)\n$/,
      ),
    });
    expect(await text()).toBe(TEXT);
    expect(await edit(["--edits", "-", "--json"], JSON.stringify(good))).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    expect(await text()).toContain("      - stepId: settle\n        operationId: payOrder\n");
  });

  test("reports what an edit breaks, and with --check refuses it", async () => {
    const { edit, text } = await journey();
    const refused = await edit(["--remove-step", "create", "--check"]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("orders.journey.yaml:12:11 error");
    expect(await text()).toBe(TEXT);
    const told = await edit(["--remove-step", "create"]);
    expect(told.exitCode).toBe(0);
    expect(told.stderr).toMatch(/^orders\.journey\.yaml:\d+:\d+ error .*create/);
  });

  test("keeps the byte order mark, the line breaks and the permissions, and follows links", async () => {
    const { folder, file, edit, text } = await journey(`\ufeff${TEXT.replaceAll("\n", "\r\n")}`);
    await chmod(file, 0o640);
    await symlink(file, path.join(folder.path, "link.yaml"));
    const result = await runCaptured(["journey", "edit", "link.yaml", "--set", "/info/version=2.0.0"], {
      cwd: folder.path,
    });
    expect(result.exitCode).toBe(0);
    expect(await text()).toBe(
      `\ufeff${TEXT.replaceAll("\n", "\r\n").replace("version: 1.0.0", "version: 2.0.0")}`,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect((await readdir(folder.path)).toSorted()).toEqual([
      "link.yaml",
      "orders.journey.yaml",
      "orders.yaml",
    ]);
    expect((await edit(["--set", "/info/version=2.0.0"])).stdout).toBe(
      "orders.journey.yaml: nothing to change\n",
    );
  });

  test("reads from standard input and writes to standard output", async () => {
    const args = ["journey", "edit", "-", "--set", "/info/title=X"];
    expect(await runCaptured(args, { stdin: TEXT })).toEqual({
      exitCode: 0,
      stdout: TEXT.replace("title: Orders", "title: X"),
      stderr: "",
    });
  });

  test.each([
    [[], /^There is nothing to edit/],
    [["--set", "title=x"], /^--set takes a JSON Pointer/],
    [["--set", "/info/title"], /^--set takes pointer=value/],
    [["--set-value", "/info/title=[1"], /^--set-value has a value that can't be read/],
    [["--insert", "/workflows/0/steps=1"], /^--insert takes a list's pointer with an index or -/],
    [["--move", "/workflows/0/steps/0=x"], /^--move takes pointer=index/],
    [["--remove", "info"], /^--remove takes a JSON Pointer/],
    [["--wrap", "/info="], /^--wrap takes a pointer, or pointer=key/],
    [["--remove", "/info/nothing"], /There is nothing here that could be removed/],
    [["--reset", "/info/title"], /Only a variant has values to reset/],
    [["--variant", "--remove", "/info/title"], /orders\.journey\.yaml is not an overlay/],
    [["--remove-step", "a", "--move-step", "b"], /^Only one edit of a step/],
    [["--set", "/a=b", "--before", "read"], /^--before and --after go with/],
    [["--rename-step", "create=a b"], /^The new name of the step must be/],
    [["--rename-assertion", "read=seen"], /^--rename-assertion takes step#old=new/],
    [["--rename-assertion", "read#found=seen"], /Step read has no assertion found/],
    [["--edits", "-", "--insert-step", "-"], /^Standard input can be only one/],
    [["--edits", "-"], /^standard input is not a list of edit commands\.\n {2}0\.op: /],
    [["--set", "/info=x"], /orders\.journey\.yaml:3:1 error There is a list or an object here/],
    [["--set", "/info/__proto__=x"], /The key __proto__ isn't accepted/],
    [["--set", "/nowhere/title=x"], /What would hold this field isn't there/],
  ])("refuses %j with a reason, and doesn't change the file", async (args, message) => {
    const { edit, text } = await journey();
    const result = await edit(args, '[{"op":"eval"}]');
    expect(result).toEqual({ exitCode: 2, stdout: "", stderr: expect.stringMatching(message) });
    expect(await text()).toBe(TEXT);
  });

  test("a file that is not valid YAML is refused with the positions of its faults", async () => {
    const { file, edit } = await journey();
    await writeFile(file, "a: [1\nb: ]\n");
    const { exitCode, stderr } = await edit(["--set", "/a=1"]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/orders\.journey\.yaml:2:\d+ error/);
  });
});
