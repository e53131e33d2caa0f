import type { ArazzoDocument, Workflow } from "../document/model.ts";
import { hasErrors, sortProblems } from "../document/problem.ts";
import type { Problem } from "../document/problem.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { createLocalEvaluator } from "../evaluation/local-evaluator.ts";
import { sourceProblem } from "../openapi/describe-operation.ts";
import { operationsOf } from "../openapi/find-operation.ts";
import { createSchemaTable } from "../openapi/schemas.ts";
import { VERSION } from "../version.ts";
import { sealArtifact } from "./artifact.ts";
import type { Sha256 } from "./artifact.ts";
import type { Artifact, Provenance, SourceMap } from "./artifact-model.ts";
import type { Build, Environment } from "./build.ts";
import { checkPatterns } from "./patterns.ts";
import type { Program } from "./program.ts";
import { checkCalls } from "./references.ts";
import type { CheckedWorkflow } from "./references.ts";
import { checkSecretAssertions } from "./secret-assertions.ts";
import { report } from "./unit.ts";
import type { CompilableDocument, LoadedSource, Unit } from "./unit.ts";
import { compileWorkflow, emptyWorkflow } from "./workflow.ts";

export interface CompileInput {
  document: CompilableDocument;
  /** By name of the source description. One that is missing is an error at its place. */
  sources: Readonly<Record<string, LoadedSource>>;
  environment?: Environment;
  /** The workflow to run; else `main`, else the only one. */
  workflow?: string;
  /** What the caller knows of the files; it becomes part of the artifact, beside the program. */
  provenance?: Partial<Provenance>;
  /** How a file of the problems is called in the artifact; without it, by the same name. */
  fileName?: (file: string) => string;
  hash?: Sha256;
  /** Reads patterns; for documents of strangers one that can be ended. */
  evaluator?: Evaluator;
}

export type CompileResult =
  { ok: true; artifact: Artifact; problems: Problem[] } | { ok: false; problems: Problem[] };

/** Compiles a journey to its artifact, or tells every error at once, each with file and line. */
export async function compileJourney(input: CompileInput): Promise<CompileResult> {
  const { build, problems, entry } = await compileWorkflows(input, (root) => {
    const chosen = entryOf(root, input.workflow);
    return chosen === undefined ? [] : [chosen];
  });
  if (hasErrors(problems)) return { ok: false, problems };
  const content = {
    program: programOf(build, input, entry),
    provenance: provenanceOf(input),
    map: mapOf(build, input.fileName),
  };
  return { ok: true, artifact: sealArtifact(content, input.hash), problems };
}

/** The problems of all workflows of a document, whichever of them is run. */
export async function checkWorkflows(input: CompileInput): Promise<Problem[]> {
  const ids = input.document.model.workflows.map(({ workflowId }) => workflowId);
  return (await compileWorkflows(input, () => ids)).problems;
}

async function compileWorkflows(
  input: CompileInput,
  choose: (root: Unit) => readonly string[],
): Promise<{ build: Build; problems: Problem[]; entry: string }> {
  const build: Build = {
    environment: input.environment,
    workflows: {},
    operations: {},
    table: createSchemaTable(),
    sources: {},
    marks: new Map(),
  };
  const units = new Map<string, Unit>();
  const root = openUnit(build, units, { prefix: "", document: input.document, sources: input.sources });
  const checked: [Unit, CheckedWorkflow][] = [];
  const waiting: WaitingWorkflow[] = [];
  const entries = choose(root);
  for (const workflowId of entries) requireWorkflow(build, waiting, root, workflowId);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { unit, index, workflow } = next;
    const requireAnother = (source: string | undefined, id: string) =>
      requireWorkflow(build, waiting, source === undefined ? unit : subUnit(build, units, unit, source), id);
    const context = { requireWorkflow: requireAnother };
    checked.push([unit, compileWorkflow(build, unit, { index, workflow, context })]);
  }
  for (const [unit, workflow] of checked) checkCalls(unit, build, workflow);
  checkSecretAssertions(programOf(build, input, entries[0] ?? ""), checked);
  await checkPatterns(input.evaluator ?? createLocalEvaluator(), build, root.problems);
  const problems = sortProblems([...units.values()].flatMap((unit) => unit.problems));
  return { build, problems, entry: entries[0] ?? "" };
}

interface WaitingWorkflow {
  unit: Unit;
  index: number;
  workflow: Workflow;
}

function openUnit(
  build: Build,
  units: Map<string, Unit>,
  given: { prefix: string; document: CompilableDocument; sources: Readonly<Record<string, LoadedSource>> },
): Unit {
  const unit: Unit = {
    ...given,
    openapi: new Map(),
    problems: [],
    prefixOf: (source) => subUnit(build, units, unit, source).prefix,
  };
  units.set(given.prefix, unit);
  const seen = new Set<string>();
  for (const [index, { name, url, type }] of given.document.model.sourceDescriptions.entries()) {
    const path = ["sourceDescriptions", index];
    if (seen.has(name)) {
      report(unit, path, { code: "duplicate-id", message: `Two sources are named "${name}": rename one.` });
    }
    seen.add(name);
    build.sources[given.prefix + name] = { url, type: type ?? "openapi" };
    if (type === "asyncapi") continue;
    const loaded = Object.hasOwn(given.sources, name) ? given.sources[name] : undefined;
    if (loaded === undefined) {
      report(unit, path, {
        code: "missing-source",
        message: `The source "${name}" could not be read from ${url}.`,
      });
    } else if (loaded.type === "openapi") addOpenApi(unit, path, { ...loaded, name });
  }
  const ids = new Set<string>();
  for (const [index, { workflowId: id }] of given.document.model.workflows.entries()) {
    if (ids.size < ids.add(id).size) continue;
    report(unit, ["workflows", index, "workflowId"], {
      code: "duplicate-id",
      message: `Two workflows are named "${id}": rename one.`,
    });
  }
  return unit;
}

function addOpenApi(
  unit: Unit,
  path: (string | number)[],
  source: { name: string; url: string; document: unknown; documents?: Readonly<Record<string, unknown>> },
): void {
  const problem = sourceProblem(source);
  if (problem !== undefined) {
    report(unit, path, { code: "invalid-source", message: `The source "${source.name}" ${problem}.` });
    return;
  }
  try {
    unit.openapi.set(source.name, { source, operations: operationsOf(source) });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    report(unit, path, { code: "unresolvable-reference", message: `In "${source.name}": ${error.message}.` });
  }
}

function entryOf(unit: Unit, wanted: string | undefined): string | undefined {
  const { workflows }: ArazzoDocument = unit.document.model;
  const ids = workflows.map(({ workflowId }) => workflowId);
  const name = wanted ?? (ids.includes("main") ? "main" : ids.length === 1 ? ids[0] : undefined);
  if (name !== undefined && ids.includes(name)) return name;
  report(unit, ["workflows"], {
    code: "no-entry",
    message:
      name === undefined
        ? `Which workflow is to run? Name one: ${ids.join(", ")}.`
        : `There is no workflow "${name}"; there are ${ids.join(", ")}.`,
  });
  return undefined;
}

/** Compiles a workflow in its turn, once, and gives its key: calls may be nested deeper than the stack. */
function requireWorkflow(build: Build, waiting: WaitingWorkflow[], unit: Unit, workflowId: string): string {
  const key = unit.prefix + workflowId;
  const index = unit.document.model.workflows.findIndex((candidate) => candidate.workflowId === workflowId);
  const workflow = unit.document.model.workflows[index];
  if (workflow === undefined || Object.hasOwn(build.workflows, key)) return key;
  build.workflows[key] = emptyWorkflow(workflowId);
  waiting.push({ unit, index, workflow });
  return key;
}

function subUnit(build: Build, units: Map<string, Unit>, unit: Unit, source: string): Unit {
  const loaded = unit.sources[source];
  if (loaded?.type !== "arazzo") throw new Error(`"${source}" is no Arazzo source`);
  // Documents may refer to each other in a circle: each is one unit, under the name by which it was first reached.
  for (const known of units.values()) if (known.document.model === loaded.document.model) return known;
  const prefix = `${unit.prefix}${source}.`;
  return openUnit(build, units, { prefix, document: loaded.document, sources: loaded.sources });
}

function programOf(build: Build, input: CompileInput, entry: string): Program {
  const { model } = input.document;
  return {
    format: "journey-program/1",
    journey: { id: journeyId(model, entry), title: model.info.title, version: model.info.version },
    ...(input.environment === undefined ? {} : { environment: input.environment.name }),
    ...(model.$self === undefined ? {} : { self: model.$self }),
    entry,
    workflows: build.workflows,
    operations: build.operations,
    schemas: build.table.schemas,
    sources: build.sources,
  };
}

function journeyId(model: ArazzoDocument, entry: string): string {
  return (
    model.$self ?? (entry === "main" || entry === "" ? model.info.title : `${model.info.title} / ${entry}`)
  );
}

function provenanceOf(input: CompileInput): Provenance {
  const { info } = input.document.model;
  const { file } = input.document.sourceOf("");
  return {
    compiler: { name: "waymark", version: VERSION },
    journey: { id: journeyId(input.document.model, ""), version: info.version, file },
    overlays: [],
    sources: [],
    ...input.provenance,
  };
}

function mapOf(build: Build, fileName = (file: string) => file): SourceMap {
  const files: string[] = [];
  const origins: string[] = [];
  const nodes: SourceMap["nodes"] = {};
  for (const [pointer, { file, line, column, from }] of build.marks) {
    nodes[pointer] = [indexIn(files, file), line, column, indexIn(origins, from)];
  }
  return { files: files.map(fileName), origins, nodes };
}

function indexIn(list: string[], value: string): number {
  const index = list.indexOf(value);
  return index < 0 ? list.push(value) - 1 : index;
}
