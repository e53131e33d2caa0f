import { Button } from "@mantine/core";
import { SAVED_VIEW_PAGES, type SavedView, type SavedViewPage } from "@waymark/shared/saved-views/schema.ts";
import { useId, useRef, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { lazyDialog } from "../lazy-dialog.tsx";
import menuClasses from "../popover-menu.module.css";
import { groupsOfViews } from "./groups-of-views.ts";
import classes from "./saved-views.module.css";
import { useHasViews, useSavedViews } from "./use-saved-views.ts";
import { addressOfView, canonicalQuery, isSameQuery } from "./view-address.ts";

const SaveViewDialog = lazyDialog(async () => (await import("./view-dialogs.tsx")).SaveViewDialog);
const ChangeViewDialog = lazyDialog(async () => (await import("./view-dialogs.tsx")).ChangeViewDialog);

/** The saved views of the page. Renders nothing for a session without a person, and on a page without views. */
export function SavedViewsMenu() {
  const [path] = useLocation();
  const hasViews = useHasViews();
  const page = SAVED_VIEW_PAGES.find((each) => each === path);
  return hasViews && page !== undefined && <Menu page={page} />;
}

function Menu({ page }: { page: SavedViewPage }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const [isOpened, setOpened] = useState(false);
  const [dialog, setDialog] = useState<"save" | SavedView>();
  const query = canonicalQuery(useSearch());
  const views = useSavedViews(isOpened);
  const ofPage = (views.data ?? []).filter((view) => view.page === page);
  const open = (next: typeof dialog) => {
    menu.current?.hidePopover();
    // The dialog returns the focus to it.
    opener.current?.focus();
    setDialog(next);
  };
  const close = () => setDialog(undefined);
  return (
    <div className={`${menuClasses["place"]} ${classes["place"]}`}>
      <Button
        ref={opener}
        variant="default"
        size="xs"
        popoverTarget={id}
        onClick={() => setOpened(true)}
        rightSection={<span aria-hidden>▾</span>}
      >
        Views
      </Button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        className={`${menuClasses["menu"]} ${classes["menu"]}`}
        role="group"
        aria-label="Saved views"
      >
        {views.isLoading && <p role="status">Loading…</p>}
        {views.isLoadingError && <p role="alert">The views could not be loaded: {views.error.message}</p>}
        {views.isSuccess && ofPage.length === 0 && <p>No view of this page is saved.</p>}
        {groupsOfViews(ofPage).map(({ team, views: group }) => (
          <section key={team?.id ?? ""} aria-label={team?.displayName ?? "Mine"}>
            <h3>{team?.displayName ?? "Mine"}</h3>
            <ul>
              {group.map((view) => (
                <li key={view.id}>
                  <Link
                    href={addressOfView(view)}
                    onClick={() => menu.current?.hidePopover()}
                    aria-current={isSameQuery(view.query, query) ? "true" : undefined}
                  >
                    {view.name}
                  </Link>
                  <button type="button" aria-label={`Change ${view.name}`} onClick={() => open(view)}>
                    …
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        <button type="button" onClick={() => open("save")}>
          Save these filters…
        </button>
      </div>
      {dialog === "save" && <SaveViewDialog page={page} query={query} onClose={close} />}
      {typeof dialog === "object" && <ChangeViewDialog view={dialog} query={query} onClose={close} />}
    </div>
  );
}
