import type { ArazzoDocument, Workflow } from "../document/model.ts";
import { hasErrors, sortProblems } from "../document/problem.ts";
import type { Problem } from "../document/problem.ts";
import { workflowById } from "../document/workflow-by-id.ts";
import type { Evaluator } from "../evaluation/evaluator.ts";
import { createLocalEvaluator } from "../evaluation/local-evaluator.ts";
import { sourceProblem } from "../openapi/describe-operation.ts";
import { operationsOf } from "../openapi/find-operation.ts";
import { createSchemaTable } from "../openapi/schemas.ts";
import { problemsOf } from "../rules/check-document.ts";
import { VERSION } from "../version.ts";
import { sealArtifact } from "./artifact.ts";
import type { Sha256 } from "./artifact.ts";
import type { Artifact, Provenance, SourceMap } from "./artifact-model.ts";
import type { Build, Environment } from "./build.ts";
import { checkPatterns } from "./patterns.ts";
import type { Program } from "../program/program.ts";
import { checkCalls } from "./references.ts";
import type { CheckedWorkflow } from "./references.ts";
import { checkSecretUses } from "./secret-assertions.ts";
import { report } from "./unit.ts";
import type { CompilableDocument, LoadedSource, Unit } from "./unit.ts";
import { compileWorkflow, emptyWorkflow } from "./workflow.ts";

export interface CompileInput {
  document: CompilableDocument;
  /** The sources by the name of the source description. A missing one is an error at its place. */
  sources: Readonly<Record<string, LoadedSource>>;
  environment?: Environment;
  /** The workflow to run. Default: `main`, or the only one. */
  workflow?: string;
  /** Facts about the files that the caller knows. They become part of the artifact, beside the program. */
  provenance?: Partial<Provenance>;
  /** Returns the name that the artifact gives to a file of the problems. Default: the same name. */
  fileName?: (file: string) => string;
  hash?: Sha256;
  /** Evaluates patterns. For untrusted documents, use one with time and memory limits. */
  evaluator?: Evaluator;
}

export type CompileResult =
  | { ok: true; artifact: Artifact; problems: Problem[] }
  | { ok: false; problems: Problem[] };

/** Compiles a journey to its artifact, or reports all errors at once, each with file and line. */
export async function compileJourney(input: CompileInput): Promise<CompileResult> {
  const { build, problems, entry } = await compileWorkflows(input);
  if (entry === undefined) return { ok: false, problems: sortProblems([noEntry(input), ...problems]) };
  if (hasErrors(problems)) return { ok: false, problems };
  const content = {
    program: programOf(build, input, entry),
    provenance: provenanceOf(input),
    map: mapOf(build, input.fileName),
  };
  return { ok: true, artifact: sealArtifact(content, input.hash), problems };
}

/** Compiles the workflow that is run. If it is open which one that is, compiles all of them for their problems. */
async function compileWorkflows(
  input: CompileInput,
): Promise<{ build: Build; problems: Problem[]; entry: string | undefined }> {
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
  const entry = entryOf(input);
  const all = input.document.model.workflows.map(({ workflowId }) => workflowId);
  const compiled = entry === undefined ? all : [entry];
  for (const workflowId of compiled) requireWorkflow(build, waiting, root, workflowId);
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { unit, index, workflow } = next;
    const requireAnother = (source: string | undefined, id: string) =>
      requireWorkflow(build, waiting, source === undefined ? unit : subUnit(build, units, unit, source), id);
    const context = { requireWorkflow: requireAnother };
    checked.push([unit, compileWorkflow(build, unit, { index, workflow, context })]);
  }
  for (const [unit, workflow] of checked) checkCalls(unit, build, workflow);
  checkSecretUses(programOf(build, input, compiled[0] ?? ""), checked);
  await checkPatterns(input.evaluator ?? createLocalEvaluator(), build, root.problems);
  const problems = sortProblems([...units.values()].flatMap((unit) => unit.problems));
  return { build, problems, entry };
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
    problems: problemsOf(given.document.model, given.document.sourceOf),
    reported: new Set(),
    prefixOf: (source) => subUnit(build, units, unit, source).prefix,
  };
  units.set(given.prefix, unit);
  for (const [index, { name, url, type }] of given.document.model.sourceDescriptions.entries()) {
    const path = ["sourceDescriptions", index];
    const loaded = Object.hasOwn(given.sources, name) ? given.sources[name] : undefined;
    build.sources[given.prefix + name] = { url, type: type ?? loaded?.type ?? "openapi" };
    if (type === "asyncapi") continue;
    if (loaded === undefined) {
      report(unit, path, {
        code: "missing-source",
        message: `The source "${name}" could not be read from ${url}.`,
      });
    } else if (loaded.type === "openapi") addOpenApi(unit, path, { ...loaded, name });
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

/** The workflow that is run; undefined if several could be. */
function entryOf({ document, workflow }: CompileInput): string | undefined {
  const ids = document.model.workflows.map(({ workflowId }) => workflowId);
  const name = workflow ?? (ids.includes("main") ? "main" : ids.length === 1 ? ids[0] : undefined);
  return name !== undefined && ids.includes(name) ? name : undefined;
}

function noEntry({ document, workflow }: CompileInput): Problem {
  const ids = document.model.workflows.map(({ workflowId }) => workflowId).join(", ");
  const pointer = "/workflows";
  return {
    severity: "error",
    code: "no-entry",
    message:
      workflow === undefined
        ? `Which workflow is to run? Name one: ${ids}.`
        : `There is no workflow "${workflow}"; there are ${ids}.`,
    pointer,
    ...document.sourceOf(pointer),
  };
}

/** Compiles a workflow in its turn, once, and gives its key: calls may be nested deeper than the stack. */
function requireWorkflow(build: Build, waiting: WaitingWorkflow[], unit: Unit, workflowId: string): string {
  const key = unit.prefix + workflowId;
  const named = workflowById(unit.document.model.workflows, workflowId);
  if (named === undefined || Object.hasOwn(build.workflows, key)) return key;
  build.workflows[key] = emptyWorkflow(workflowId);
  waiting.push({ unit, index: named.index, workflow: named.workflow });
  return key;
}

function subUnit(build: Build, units: Map<string, Unit>, unit: Unit, source: string): Unit {
  const loaded = unit.sources[source];
  if (loaded?.type !== "arazzo") throw new Error(`"${source}" is no Arazzo source`);
  // Documents may refer to each other in a cycle: each is one unit, named by the first reference to it.
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
