import { Alert, Code } from "@mantine/core";
import { ApiError } from "../api.ts";
import { ErrorAlert } from "../error-alert.tsx";

/** Says why a description is not shown: most often because the run has none. */
export function NoDescription({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (!(error instanceof ApiError) || error.code !== "description_missing")
    return <ErrorAlert error={error} onRetry={onRetry} />;
  return (
    <Alert color="gray" title="The description is not stored" role="status">
      Waymark has only the method, path, operationId, tags and summary of each endpoint of this run. To see
      parameters, bodies and responses here, scan the service again with the newest <Code>waymark</Code>{" "}
      command, without <Code>--no-description</Code> and without <Code>description: false</Code> in{" "}
      <Code>waymark.yaml</Code>.
    </Alert>
  );
}
