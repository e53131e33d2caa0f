import { ActionIcon, Alert, Anchor, Button, Group, useMantineColorScheme } from "@mantine/core";
import { useComputedColorScheme } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { ApiError } from "../lib/api.ts";
import { useSignOut } from "../lib/use-session.ts";
import classes from "./shell.module.css";

const SECTIONS = [
  { path: "/", label: "Services" },
  { path: "/api-keys", label: "API keys" },
] as const;

export function Shell({ children }: { children: ReactNode }) {
  const signOut = useSignOut();
  const main = useFocusOnNewPage();
  return (
    <>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <header className={classes["header"]}>
        <div className={classes["bar"]}>
          <Group gap="md" wrap="nowrap" component="nav" aria-label="Sections">
            <Link href="/" className={classes["brand"] ?? ""} aria-label="Waymark">
              <img src="/favicon.svg" width={24} height={24} alt="" />
              <span className={classes["name"]}>Waymark</span>
            </Link>
            {SECTIONS.map((section) => (
              <SectionLink key={section.path} {...section} />
            ))}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ColorSchemeButton />
            <Button variant="default" size="xs" onClick={() => signOut.mutate()} loading={signOut.isPending}>
              Sign out
            </Button>
          </Group>
        </div>
      </header>
      <main id="main" tabIndex={-1} ref={main} className={classes["main"]}>
        <div className="page">
          {signOut.isError && !signOut.isPending && (
            <Alert color="red" role="alert" title="You are still signed in" mb="md">
              {signOut.error instanceof ApiError ? signOut.error.message : "The server can't be reached."} Try
              to sign out again.
            </Alert>
          )}
          {children}
        </div>
      </main>
    </>
  );
}

/** Scrolls a new page to its top and moves the focus to it. On the way back, the browser restores the position. */
function useFocusOnNewPage() {
  const main = useRef<HTMLElement>(null);
  const [path] = useLocation();
  const before = useRef(path);
  const wentBack = useRef(false);
  useEffect(() => {
    // Closing a dialog stays on the page.
    const onPopState = () => (wentBack.current = globalThis.location.pathname !== before.current);
    globalThis.addEventListener("popstate", onPopState);
    return () => globalThis.removeEventListener("popstate", onPopState);
  }, []);
  useEffect(() => {
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
  const here = path === "/" ? !location.startsWith("/api-keys") : location.startsWith(path);
  return (
    <Anchor
      component={Link}
      href={path}
      className={classes["section"] ?? ""}
      underline="never"
      aria-current={here ? "page" : undefined}
    >
      {label}
    </Anchor>
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
