import { Button } from "@mantine/core";

/** Says that one endpoint's rows alone are shown, and lets go of it. */
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
      aria-label={`Only ${name}. Show all again`}
      rightSection={<span aria-hidden>✕</span>}
    >
      <span className="truncated">Only {name}</span>
    </Button>
  );
}
