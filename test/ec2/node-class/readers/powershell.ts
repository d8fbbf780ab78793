/** A token of a PowerShell statement. */
export interface Token {
  readonly kind: 'word' | 'parameter' | 'variable' | 'type' | 'text' | 'sign';
  /** For quoted text: the text between the quotes, with its escapes resolved. */
  readonly value: string;
}

/**
 * Matched in this order. In quoted text a doubled quote is an escape; in double quotes also a
 * backtick.
 */
const TOKENS: readonly (readonly [Token['kind'] | 'end' | 'blank', RegExp])[] = [
  ['blank', /[ \t\r]+|`\r?\n|#[^\n]*/y],
  ['end', /[\n;]/y],
  ['text', /'(?:[^']|'')*'/y],
  ['text', /"(?:[^"`]|""|`[\s\S])*"/y],
  ['type', /\[[A-Za-z][\w.]*\]/y],
  ['variable', /\$(?:env:)?\w+/y],
  ['parameter', /-[A-Za-z]\w*/y],
  ['sign', /[&=|]/y],
  ['word', /[^\s'"`;$[\]&=|<>]+/y],
];

/**
 * Splits a script into statements as PowerShell's tokenizer does.
 *
 * @see about_Parsing and about_Quoting_Rules
 * @throws Error - a quote is never closed, or a character is not allowed
 */
export function powershellStatements(script: string): readonly (readonly Token[])[] {
  const statements: Token[][] = [[]];
  let at = 0;
  while (at < script.length) {
    const { kind, raw } = tokenAt(script, at);
    at += raw.length;
    if (kind === 'end') statements.push([]);
    else if (kind !== 'blank') statements.at(-1)?.push({ kind, value: textOf(kind, raw) });
  }
  return statements.filter((statement) => statement.length > 0);
}

function tokenAt(script: string, at: number) {
  for (const [kind, pattern] of TOKENS) {
    pattern.lastIndex = at;
    const raw = pattern.exec(script)?.[0];
    if (raw !== undefined) return { kind, raw };
  }
  throw new Error(`PowerShell cannot read on from ${JSON.stringify(script.slice(at, at + 40))}`);
}

function textOf(kind: Token['kind'], raw: string): string {
  if (kind !== 'text') return raw;
  const inner = raw.slice(1, -1);
  return raw.startsWith("'") ? inner.replaceAll("''", "'") : inner.replaceAll(/""|`"/g, '"');
}
