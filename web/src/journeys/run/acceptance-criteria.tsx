import { Badge, Group, List, Text, Title } from "@mantine/core";
import { CRITERION_WORDS } from "./criterion-words.ts";
import type { RunResult } from "./step-result.ts";

/** Shows each acceptance criterion of the journey, and whether the run proved it. */
export function AcceptanceCriteria({ criteria }: { criteria: RunResult["acceptance"] }) {
  return (
    <section aria-labelledby="criteria">
      <Title order={2} size="h3" id="criteria" mb="xs">
        Acceptance criteria
      </Title>
      <List listStyleType="none" spacing="xs">
        {criteria.map(({ id, text, severity, status, by }) => (
          <List.Item key={id} className="breaks">
            <Group gap={6} component="span">
              <Badge color={CRITERION_WORDS[status].color}>{CRITERION_WORDS[status].label}</Badge>
              <span>{text}</span>
            </Group>
            <Text size="sm" c="dimmed">
              {id}, {severity}
              {by.length > 0 && `, by ${by.join(", ")}`}
            </Text>
          </List.Item>
        ))}
      </List>
    </section>
  );
}
