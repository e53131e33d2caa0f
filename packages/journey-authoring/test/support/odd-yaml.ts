/** Layouts that are allowed and that hardly anybody expects. */
export const ODD_YAML: readonly (readonly [name: string, text: string])[] = [
  [
    "merge keys and anchors",
    `defaults: &defaults   # for all
  retries: 3
  on: &events [push, pull_request]
jobs:
  build:
    <<: *defaults
    on: *events
  test: { <<: *defaults, retries: 5 }
matrix:
  - &first {os: linux, node: 24}
  - *first
  - {os: macos, node: 24}
`,
  ],
  [
    "each level indented by another width",
    `a:
   - one
   -   two: 1
       three:
          - x
          -    y
b:
 c:
       d: 1   # deep
       e:
       - f
       -
        g: 1
`,
  ],
  [
    "comments everywhere",
    `# head

# about a
a: # beside a
  # above b
  b: 1 # beside b
  # below b

  c: # beside c
    - x # beside x
    # between
    - y
    # last words of c
  # last words of a
# about d
d:
  - # behind the dash
    e: 1
  # apart

  - e: 2
# foot
`,
  ],
  [
    "tags, block scalars and keys of every kind",
    `text: !!str 12
"quoted key": 'single ''quotes'''
'k: v': "double \\"quotes\\" \\u00e9"
folded: >-
  one
  two

  three
kept: |+
  keeps its end

literal: |2
    begins with blanks
empty:
list:
- |
  item
- ~
-
last: no line break at the end`,
  ],
  [
    "flow over many lines",
    `a: {
  b: 1,   # first
  c: [
    x,
    y,    # last
  ],
}
d: [ { e: 1 }, { e: 2 },
     { e: 3 } ]
f: {}
g: []
`,
  ],
  ["carriage returns", "a: 1\r\nb:\r\n  - x\r\n  # about y\r\n  - y\r\nc: { d: 1 }\r\n"],
  ["a marker and an end", "---\n# in it\na:\n  - b: 1\n    c: 2\n  - b: 3\n...\n"],
];
