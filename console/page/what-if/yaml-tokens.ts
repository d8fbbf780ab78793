export type TokenKind = 'key' | 'text' | 'number' | 'string' | 'comment' | 'mark';

export interface YamlToken {
  readonly kind: TokenKind;
  readonly text: string;
}

const TOKEN = new RegExp(
  [
    /(?<comment>(?<=^|\s)#.*)/,
    /(?<string>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/,
    /(?<key>[^\s{}[\],:#"'][^\s{}[\],:#"']*(?=\s*:(?:\s|$)))/,
    /(?<number>(?<=[\s,[]|^)-?\d[\w.%]*(?=[\s,\]}]|$))/,
    /(?<mark>[{}[\],]|-(?=\s|$)|:(?=\s|$)|---)/,
    /(?<text>[^\s{}[\],]+|\s+)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Splits a line of YAML into parts to colour; together they are the line. */
export function tokenizeYaml(line: string): readonly YamlToken[] {
  return [...line.matchAll(TOKEN)].map(({ 0: text, groups = {} }) => {
    const kind = KINDS.find((one) => groups[one] !== undefined) ?? 'text';
    return { kind, text };
  });
}

const KINDS: readonly TokenKind[] = ['comment', 'string', 'key', 'number', 'mark', 'text'];
