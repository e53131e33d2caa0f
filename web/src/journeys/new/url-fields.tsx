import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { OriginProps } from "./new-journey-form.tsx";

/** The fields for a journey with one request, which the user replaces later. */
export function UrlFields({ finish }: OriginProps) {
  const [url, setUrl] = useState("https://api.example.com/");
  const isUrl = URL.canParse(url);
  return (
    <>
      <TextInput
        label="URL of its first request"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        error={isUrl ? undefined : "This must be a whole URL, such as https://api.example.com/health."}
      />
      {finish(isUrl ? { source: { kind: "empty", url }, kind: "journey", title: "New journey" } : undefined)}
    </>
  );
}
