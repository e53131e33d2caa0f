import { ActionIcon, Anchor, AppShell, Button, Group, useMantineColorScheme } from "@mantine/core";
import { useComputedColorScheme } from "@mantine/core";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useSignOut } from "../lib/use-session.ts";

const SECTIONS = [
  { path: "/", label: "Services" },
  { path: "/api-keys", label: "API keys" },
] as const;

export function Shell({ children }: { children: ReactNode }) {
  const signOut = useSignOut();
  return (
    <AppShell header={{ height: 52 }} padding="md">
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="md" wrap="nowrap" component="nav" aria-label="Sections">
            <img src="/favicon.svg" width={24} height={24} alt="Waymark" />
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
        </Group>
      </AppShell.Header>
      <AppShell.Main id="main" tabIndex={-1}>
        {children}
      </AppShell.Main>
    </AppShell>
  );
}

function SectionLink({ path, label }: { path: string; label: string }) {
  const [location] = useLocation();
  const here = path === "/" ? !location.startsWith("/api-keys") : location.startsWith(path);
  return (
    <Anchor
      component={Link}
      href={path}
      fw={here ? 700 : 400}
      underline={here ? "always" : "hover"}
      aria-current={here ? "page" : undefined}
    >
      {label}
    </Anchor>
  );
}

function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  return (
    <ActionIcon
      variant="default"
      size="md"
      aria-label={dark ? "Use light colours" : "Use dark colours"}
      onClick={() => setColorScheme(dark ? "light" : "dark")}
    >
      {dark ? "☀" : "☾"}
    </ActionIcon>
  );
}
