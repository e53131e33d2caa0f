import { Anchor, Text } from "@mantine/core";
import { linkParts } from "./link-parts.ts";

/** Shows the text of a comment: its line breaks stay, and addresses of the web are links. */
export function CommentText({ text }: { text: string }) {
  return (
    <Text className="wraps" size="sm">
      {linkParts(text).map(({ text: part, href }, index) =>
        href === undefined ? (
          part
        ) : (
          // The parts of a text never change their order.
          // oxlint-disable-next-line react/no-array-index-key
          <Anchor
            key={index}
            href={href}
            target="_blank"
            rel="noreferrer noopener nofollow"
            underline="always"
          >
            {part}
          </Anchor>
        ),
      )}
    </Text>
  );
}
