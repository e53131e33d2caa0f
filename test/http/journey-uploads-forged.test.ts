import { randomUUID } from "node:crypto";
import type { JourneyResult } from "@waymark/journeys/result/result.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createKey } from "@waymark/test-support/keys.ts";
import { query } from "@waymark/test-support/sql.ts";
import { createHostedOrganization } from "@waymark/test-support/stack.ts";
import {
  type Change,
  must,
  PATH,
  startUploadStack,
  stepOf,
  type UploadStack,
} from "@waymark/test-support/journey-uploads/stack.ts";

let world: UploadStack;
beforeAll(async () => {
  world = await startUploadStack();
});
afterAll(() => world[Symbol.asyncDispose]());

describe("a forged result", () => {
  const refused: [string, Change, string][] = [
    ["another step", (r) => (stepOf(r, "read").id = "elsewhere"), "steps[4].id"],
    ["a step of another workflow", (r) => (stepOf(r, "read").workflow = "other"), "steps[4].id"],
    ["a missing step", (r) => r.steps.splice(4, 1), "steps"],
    [
      "another operation",
      (r) => (stepOf(r, "read").operation = { source: "things", method: "GET", path: "/" }),
      "steps[4].operation",
    ],
    [
      "an altered condition",
      (r) => (must(stepOf(r, "read").assertions[0]).condition = "true"),
      "steps[4].assertions[0].condition",
    ],
    [
      "another criterion",
      (r) => (must(stepOf(r, "create").assertions[0]).id = "other"),
      "steps[0].assertions[0].id",
    ],
    ["no assertions", (r) => (stepOf(r, "read").assertions = []), "steps[4].assertions"],
    [
      "a pass over a failed assertion",
      (r) => (must(stepOf(r, "read").assertions[0]).status = "failed"),
      "steps[4].status",
    ],
    [
      "a pass over a failed step",
      (r) => {
        const read = stepOf(r, "read");
        read.status = "failed";
        must(read.assertions[0]).status = "failed";
        must(read.attempts[0]).outcome = "failed";
      },
      "status",
    ],
    [
      "a failure that nothing handled",
      (r) => {
        const read = stepOf(r, "read");
        read.status = "failed";
        read.handled = true;
        must(read.assertions[0]).status = "failed";
        must(read.attempts[0]).outcome = "failed";
      },
      "steps[4].handled",
    ],
    ["a pass without a response", (r) => delete stepOf(r, "read").evidence, "steps[4]"],
    [
      "a criterion that nothing proves",
      (r) => (must(r.acceptance[1]).status = "proven"),
      "acceptance[1].status",
    ],
    ["another acceptance criterion", (r) => (must(r.acceptance[0]).id = "AC-9"), "acceptance[0].id"],
    [
      "another text of a criterion",
      (r) => (must(r.acceptance[0]).text = "Does it all"),
      "acceptance[0].text",
    ],
    ["a criterion less", (r) => r.acceptance.pop(), "acceptance"],
    ["a worse verdict", (r) => (r.status = "failed"), "status"],
    ["an unfinished run that passed", (r) => (r.error = { code: "limit", message: "m" }), "error"],
    [
      "an operation more",
      (r) => r.coverage.operations.push(must(r.coverage.operations[0])),
      "coverage.operations",
    ],
    [
      "calls that no step made",
      (r) => (must(r.coverage.operations[0]).calls = 99),
      "coverage.operations[0].calls",
    ],
    [
      "a status that nobody got",
      (r) => (must(r.coverage.operations[0]).statuses = []),
      "coverage.operations[0].statuses",
    ],
    [
      "another call",
      (r) => r.coverage.notInInventory.push({ method: "GET", url: "u", calls: 1 }),
      "coverage.notInInventory[0]",
    ],
    ["another journey", (r) => (r.journey.title = "Other"), "journey"],
    ["an overlay", (r) => r.journey.overlays.push("o"), "journey.overlays"],
    ["another environment", (r) => (r.where.environment = "production"), "where.environment"],
    ["the cloud runner as its runner", (r) => (r.where.runner = "cloud"), "where.runner"],
    ["an unknown input", (r) => (r.inputs["other"] = 1), "inputs"],
    ["an unknown output", (r) => (stepOf(r, "read").outputs["other"] = 1), "steps[4].outputs"],
    ["no failures of the contract", (r) => (r.contract.failures = 3), "contract"],
    ["no teardown", (r) => (r.teardown.status = "none"), "teardown.status"],
    [
      "an attempt more",
      (r) => stepOf(r, "read").attempts.push({ n: 2, ms: 1, outcome: "passed" }),
      "steps[4].attempts[0].outcome",
    ],
    [
      "a poll",
      (r) => stepOf(r, "read").attempts.unshift({ n: 0 + 1, ms: 1, outcome: "poll" }),
      "steps[4].attempts[0].outcome",
    ],
  ];

  it.each(refused)("with %s is refused, with the place", async (_what, change, place) => {
    const before = await query(world.stack, "SELECT FROM journey_runs");
    const answer = await world.upload(world.another(change));
    const error = errorOf(answer);
    expect(error).toMatchObject({ status: 422, code: "result_mismatch" });
    expect(error.message).toContain(`result.${place}`);
    expect(await query(world.stack, "SELECT FROM journey_runs")).toHaveLength(before.length);
  });

  it("of an unknown artifact, or of one that only another organization has, is refused", async () => {
    const unknown = await world.upload(world.another((r) => (r.artifact = `sha256:${"0".repeat(64)}`)));
    expect(errorOf(unknown)).toMatchObject({ code: "artifact_unknown" });
    expect((await world.upload(world.another())).status).toBe(201);
    const { organizationId } = await createHostedOrganization(world.stack.databaseUrl, "Strangers");
    const key = await createKey({ ...world.stack, organizationId }, ["*"]);
    for (const more of [{ path: PATH }, {}])
      expect(errorOf(await world.upload(world.another(), more, { key }))).toMatchObject({
        code: "artifact_unknown",
      });
  });

  it.each<[string, Change]>([
    ["program", (r) => (r.artifact = "sha256:\0")],
    ["environment", (r) => Object.assign(r, { artifact: "none", where: { ...r.where, environment: "\0" } })],
  ])("of a %s that no database can name is refused", async (_what, change) => {
    const answer = await world.upload(world.another(change), { path: PATH });
    expect(errorOf(answer)).toMatchObject({ status: 409, code: "artifact_unknown" });
  });

  it("of a journey or an environment that the key is not for is refused before anything is told", async () => {
    for (const scope of [{ workflowId: randomUUID() }, { environmentId: randomUUID() }]) {
      const key = await createKey(world.stack, [{ permission: "journey-results:create", ...scope }]);
      expect(errorOf(await world.upload(world.another(), {}, { key }))).toMatchObject({
        code: "permission_denied",
      });
    }
    const own = {
      permission: "journey-results:create",
      workflowId: world.documentId,
      environmentId: world.environmentId,
    };
    expect(
      (await world.upload(world.another(), {}, { key: await createKey(world.stack, [own]) })).status,
    ).toBe(201);
  });

  it.each<[string, (result: JourneyResult) => unknown, number, string, string]>([
    ["of another form", (r) => ({ ...r, extra: 1 }), 400, "validation_failed", "extra"],
    [
      "with an input that can't be stored",
      (r) => ({ ...r, inputs: { a: "\u0000" } }),
      400,
      "validation_failed",
      "result.inputs",
    ],
    ["without a runId", (r) => ({ ...r, runId: undefined }), 400, "validation_failed", "result.runId"],
    [
      "with a runId that is none",
      (r) => ({ ...r, runId: "../../x" }),
      400,
      "validation_failed",
      "result.runId",
    ],
    [
      "with a status that is none",
      (r) => ({ ...r, status: "great" }),
      400,
      "validation_failed",
      "result.status",
    ],
    [
      "with a step of another form",
      (r) => ({ ...r, steps: [{ ...r.steps[0], ms: -1 }] }),
      400,
      "validation_failed",
      "result.steps[0].ms",
    ],
    [
      "that nests too deep",
      (r) => ({ ...r, outputs: { deep: JSON.parse(`${"[".repeat(100)}${"]".repeat(100)}`) } }),
      400,
      "malformed_json",
      "nests deeper",
    ],
    [
      "that is huge",
      (r) => ({ ...r, inputs: { run: "x".repeat(8 * 1024 * 1024) } }),
      413,
      "payload_too_large",
      "",
    ],
  ])("%s is refused by its form", async (_what, change, status, code, place) => {
    const answer = await world.upload(change(world.another()));
    expect(errorOf(answer)).toMatchObject({ status, code });
    expect(answer.text).toContain(place);
  });
});
