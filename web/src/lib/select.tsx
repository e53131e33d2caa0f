import { ComboboxChevron, ComboboxClearButton, InputBase, type SelectProps } from "@mantine/core";
import { useIsFetching, useQueryClient } from "@tanstack/react-query";
import { type ComponentType, useEffect, useLayoutEffect, useRef, useState } from "react";
import { exactFirst } from "./exact-first.ts";
import { NotLoaded } from "./lazy-part.tsx";

interface Choice {
  value: string;
  label: string;
}

interface Props extends Pick<
  SelectProps,
  | "allowDeselect"
  | "className"
  | "clearable"
  | "clearButtonProps"
  | "limit"
  | "maw"
  | "nothingFoundMessage"
  | "onDropdownOpen"
  | "openOnFocus"
  | "placeholder"
  | "searchable"
  | "w"
> {
  label: string;
  data: readonly (string | Choice)[];
  value: string | null;
  onChange: (value: string | null) => void;
}

/** The time without requests before the list loads: a page's requests start a moment after its fields are rendered. */
const QUIET_MS = 100;

type Loaded = ComponentType<SelectProps>;
let loaded: Loaded | undefined;
async function load(): Promise<Loaded> {
  loaded ??= (await import("./select-list.ts")).Select;
  return loaded;
}

/** The user's last action before the list is loaded. */
type Wanted = "no" | "focused" | "opened";

/**
 * A field that opens a list to choose from. The list is 27 kB of code, which loads when no request is under way. A field that looks the
 * same stands in for it until somebody uses it.
 */
export function Select({ data, ...props }: Props) {
  const [List, setList] = useState(() => loaded);
  const [hasFailed, setFailed] = useState(false);
  const wanted = useRef<Wanted>("no");
  const client = useQueryClient();
  const isQuiet = useIsFetching() === 0;
  useEffect(() => {
    if (!isQuiet) return undefined;
    const timer = setTimeout(() => {
      // A slow device may not have rendered yet that a request has started.
      if (client.isFetching() > 0) return;
      // A failure of this early loading is ignored: opening the list loads it again and shows the failure.
      load().catch(() => undefined);
    }, QUIET_MS);
    return () => clearTimeout(timer);
  }, [isQuiet, client]);
  const want = (what: Wanted) => {
    wanted.current = what;
    load().then(
      (component) => setList(() => component),
      () => setFailed(true),
    );
  };
  if (List !== undefined)
    return <WantedList List={List} wanted={wanted.current} {...props} data={[...data]} />;
  if (hasFailed) return <NotLoaded what={`The list of “${props.label}”`} onRetry={() => want("opened")} />;
  // If the user has moved to another field, the focus stays there and the list is closed.
  const onLeave = () => (wanted.current = "no");
  return <StandIn {...props} data={data} onWanted={want} onLeave={onLeave} />;
}

function WantedList({ List, wanted, ...props }: SelectProps & { List: Loaded; wanted: Wanted }) {
  const input = useRef<HTMLInputElement>(null);
  const [first] = useState(wanted);
  const [onOpen] = useState(() => props.onDropdownOpen);
  useLayoutEffect(() => {
    if (first !== "no") input.current?.focus();
    if (first === "opened") onOpen?.();
  }, [first, onOpen]);
  const search = props.searchable === true ? { selectFirstOptionOnChange: true, filter: exactFirst } : {};
  return <List {...props} {...search} ref={input} defaultDropdownOpened={first === "opened"} />;
}

function StandIn(props: Props & { onWanted: (what: Wanted) => void; onLeave: () => void }) {
  const { label, data, value, onChange, onWanted, onLeave, placeholder, className, w, maw } = props;
  const { searchable = false, clearable = false, clearButtonProps } = props;
  // Between a press and its click, the field must stay the same element.
  const isPointed = useRef(false);
  const chosen = data.map((choice) =>
    typeof choice === "string" ? { value: choice, label: choice } : choice,
  );
  return (
    <InputBase
      label={label}
      value={chosen.find((choice) => choice.value === value)?.label ?? ""}
      placeholder={placeholder}
      readOnly
      pointer={!searchable}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      autoComplete="off"
      onPointerDown={() => (isPointed.current = true)}
      onFocus={() => {
        if (!isPointed.current) onWanted("focused");
        isPointed.current = false;
      }}
      onBlur={onLeave}
      onClick={() => onWanted("opened")}
      onKeyDown={({ key }) => ["ArrowDown", "ArrowUp", " "].includes(key) && onWanted("opened")}
      className={className}
      w={w}
      maw={maw}
      __defaultRightSection={<ComboboxChevron size="sm" />}
      rightSectionPointerEvents="none"
      __clearable={clearable && value !== null}
      __clearSection={<ComboboxClearButton {...clearButtonProps} onClear={() => onChange(null)} />}
    />
  );
}
