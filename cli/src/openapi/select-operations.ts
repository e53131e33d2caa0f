import type { Operation } from "./list-operations.ts";

/** The conditions that operations of a scan meet. A kind without conditions excludes none. */
export interface Selection {
  /** Patterns of paths: `*` stands for text without a slash, `**` for any text. */
  includePaths: readonly string[];
  excludePaths: readonly string[];
  /** An operation needs one of them. */
  tags: readonly string[];
}

/** Returns the selection of options; undefined if they select nothing, which means all. */
export function settleSelection(flags: {
  includePath: readonly string[];
  excludePath: readonly string[];
  tag: readonly string[];
}): Selection | undefined {
  const { includePath, excludePath, tag } = flags;
  if (includePath.length + excludePath.length + tag.length === 0) return undefined;
  return { includePaths: includePath, excludePaths: excludePath, tags: tag };
}

/** The operations that a selection has, in their order. */
export function selectOperations(operations: readonly Operation[], selection: Selection): Operation[] {
  const included = selection.includePaths.map(toPattern);
  const excluded = selection.excludePaths.map(toPattern);
  const matches = (patterns: readonly RegExp[], path: string) =>
    patterns.some((pattern) => pattern.test(path));
  return operations.filter(({ path, tags }) => {
    if (included.length > 0 && !matches(included, path)) return false;
    if (matches(excluded, path)) return false;
    return selection.tags.length === 0 || tags.some((tag) => selection.tags.includes(tag));
  });
}

function toPattern(text: string): RegExp {
  const source = text
    .split(/(\*{1,2})/)
    .map((part) => {
      if (part === "**") return ".*";
      return part === "*" ? "[^/]*" : part.replaceAll(/[\\^$.+?()[\]{}|/-]/g, String.raw`\$&`);
    })
    .join("");
  return new RegExp(`^${source}$`, "su");
}
