import { Alert, List } from "@mantine/core";
import { useRef, useState } from "react";
import { NotLoaded } from "../../lib/lazy-part.tsx";
import type { ImportedFile } from "./import-file.ts";
import type { OriginProps } from "./new-journey-form.tsx";
import { FileInput, type TextFile } from "./file-input.tsx";

const NOTES_SHOWN_MAX = 200;

/** The fields for a journey from a file of this computer. Only the journey is sent, and nothing else of the file. */
export function FileFields({ finish }: OriginProps) {
  const [imported, setImported] = useState<ImportedFile>();
  const [notLoaded, setNotLoaded] = useState<TextFile>();
  const latest = useRef<TextFile>(undefined);
  const read = async (file: TextFile | undefined) => {
    latest.current = file;
    setImported(undefined);
    setNotLoaded(undefined);
    if (file === undefined) return;
    const code = await import("./import-file.ts").catch(() => undefined);
    // Another file may be chosen while this is loaded.
    if (latest.current !== file) return;
    if (code === undefined) setNotLoaded(file);
    else setImported(code.importFile(file.name, file.text));
  };
  return (
    <>
      <FileInput
        label="File"
        description="Arazzo and overlays are stored as they are. Of Postman collections and HAR recordings, secrets become inputs."
        onRead={(file) => void read(file)}
      />
      {notLoaded !== undefined && <NotLoaded what="What reads files" onRetry={() => void read(notLoaded)} />}
      {imported?.ok === false && (
        <Alert color="red" role="alert" title="The file can't become a journey">
          {imported.message}
        </Alert>
      )}
      {imported?.ok === true && imported.notes.length > 0 && (
        <Alert color="yellow" role="status" title="Look at this in the journey">
          <List size="sm">
            {imported.notes.slice(0, NOTES_SHOWN_MAX).map((note) => (
              <List.Item key={note} className="breaks">
                {note}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {finish(
        imported?.ok === true
          ? {
              source: { kind: "file", text: imported.text },
              kind: imported.kind,
              title: imported.title,
              hasTitle: true,
            }
          : undefined,
      )}
    </>
  );
}
