import type { Position } from "../document/problem.ts";
import type { ServerChoice } from "../openapi/servers.ts";
import type { SchemaTable } from "../openapi/schemas.ts";
import type { Operation } from "../openapi/operation.ts";
import type { ProgramWorkflow } from "../program/program.ts";
import { encodePointer } from "@waymark/openapi/pointer.ts";
import type { Path, Unit } from "./unit.ts";

/** The environment a journey is built for. */
export interface Environment {
  name: string;
  /** By name of the source description. */
  servers?: Readonly<Record<string, ServerChoice>>;
}

/** Everything that one build collects. */
export interface Build {
  environment: Environment | undefined;
  workflows: Record<string, ProgramWorkflow>;
  operations: Record<string, Operation>;
  table: SchemaTable;
  sources: Record<string, { url: string; type: string }>;
  /** Places of the program's nodes, by pointer. */
  marks: Map<string, Position & { from: string }>;
}

/** Records where in the document a node of the program comes from. */
export function mark(build: Build, unit: Unit, programPath: Path, documentPath: Path): void {
  const pointer = encodePointer(documentPath);
  const position = unit.document.sourceOf(pointer);
  const from = unit.document.provenance?.get(pointer)?.from ?? "base";
  build.marks.set(encodePointer(programPath), { ...position, from });
}
