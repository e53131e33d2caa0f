import { Code, Text } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import classes from "./marked-text.module.css";
import { type Block, type Inline, readMarked } from "./read-marked.ts";

/** The length after which the rest of a text is left out. */
const CHARS_MAX = 20_000;

/** A text in Markdown that a stranger wrote. It becomes words, code, lists and links to web pages, never HTML or an image. */
export function MarkedText({ text }: { text: string }) {
  const blocks = readMarked(text.slice(0, CHARS_MAX));
  return (
    <div className={classes["text"]}>
      {blocks.map((block, index) => (
        <BlockOf key={index} block={block} />
      ))}
      {text.length > CHARS_MAX && <Text size="sm">The rest of this text is not shown.</Text>}
    </div>
  );
}

function BlockOf({ block }: { block: Block }): ReactNode {
  if (block.kind === "code")
    return (
      <Code block tabIndex={0} className="wraps">
        {block.text}
      </Code>
    );
  if (block.kind === "list")
    return (
      <ul>
        {block.items.map((item, index) => (
          <li key={index}>{inlines(item)}</li>
        ))}
      </ul>
    );
  return block.kind === "heading" ? (
    <p>
      <strong>{inlines(block.parts)}</strong>
    </p>
  ) : (
    <p>{inlines(block.parts)}</p>
  );
}

function inlines(parts: readonly Inline[]): ReactNode {
  return parts.map((part, index) => <Fragment key={index}>{inline(part)}</Fragment>);
}

function inline(part: Inline): ReactNode {
  if (part.kind === "link")
    return (
      <a href={part.href} target="_blank" rel="noreferrer noopener nofollow">
        {part.text}
      </a>
    );
  if (part.kind === "code") return <Code>{part.text}</Code>;
  return part.kind === "strong" ? <strong>{part.text}</strong> : part.text;
}
