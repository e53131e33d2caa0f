import { Anchor, Button, Skeleton, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { countOf } from "../count-of.ts";
import { ErrorAlert } from "../error-alert.tsx";
import { LoadMore } from "../load-more.tsx";
import { Time } from "../time.tsx";
import { VerdictItem } from "../verdicts/verdict-item.tsx";
import classes from "../verdicts/verdicts.module.css";
import type { EndpointName } from "./endpoint-address.ts";
import { useEndpointHistory } from "./use-history.ts";

/**
 * How an endpoint changed, and whether that broke clients.
 *
 * @param props.isOpen false where the changes are read only on request: that takes a request for each
 */
export function EndpointHistory(props: { serviceId: string; endpoint: EndpointName; isOpen: boolean }) {
  const { serviceId, endpoint } = props;
  const [isOpen, setIsOpen] = useState(props.isOpen);
  const history = useEndpointHistory(serviceId, endpoint, { enabled: isOpen });
  if (!isOpen)
    return (
      <Button size="xs" variant="default" onClick={() => setIsOpen(true)}>
        Show how it changed
      </Button>
    );
  if (history.isLoadingError)
    return <ErrorAlert error={history.error} onRetry={() => void history.refetch()} />;
  if (history.data === undefined) return <Skeleton height={60} aria-label="Reading the changes" />;
  const { changes, notCompared, total } = history.data;
  return (
    <Stack gap="sm">
      {changes.length === 0 && (
        <Text size="sm">
          {notCompared === 0
            ? `No change of it in the last ${countOf(total, "changes")} of the service.`
            : "No change of it is known."}
        </Text>
      )}
      {notCompared > 0 && (
        <Text size="sm" c="dimmed">
          In {notCompared} of the last {countOf(total, "changes")} of the service, descriptions were not
          compared.
        </Text>
      )}
      {changes.map(({ scanRunId, baseRunId, scannedAt, verdicts }) => (
        <div key={scanRunId}>
          <Anchor component={Link} href={`/scan-runs/${scanRunId}?tab=changes`} size="sm">
            <Time at={scannedAt} />
          </Anchor>
          <ul className={classes["verdicts"]}>
            {verdicts.map((verdict, index) => (
              <VerdictItem
                key={`${verdict.fingerprint} ${index}`}
                verdict={verdict}
                runs={{ scanRunId, baseRunId }}
              />
            ))}
          </ul>
        </div>
      ))}
      <LoadMore pages={history} label="Look through older changes" />
    </Stack>
  );
}
