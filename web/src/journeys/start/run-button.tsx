import { Button, type ButtonProps } from "@mantine/core";
import { Suspense, useState } from "react";
import { lazyPart } from "../../lib/lazy-part.tsx";
import { useMay } from "../../lib/use-session.ts";

const RunDialog = lazyPart("The form for a run", async () => (await import("./run-dialog.tsx")).RunDialog);

/** Starts a run of the newest version, for sessions that may. */
export function RunButton({
  journeyId,
  ...button
}: { journeyId: string } & Pick<ButtonProps, "size" | "variant" | "disabled">) {
  const [isOpen, setIsOpen] = useState(false);
  const mayRun = useMay("journeys:run");
  if (!mayRun) return null;
  return (
    <>
      <Button {...button} onClick={() => setIsOpen(true)}>
        Run…
      </Button>
      {isOpen && (
        <Suspense>
          <RunDialog journeyId={journeyId} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
