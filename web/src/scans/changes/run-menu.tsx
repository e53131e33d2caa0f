import { ActionIcon } from "@mantine/core";
import type { ScanRun } from "@waymark/shared/scans/schema.ts";
import { useId, useRef } from "react";
import { isHeld } from "../../lib/is-held.ts";
import { LacksPermission } from "../../lib/lacks-permission.tsx";
import { useMay } from "../../lib/use-session.ts";
import { useUrlDialog } from "../../lib/use-url-state.ts";
import { PromoteDialog } from "./promote-dialog.tsx";
import classes from "../../lib/popover-menu.module.css";

/** Further actions: those that are rarely right. Renders nothing if there are none. */
export function RunMenu({ run }: { run: ScanRun }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const mayPromote = useMay("services:update");
  const promoting = useUrlDialog("promote");
  if (!isHeld(run)) return null;
  return (
    <div className={classes["place"]}>
      <ActionIcon
        variant="default"
        size={30}
        aria-label="More actions"
        title="More actions"
        popoverTarget={id}
      >
        <svg width="16" height="16" viewBox="0 0 16 16" fill="currentColor" aria-hidden>
          <path d="M2 6.5h3v3H2zm4.5 0h3v3h-3zm4.5 0h3v3h-3z" />
        </svg>
      </ActionIcon>
      <div ref={menu} id={id} popover="auto" className={classes["menu"]} aria-label="More actions">
        <button
          type="button"
          disabled={!mayPromote}
          onClick={() => {
            menu.current?.hidePopover();
            promoting.open("1");
          }}
        >
          Promote this run…
        </button>
        <LacksPermission permission="services:update" purpose="promote runs" />
      </div>
      {promoting.value !== "" && <PromoteDialog run={run} onClose={promoting.close} />}
    </div>
  );
}
