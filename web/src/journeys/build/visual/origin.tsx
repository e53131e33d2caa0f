import { Anchor, Badge, Button, Group, Text } from "@mantine/core";
import type { Pointer } from "@waymark/openapi/pointer.ts";
import { type ReactNode, useContext } from "react";
import { VariantContext, type VariantFields } from "./variant-fields.ts";

const COLORS = { inherited: "gray.7", changed: "blue.8", added: "teal.9" } as const;

/** Shows whether a step of a variant is inherited, changed or added. */
export function OriginBadge({ pointer }: { pointer: Pointer }) {
  const variant = useContext(VariantContext);
  if (variant === undefined) return null;
  const { change, isOwn } = variant.originOf(pointer);
  return <Badge color={COLORS[change]}>{wordsOf(change, isOwn)}</Badge>;
}

/**
 * Returns `changed` or `added` for a field of a variant, with a button that reverts it. Undefined for inherited fields.
 */
export function useOriginNote(pointer: Pointer | undefined, label: string): ReactNode {
  const variant = useContext(VariantContext);
  if (variant === undefined || pointer === undefined) return undefined;
  const { change, isOwn, canReset } = variant.originOf(pointer);
  if (change === "inherited") return undefined;
  const { reset } = variant;
  return (
    <>
      <b>{wordsOf(change, isOwn)}</b>
      {canReset && reset !== undefined && (
        <>
          {" "}
          <Anchor
            component="button"
            type="button"
            size="xs"
            underline="always"
            aria-label={`Reset ${label}`}
            onClick={() => reset(pointer)}
          >
            Reset
          </Anchor>
        </>
      )}
    </>
  );
}

function wordsOf(change: keyof typeof COLORS, isOwn: boolean): string {
  return isOwn || change === "inherited" ? change : `${change} by a variant below`;
}

/** Shows the parts that the variant removes from its base. */
export function RemovedFields(props: {
  removed: VariantFields["removed"];
  onBringBack: ((target: string) => void) | undefined;
}) {
  const { removed, onBringBack } = props;
  return (
    <section aria-label="What the variant does to its base">
      <Text size="sm">
        Fields without a mark are inherited. A change becomes an action of this variant; the base stays as it
        is.
      </Text>
      {removed.map(({ index, target }) => (
        <Group key={index} gap="xs">
          <Badge color="red.9">removed</Badge>
          <Text size="sm" ff="monospace" className="breaks">
            {target}
          </Text>
          {onBringBack !== undefined && (
            <Button size="compact-xs" variant="default" onClick={() => onBringBack(target)}>
              Bring back
            </Button>
          )}
        </Group>
      ))}
    </section>
  );
}
