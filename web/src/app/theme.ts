import { Alert, createTheme, Modal } from "@mantine/core";

/** Teal 9 keeps 4.5:1 with white, as text and as the ground of it. */
export const theme = createTheme({
  primaryColor: "teal",
  primaryShade: 9,
  defaultRadius: "sm",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // The scroll lock adds a style element of its own, without the page's nonce.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, closeButtonProps: { "aria-label": "Close" } } }),
    // The coloured title of the other variants is too pale to read.
    Alert: Alert.extend({ defaultProps: { variant: "default" } }),
  },
});
