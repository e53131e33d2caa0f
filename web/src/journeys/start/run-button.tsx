import { Button, type ButtonProps } from "@mantine/core";
import { Suspense, useState } from "react";
import { useLocation } from "wouter";
import { lazyPart } from "../../lib/lazy-part.tsx";
import { useMay } from "../../lib/use-session.ts";

const RunDialog = lazyPart("The form for a run", async () => (await import("./run-dialog.tsx")).RunDialog);

interface RunButtonProps extends Pick<ButtonProps, "size" | "variant" | "disabled"> {
  journeyId: string;
  /** Called with the id of the run. Without it, the page of the run follows. */
  onStarted?: (runId: string) => void;
}

/** Starts a run of the newest version, for sessions that may. */
export function RunButton({ journeyId, onStarted, ...button }: RunButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [, navigate] = useLocation();
  const mayRun = useMay("journeys:run");
  if (!mayRun) return null;
  return (
    <>
      <Button {...button} onClick={() => setIsOpen(true)}>
        Run…
      </Button>
      {isOpen && (
        <Suspense>
          <RunDialog
            journeyId={journeyId}
            onStarted={(runId) => {
              setIsOpen(false);
              if (onStarted === undefined) navigate(`/journey-runs/${runId}`);
              else onStarted(runId);
            }}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
