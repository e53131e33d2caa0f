import { Button } from "@mantine/core";
import type { JourneyRun } from "@waymark/shared/journey-runs/schema.ts";
import { useState } from "react";
import { lazyDialog } from "../../lib/lazy-dialog.tsx";
import { useMay } from "../../lib/use-session.ts";
import { isFinal } from "../run-status.tsx";

const ShareDialog = lazyDialog(async () => (await import("./share-dialog.tsx")).ShareDialog);

/** Offers a link to a run that has ended, to sessions that may share it. */
export function ShareRun({ run }: { run: JourneyRun }) {
  const mayShare = useMay("journeys:share");
  const [isOpen, setOpen] = useState(false);
  if (!mayShare || !isFinal(run)) return null;
  return (
    <>
      <Button variant="default" w="fit-content" onClick={() => setOpen(true)}>
        Share…
      </Button>
      {isOpen && <ShareDialog runId={run.id} onClose={() => setOpen(false)} />}
    </>
  );
}
