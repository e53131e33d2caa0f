import { Alert, Anchor, Badge, Group, Text } from "@mantine/core";
import { labelTexts } from "@waymark/shared/services/labels/schema.ts";
import type { Service } from "@waymark/shared/services/schema.ts";
import { Link } from "wouter";
import { Time } from "../lib/time.tsx";

const LINKS = [
  ["repository", "Repository"],
  ["documentation", "Documentation"],
  ["onCall", "On-call"],
] as const;

/** Shows what people say about a service: its other names, owner, labels and links. */
export function ServiceDescription({ service }: { service: Service }) {
  const { aliases, labels, links, ownerTeam } = service;
  const pages = LINKS.flatMap(([name, label]) => {
    const href = links[name];
    return href === null ? [] : [{ href, label }];
  });
  const pairs = labelTexts(labels);
  return (
    <>
      {aliases.length > 0 && (
        <Text size="sm" c="dimmed" className="breaks">
          Also scanned as {aliases.join(", ")}
        </Text>
      )}
      <Text size="sm" c="dimmed" className="breaks">
        Owner:{" "}
        {ownerTeam === null ? (
          "no team"
        ) : (
          <Anchor component={Link} href={`/services?owner=${ownerTeam.slug}`}>
            {ownerTeam.displayName}
          </Anchor>
        )}
      </Text>
      {(pages.length > 0 || pairs.length > 0) && (
        <Group gap="xs" mt={6} fz="sm">
          {pairs.map((label) => (
            <Badge
              key={label}
              component={Link}
              href={`/services?label=${encodeURIComponent(label)}`}
              variant="default"
              tt="none"
              style={{ cursor: "pointer" }}
            >
              {label}
            </Badge>
          ))}
          {pages.map(({ href, label }) => (
            <Anchor key={label} href={href} target="_blank" rel="noreferrer">
              {label}
            </Anchor>
          ))}
        </Group>
      )}
    </>
  );
}

/** Says that a service is archived. */
export function ArchivedNote({ service: { archivedAt } }: { service: Service }) {
  if (archivedAt === null) return null;
  return (
    <Alert color="gray" title="This service is archived" role="status">
      Since <Time at={archivedAt} />, lists, searches and totals leave it out. It takes scans as before. Its
      settings restore it.
    </Alert>
  );
}
