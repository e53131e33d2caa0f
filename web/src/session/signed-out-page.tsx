import { Container, Paper, Stack, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Logo } from "../lib/logo.tsx";

/** The frame of the pages for people who are not signed in. */
export function SignedOutPage(props: { title: string; tabTitle?: string; children: ReactNode }) {
  const { title, tabTitle = title, children } = props;
  return (
    <Container component="main" size={460} py="12vh">
      <title>{`${tabTitle} · Waymark`}</title>
      <Paper withBorder p="xl" radius="md">
        <Stack>
          <Logo size={40} />
          <Title order={1}>{title}</Title>
          {children}
        </Stack>
      </Paper>
    </Container>
  );
}
