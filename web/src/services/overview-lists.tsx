import { Anchor, Text, Title } from "@mantine/core";
import {
  EXPIRING_DAYS,
  type ExpiringKey,
  type NewService,
  RECENT_DAYS,
  type RefusedKey,
} from "@waymark/shared/services/overview/schema.ts";
import { type ReactNode, useId } from "react";
import { Link } from "wouter";
import { countOf } from "../lib/count-of.ts";
import { describeUntil } from "../lib/describe-until.ts";
import { TimeAgo } from "../lib/time.tsx";
import classes from "./overview.module.css";
import { LOCALE } from "../lib/locale.ts";

/** How many of each list are shown here. */
const SHOWN_MAX = 8;

/** Keys that expire soon, the first one first. */
export function ExpiringKeys({ keys, count }: { keys: readonly ExpiringKey[]; count: number }) {
  return (
    <List
      title="Keys that expire soon"
      count={count}
      listed={Math.min(keys.length, SHOWN_MAX)}
      all="/api-keys"
      empty={`No key expires within ${EXPIRING_DAYS} days.`}
    >
      {keys.slice(0, SHOWN_MAX).map(({ apiKeyId, name, expiresAt, lastUsedAt }) => (
        <li key={apiKeyId}>
          <Anchor component={Link} href={`/api-keys?key=${apiKeyId}`} className="breaks">
            {name}
          </Anchor>
          <Text size="sm" c="dimmed">
            <time dateTime={expiresAt}>{describeUntil(expiresAt, Date.now())}</time>
            {lastUsedAt === null ? (
              ", never used"
            ) : (
              <>
                , last used <TimeAgo at={lastUsedAt} />
              </>
            )}
          </Text>
        </li>
      ))}
    </List>
  );
}

/** Keys of which a request was refused lately, with the last one. */
export function RefusedKeys({ keys, count }: { keys: readonly RefusedKey[]; count: number }) {
  return (
    <List
      title="Keys that were refused"
      count={count}
      listed={Math.min(keys.length, SHOWN_MAX)}
      all="/audit-log?action=api_key.use_denied"
      empty={`No key was refused in ${RECENT_DAYS} days.`}
    >
      {keys.slice(0, SHOWN_MAX).map(({ apiKeyId, name, refusedAt, route, code }) => (
        <li key={apiKeyId}>
          <Anchor component={Link} href={`/audit-log?by=${apiKeyId}`} className="breaks">
            {name}
          </Anchor>
          <Text size="sm" c="dimmed" className="breaks">
            <TimeAgo at={refusedAt} />, {route}, {code}
          </Text>
        </li>
      ))}
    </List>
  );
}

/** Services that were scanned for the first time lately. */
export function NewServices({ services, count }: { services: readonly NewService[]; count: number }) {
  return (
    <List
      title="New services"
      count={count}
      listed={Math.min(services.length, SHOWN_MAX)}
      all="/services"
      empty="No new services in 7 days."
    >
      {services
        .slice(0, SHOWN_MAX)
        .map(({ serviceId, serviceName, createdAt, endpointCount, findingCount }) => (
          <li key={serviceId}>
            <Anchor component={Link} href={`/services/${serviceId}`} className="breaks">
              {serviceName}
            </Anchor>
            <Text size="sm" c="dimmed">
              <TimeAgo at={createdAt} />
              {endpointCount === null || findingCount === null
                ? ", no successful scan yet"
                : `, ${countOf(endpointCount, "endpoints")}, ${countOf(findingCount, "findings")}`}
            </Text>
          </li>
        ))}
    </List>
  );
}

function List(props: {
  title: string;
  count: number;
  listed: number;
  /** The page with all of them. */
  all: string;
  empty: string;
  children: ReactNode;
}) {
  const { title, count, listed, all, empty, children } = props;
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={2} size="h4" id={id} mb={4}>
        {title}
        {count > 0 && ` (${count.toLocaleString(LOCALE)})`}
      </Title>
      {count === 0 ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <ul className={classes["list"]}>{children}</ul>
      )}
      {count > listed && (
        <Anchor component={Link} href={all} size="sm">
          Show all
        </Anchor>
      )}
    </section>
  );
}
