import { InputWrapper } from "@mantine/core";
import { type ChangeEvent, useId, useRef, useState } from "react";

/** The largest file of a journey's text or a recording. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

export interface TextFile {
  name: string;
  text: string;
}

/** A text file of this computer. */
export function FileInput(props: {
  label: string;
  description: string;
  /** Undefined: none any more, such as while another one is read. */
  onRead: (file: TextFile | undefined) => void;
}) {
  const { label, description, onRead } = props;
  const id = useId();
  const [error, setError] = useState<string>();
  const chosen = useRef<File>(undefined);
  const read = async (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.currentTarget.files ?? [];
    chosen.current = file;
    setError(undefined);
    onRead(undefined);
    if (file === undefined) return;
    if (file.size > FILE_BYTES_MAX) {
      setError(`${file.name} is larger than 64 MiB.`);
      return;
    }
    const text = decoded(await file.arrayBuffer());
    // A small file that is chosen later is read earlier.
    if (chosen.current !== file) return;
    if (text === undefined) setError(`${file.name} is no text in UTF-8.`);
    else onRead({ name: file.name, text });
  };
  return (
    <InputWrapper label={label} description={description} error={error} id={id}>
      <input id={id} type="file" onChange={(event) => void read(event)} />
    </InputWrapper>
  );
}

function decoded(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
