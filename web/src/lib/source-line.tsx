import { Anchor, Code } from "@mantine/core";
import type { ScanSource } from "@waymark/shared/scans/source/schema.ts";
import { Fragment } from "react";
import { type SourcePart, sourceParts } from "./source-parts.ts";

/** Shows where a scan comes from, as far as its client said it. */
export function SourceLine({ source }: { source: ScanSource | null }) {
  return sourceParts(source).map((part, index) => (
    <Fragment key={part.name}>
      {index > 0 && " · "}
      <Part part={part} />
    </Fragment>
  ));
}

function Part({ part: { name, text, title, href } }: { part: SourcePart }) {
  if (name === "commit") return <Code title={title}>{text}</Code>;
  if (href === undefined) return <>{text}</>;
  return (
    <Anchor href={href} target="_blank" rel="noreferrer">
      {text}
    </Anchor>
  );
}
