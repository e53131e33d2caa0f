import { Checkbox, Code, Modal, Stack } from "@mantine/core";
import { useSingleKeys } from "../lib/single-keys.ts";
import { useReturnFocus } from "../lib/use-return-focus.ts";
import classes from "./shortcuts-dialog.module.css";

const CTRL = /^(Mac|iP)/.test(navigator.platform) ? "⌘" : "Ctrl";
const ALT = CTRL === "⌘" ? "⌥" : "Alt";

const GROUPS: Readonly<Record<string, readonly (readonly [keys: string, effect: string])[]>> = {
  "On every page": [
    [`${CTRL} K`, "Go to anything by its name"],
    ["/", "Search on the page; on a page without a search, the same as above"],
    ["?", "Show these shortcuts"],
    ["Esc", "Close a dialog or a list"],
    ["← →", "Go to the tab beside the focused one"],
  ],
  "Inbox of the overview": [
    ["s", "Snooze the focused item"],
    ["u", "Undo the last snooze"],
  ],
  "Changes of a scan": [
    ["j", "Go to the next card"],
    ["k", "Go to the previous card"],
    ["↑ ↓", "Choose the tag above or below the focused one"],
  ],
  Findings: [
    ["j", "Open the next finding"],
    ["k", "Open the previous finding"],
    ["a", "Accept the risk of the open finding; also d"],
    ["f", "Decide that it is a false positive"],
    ["w", "Decide that nobody will fix it"],
    ["u", "Undo the decision"],
  ],
  "Several findings": [
    ["x", "Select or deselect the focused finding"],
    ["↑ ↓", "Go to the finding above or below"],
    ["Shift ↑ ↓", "The same, and select it; Shift and a click select those between"],
    [`${CTRL} A`, "Select all that are loaded"],
    ["Enter", "Open the focused finding"],
    ["a f w", "Decide about the selected findings"],
    ["i", "Assign them"],
    ["u", "Undo the last decision or assignment of several findings"],
    ["Esc", "Clear the selection"],
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
          <table key={title} className={classes["shortcuts"]}>
            <caption>{title}</caption>
            <tbody>
              {shortcuts.map(([keys, effect]) => (
                <tr key={keys}>
                  <th scope="row">
                    <Code className="whole">{keys}</Code>
                  </th>
                  <td>{effect} </td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
        <Checkbox
          label="Use the shortcuts of one key: /, ?, j, k, d, a, f, w, x, i, s and u"
          description="This browser keeps it. “Go to” leads here too."
          checked={singleKeys}
          onChange={(event) => setSingleKeys(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  );
}
