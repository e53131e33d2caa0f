import type { DescriptionIndex, OperationSummary } from "../lib/description/messages.ts";
import { matchesText } from "../lib/matches-text.ts";

/** The operations of a tag, or those that have none. */
export interface OperationSection {
  key: string;
  title: string;
  description: string | null;
  operations: readonly OperationSummary[];
  /** The number of operations that are shown before more are asked for. */
  first: number;
}

/** The number of operations that a page shows first: each is a row, and a description may have thousands. */
const ROWS_MAX = 150;
/** The number of operations of a tag that are shown first, and with each further step. */
export const SHOWN_STEP = 50;

/**
 * Returns the operations and schemas that contain the text. An operation is in the section of each of its tags, as the description
 * lists it.
 */
export function filterOperations(index: DescriptionIndex, text: string) {
  const wanted = text.trim();
  const operations = index.operations.filter((one) =>
    matchesText(wanted, [`${one.method} ${one.path}`, one.operationId, one.summary, ...one.tags]),
  );
  const byTag = new Map<string, OperationSummary[]>();
  for (const operation of operations) {
    for (const tag of new Set(operation.tags)) {
      const ofTag = byTag.get(tag);
      if (ofTag === undefined) byTag.set(tag, [operation]);
      else ofTag.push(operation);
    }
  }
  const untagged = operations.filter(({ tags }) => tags.length === 0);
  const sections: Omit<OperationSection, "first">[] = index.tags.map(({ name, description }) => ({
    key: `tag ${name}`,
    title: name === "" ? "(empty tag)" : name,
    description,
    operations: byTag.get(name) ?? [],
  }));
  if (untagged.length > 0)
    sections.push({
      key: "untagged",
      title: index.tags.length === 0 ? "Operations" : "Without a tag",
      description: null,
      operations: untagged,
    });
  return {
    operationCount: operations.length,
    sections: withFirst(sections.filter((section) => section.operations.length > 0)),
    schemas: index.schemas.filter(({ name }) => matchesText(wanted, [name])),
  };
}

function withFirst(sections: readonly Omit<OperationSection, "first">[]): OperationSection[] {
  let left = ROWS_MAX;
  return sections.map((section) => {
    const first = Math.min(section.operations.length, SHOWN_STEP, left);
    left -= first;
    return { ...section, first };
  });
}
