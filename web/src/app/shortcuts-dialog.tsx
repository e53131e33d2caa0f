import { Checkbox, Code, Modal, Stack, Table, Text } from "@mantine/core";
import { useReturnFocus } from "../lib/use-return-focus.ts";
import { useSingleKeys } from "./shortcuts.ts";

const CTRL = /^(Mac|iP)/.test(navigator.platform) ? "⌘" : "Ctrl";
const ALT = CTRL === "⌘" ? "⌥" : "Alt";

const GROUPS: Readonly<Record<string, readonly (readonly [keys: string, effect: string])[]>> = {
  "On every page": [
    [`${CTRL} K`, "Go to a page, a service or an endpoint"],
    ["/", "Search on the page; on a page without a search, the same as above"],
    ["?", "Show these shortcuts"],
    ["Esc", "Close a dialog or a list"],
    ["← →", "Go to the tab beside the focused one"],
  ],
  "Steps of a journey": [
    [`${ALT} ↑ ↓`, "Move the focused step"],
    ["Esc", "Undo what was typed into a field"],
    [`${CTRL} Space`, "Offer expressions in a field, and names in the text"],
    [`${CTRL} Z`, "Undo"],
    [`${CTRL} Shift Z`, "Redo"],
    ["F12", "Go from a name in the text to where it is declared"],
    [`${CTRL} F`, "Search in the text"],
  ],
};

/** The keyboard shortcuts, and the switch for those of one key. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const [singleKeys, setSingleKeys] = useSingleKeys();
  useReturnFocus();
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="lg">
      <Stack>
        {Object.entries(GROUPS).map(([title, shortcuts]) => (
          <Table key={title} captionSide="top" withRowBorders={false} verticalSpacing={4}>
            <Table.Caption ta="left" fw={600} c="var(--mantine-color-text)">
              {title}
            </Table.Caption>
            <Table.Tbody>
              {shortcuts.map(([keys, effect]) => (
                <Table.Tr key={keys}>
                  <Table.Th scope="row" w="9rem" fw={400}>
                    <Code className="whole">{keys}</Code>
                  </Table.Th>
                  <Table.Td>
                    <Text size="sm">{effect}</Text>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        ))}
        <Checkbox
          label="Use the shortcuts of one key: / and ?"
          description="This browser keeps it. “Go to” leads here too."
          checked={singleKeys}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}
