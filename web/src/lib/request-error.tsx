import { Alert } from "@mantine/core";
import { ApiError } from "./api.ts";

/** Shows the reason why a change was refused, with each wrong field. */
export function RequestError({ title, error }: { title: string; error: Error }) {
  return (
    <Alert color="red" role="alert" title={title}>
      {error.message}
      {error instanceof ApiError &&
        error.details.map((detail) => (
          <div key={detail.path}>
            {detail.path}: {detail.message}
          </div>
        ))}
    </Alert>
  );
}
