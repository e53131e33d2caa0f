import { Anchor, List, Stack, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { Journey } from "./journey-page.tsx";

const ROLES = { source: "description", extends: "base", journey: "journey" } as const;

/** Shows the documents that this one refers to, and those that refer to it: a change affects these. */
export function DocumentLinks({ journey }: { journey: Journey }) {
  const { links, usedBy, binding } = journey;
  return (
    <Stack>
      {binding !== null && (
        <Text>
          Describes the service{" "}
          <Anchor component={Link} href={`/services/${binding.serviceId}`}>
            {binding.serviceName}
          </Anchor>
          .
        </Text>
      )}
      <section aria-labelledby="refers-to">
        <Title order={2} size="h3" id="refers-to" mb="xs">
          Refers to
        </Title>
        {links.length === 0 ? (
          <Text>Nothing.</Text>
        ) : (
          <List>
            {links.map((link) => (
              <List.Item key={`${link.role} ${link.name}`} className="breaks">
                {ROLES[link.role]} {link.name}:{" "}
                {link.documentId === null ? (
                  `${link.target} (not stored here)`
                ) : (
                  <Anchor component={Link} href={`/journeys/${link.documentId}`}>
                    {link.path}
                  </Anchor>
                )}
              </List.Item>
            ))}
          </List>
        )}
      </section>
      <section aria-labelledby="used-by">
        <Title order={2} size="h3" id="used-by" mb="xs">
          Used by
        </Title>
        {usedBy.length === 0 ? (
          <Text>No other document.</Text>
        ) : (
          <List>
            {usedBy.map((user) => (
              <List.Item key={`${user.role} ${user.id}`} className="breaks">
                <Anchor component={Link} href={`/journeys/${user.id}`}>
                  {user.path}
                </Anchor>
                , as its {ROLES[user.role]}
              </List.Item>
            ))}
          </List>
        )}
      </section>
    </Stack>
  );
}
