import { memo, useRef } from 'react';
import { cx } from '../class-names.ts';
import styles from './what-if.module.css';

interface YamlEditorProps {
  /** The id of the visible label. */
  readonly labelId: string;
  readonly yaml: string;
  readonly onChange: (yaml: string) => void;
}

/** A text field whose text is coloured by a copy that lies below it. */
export function YamlEditor({ labelId, yaml, onChange }: YamlEditorProps) {
  const copy = useRef<HTMLPreElement>(null);
  return (
    <div className={cx(styles.editor)}>
      <pre ref={copy} className={cx(styles.copy)} aria-hidden="true">
        {yaml.split('\n').map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no identity but its place.
          <Line key={index} line={line} />
        ))}
      </pre>
      <textarea
        className={cx(styles.yaml)}
        data-testid="whatif-yaml"
        aria-labelledby={labelId}
        spellCheck={false}
        rows={16}
        wrap="off"
        value={yaml}
        onChange={(event) => onChange(event.target.value)}
        onScroll={({ currentTarget: { scrollTop, scrollLeft } }) => copy.current?.scrollTo(scrollLeft, scrollTop)}
      />
    </div>
  );
}

const Line = memo(function Line({ line }: { readonly line: string }) {
  return (
    <>
      {tokenizeYaml(line).map(({ kind, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a token has no identity but its place.
        <span key={index} data-token={kind}>
          {text}
        </span>
      ))}
      {'\n'}
    </>
  );
});

type TokenKind = 'key' | 'text' | 'number' | 'string' | 'comment' | 'mark';

interface YamlToken {
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
