import { Button } from "@mantine/core";

/** Shows that the table is limited to one operation, and removes that filter on click. */
export function OperationFilter({ operation, onClear }: { operation: string; onClear: () => void }) {
  if (operation === "") return null;
  const name = operation.replace(/^\* /, "");
  return (
    <Button
      variant="default"
      size="xs"
      maw="100%"
      w="fit-content"
      onClick={onClear}
      aria-label={`Only ${name}. Show all`}
      rightSection={<span aria-hidden>✕</span>}
    >
      <span className="truncated">Only {name}</span>
    </Button>
  );
}
