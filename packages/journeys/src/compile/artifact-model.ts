import { z } from "zod";
import { Program } from "../program/program.ts";

const sha256Text = z.string().exactOptional();

/** Where a program came from. It changes no run, so it is not part of the artifact's id. */
const Provenance = z.strictObject({
  compiler: z.strictObject({ name: z.string(), version: z.string() }),
  journey: z.strictObject({ id: z.string(), version: z.string(), file: z.string(), sha256: sha256Text }),
  /** In the order of application; `touched` are pointers into the merged document. */
  overlays: z.array(
    z.strictObject({
      id: z.string(),
      file: z.string().exactOptional(),
      sha256: sha256Text,
      touched: z.array(z.string()),
    }),
  ),
  sources: z.array(z.strictObject({ name: z.string(), url: z.string(), sha256: z.string() })),
});
export type Provenance = z.infer<typeof Provenance>;

const index = z.int().min(0);

/** The place of every node of a program, by its JSON pointer: `[file, line, column, origin]`, two of them as indexes. */
const SourceMap = z.strictObject({
  files: z.array(z.string()),
  /** `base` and the ids of overlays. */
  origins: z.array(z.string()),
  nodes: z.record(z.string(), z.tuple([index, index, index, index])),
});
export type SourceMap = z.infer<typeof SourceMap>;

/** The build artifact: one JSON file that runs without any other. */
export const Artifact = z.strictObject({
  artifact: z.literal("journey-artifact/1"),
  /** `sha256:<hex>` over the canonical JSON of `program` alone. */
  id: z.string(),
  /** `order` is over the program as it is written, its members in the author's order. */
  digests: z.strictObject({ order: z.string(), provenance: z.string(), map: z.string() }),
  program: Program,
  provenance: Provenance,
  map: SourceMap,
});
export type Artifact = z.infer<typeof Artifact>;
