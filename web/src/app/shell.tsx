import { ActionIcon, Alert, Anchor, Button, Group, useMantineColorScheme } from "@mantine/core";
import { useComputedColorScheme } from "@mantine/core";
import { consolePageOf } from "@waymark/shared/console/schema.ts";
import { type ReactNode, Suspense, useCallback, useLayoutEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { pathOfAddress } from "../lib/base-path.ts";
import { ConnectionError } from "../lib/api.ts";
import { useDensity } from "../lib/use-density.ts";
import { lazyPart } from "../lib/lazy-part.tsx";
import { isUser, NOBODY } from "../lib/permissions.ts";
import { Logo } from "../lib/logo.tsx";
import { OutOfDateAlert } from "../lib/error-alert.tsx";
import { useSession, useSignOut } from "../lib/use-session.ts";
import { useFailedRefresh } from "./failed-refresh.ts";
import { ROUTES } from "./routes.ts";
import { PersonalMenu } from "./personal-menu.tsx";
import { sectionsFor } from "./sections.ts";
import { focusSearch, type Shortcut, useShortcuts } from "./shortcuts.ts";
import classes from "./shell.module.css";

const CommandPalette = lazyPart(
  "The list of what to go to",
  async () => (await import("./command-palette.tsx")).CommandPalette,
);
const ShortcutsDialog = lazyPart(
  "The list of shortcuts",
  async () => (await import("./shortcuts-dialog.tsx")).ShortcutsDialog,
);

export function Shell({ children }: { children: ReactNode }) {
  const { data: session } = useSession();
  const hasMenu = session !== null && session !== undefined && isUser(session);
  const signOut = useSignOut();
  const outdated = useFailedRefresh();
  const main = useFocusOnNewPage();
  const [opened, setOpened] = useState<"goTo" | "help">();
  const onShortcut = useCallback((shortcut: Shortcut) => {
    if (shortcut !== "search") setOpened(shortcut);
    else if (!focusSearch()) setOpened("goTo");
  }, []);
  useShortcuts(onShortcut);
  return (
    <>
      <Suspense>
        {opened === "goTo" && (
          <CommandPalette onClose={() => setOpened(undefined)} onShortcuts={() => setOpened("help")} />
        )}
        {opened === "help" && <ShortcutsDialog onClose={() => setOpened(undefined)} />}
      </Suspense>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <header className={classes["header"]}>
        <div className={classes["bar"]}>
          <Link href="/" className={classes["brand"] ?? ""} aria-label="Waymark">
            <Logo size={24} />
            <span>Waymark</span>
          </Link>
          <Group wrap="nowrap" component="nav" className={classes["sections"] ?? ""} aria-label="Sections">
            {sectionsFor(session ?? NOBODY).map((section) => (
              <SectionLink key={section.path} {...section} />
            ))}
          </Group>
          {hasMenu ? (
            <PersonalMenu
              session={session}
              isSigningOut={signOut.isPending}
              onSignOut={() => signOut.mutate()}
            />
          ) : (
            <SignedIn />
          )}
          <Group gap="xs" wrap="nowrap">
            <GoToButton onClick={() => setOpened("goTo")} />
            <DensityButton />
            <ColorSchemeButton />
            {!hasMenu && (
              <Button
                variant="default"
                size="xs"
                aria-label="Sign out"
                className={classes["signOut"] ?? ""}
                onClick={() => signOut.mutate()}
                loading={signOut.isPending}
              >
                <span className={classes["label"]}>Sign out</span>
                <StrokeIcon path="M6.5 2.5h-4v11h4M6 8h7.5M10.5 5l3 3-3 3" />
              </Button>
            )}
          </Group>
        </div>
      </header>
      <main id="main" tabIndex={-1} ref={main} className={classes["main"]}>
        <div className="page">
          {signOut.isError && !signOut.isPending && (
            <Alert color="red" role="alert" title="You are still signed in" mb="md">
              {signOut.error instanceof ConnectionError
                ? "The server can't be reached."
                : signOut.error.message}{" "}
              Try to sign out again.
            </Alert>
          )}
          {outdated !== undefined && <OutOfDateAlert error={outdated.error} onRetry={outdated.retry} />}
          {children}
        </div>
      </main>
    </>
  );
}

/** The organization, and the service account or the key that is signed in. */
function SignedIn() {
  const { data: session } = useSession();
  if (session === null || session === undefined) return null;
  const { organizationName, apiKeyName, principal } = session;
  const person = principal?.displayName ?? null;
  return (
    <div className={classes["signedIn"]} title={`${organizationName}, key ${apiKeyName}`}>
      <span className="visually-hidden">Signed in to </span>
      <div>{organizationName}</div>
      <span className="visually-hidden">{person === null ? "with the key " : "as "}</span>
      <div>{person ?? apiKeyName}</div>
    </div>
  );
}

function GoToButton({ onClick }: { onClick: () => void }) {
  return (
    <ActionIcon
      variant="default"
      size="md"
      aria-label="Go to"
      aria-keyshortcuts="Control+K Meta+K"
      title="Go to (Ctrl-K). Shortcuts: ?"
      onClick={onClick}
    >
      <StrokeIcon path="M11 11l3.5 3.5M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10z" />
    </ActionIcon>
  );
}

/** Scrolls a new page to its top and moves the focus to it. On the way back, the browser restores the position. */
function useFocusOnNewPage() {
  const main = useRef<HTMLElement>(null);
  const [path] = useLocation();
  const before = useRef(path);
  const wentBack = useRef(false);
  useLayoutEffect(() => {
    // Closing a dialog stays on the page.
    const onPopState = () =>
      (wentBack.current = pathOfAddress(globalThis.location.pathname) !== before.current);
    // Before the router's listener, after which the new page is rendered.
    const options = { capture: true };
    globalThis.addEventListener("popstate", onPopState, options);
    return () => globalThis.removeEventListener("popstate", onPopState, options);
  }, []);
  // Before the page is painted: it would be seen for a moment where the last one was scrolled to.
  useLayoutEffect(() => {
    if (before.current === path) return;
    before.current = path;
    if (!wentBack.current) globalThis.scrollTo(0, 0);
    wentBack.current = false;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  return main;
}

function SectionLink({ path, label }: { path: string; label: string }) {
  const [location] = useLocation();
  const page = consolePageOf(location);
  const here = page !== undefined && ROUTES[page].section === path;
  const link = useRef<HTMLAnchorElement>(null);
  // On a phone, the sections scroll, and that of the page could be out of sight.
  useLayoutEffect(() => {
    const { current } = link;
    const nav = current?.parentElement;
    if (!here || current === null || nav === null || nav === undefined) return;
    nav.scrollLeft = current.offsetLeft - nav.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
  }, [here]);
  return (
    <Anchor
      component={Link}
      href={path}
      ref={link}
      className={classes["section"] ?? ""}
      underline="never"
      aria-current={here ? "page" : undefined}
    >
      {label}
    </Anchor>
  );
}

/** Switches the density of tables. It is hidden on phones, where rows are cards. */
function DensityButton() {
  const [density, setDensity] = useDensity();
  const isCompact = density === "compact";
  return (
    <ActionIcon
      variant="default"
      size="md"
      className={classes["density"] ?? ""}
      aria-label={isCompact ? "Use normal rows" : "Use compact rows"}
      title={isCompact ? "Use normal rows" : "Use compact rows"}
      onClick={() => setDensity(isCompact ? "normal" : "compact")}
    >
      <svg
        width="16"
        height="16"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        aria-hidden
      >
        <path d={isCompact ? "M2.5 3h11M2.5 8h11M2.5 13h11" : "M2.5 4h11M2.5 6.7h11M2.5 9.3h11M2.5 12h11"} />
      </svg>
    </ActionIcon>
  );
}

function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light", { getInitialValueInEffect: false }) === "dark";
  return (
    <ActionIcon
      variant="default"
      size="md"
      aria-label={dark ? "Use light colours" : "Use dark colours"}
      onClick={() => setColorScheme(dark ? "light" : "dark")}
    >
      <svg width="16" height="16" viewBox="0 0 16 16" fill="currentColor" aria-hidden>
        {dark ? (
          <path d="M8 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M7.3 0h1.4v2.4H7.3zm0 13.6h1.4V16H7.3zM0 7.3h2.4v1.4H0zm13.6 0H16v1.4h-2.4zM1.9 2.9l1-1 1.7 1.7-1 1zm9.5 9.5 1-1 1.7 1.7-1 1zm1.7-10.5 1 1-1.7 1.7-1-1zM3.6 11.4l1 1-1.7 1.7-1-1z" />
        ) : (
          <path d="M6 1a7 7 0 1 0 9 9A6 6 0 0 1 6 1" />
        )}
      </svg>
    </ActionIcon>
  );
}

function StrokeIcon({ path }: { path: string }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden
    >
      <path d={path} />
    </svg>
  );
}
