interface Part {
  /** Offsets in the text; `to` is the offset after the last character. */
  readonly from: number;
  readonly to: number;
}

/**
 * Splits a stream of JSON objects, such as JSON Lines, into its objects. Any other text is one part.
 *
 * @see k8s.io/apimachinery/pkg/util/yaml, NewYAMLOrJSONDecoder: a text that begins with `{` is read as a
 *   stream of JSON
 */
export function splitJsonStream(text: string): readonly Part[] {
  const whole = [{ from: 0, to: text.length }];
  const parts: Part[] = [];
  let from = skipSpace(text, 0);
  while (from < text.length) {
    // `---` or a comment between the objects: YAML.
    if (text[from] !== '{') return whole;
    const to = endOfObject(text, from);
    parts.push({ from, to });
    from = skipSpace(text, to);
  }
  return parts.length > 1 ? parts : whole;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (' \t\r\n\uFEFF'.includes(text[at] ?? '.')) at += 1;
  return at;
}

/** Returns the offset after the object at `from`, or the end of the text if it is not closed. */
function endOfObject(text: string, from: number): number {
  const marks = /"(?:[^"\\]|\\.)*"|[{}]/gs;
  marks.lastIndex = from;
  let depth = 0;
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    if (match[0] === '{') depth += 1;
    if (match[0] === '}') depth -= 1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}
