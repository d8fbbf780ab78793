interface Placeholder {
  /** The part of the text that a program replaces. */
  readonly text: string;
  readonly fix: string;
}

/** Texts that a program replaces before a manifest is applied, each with the way to have it replaced. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  // `${CLUSTER_NAME}`, with or without a default, as in the shell, `envsubst`, Terraform and Flux.
  [/\$\{[A-Za-z_][A-Za-z0-9_.]*(?::?[-=?+][^}]*)?\}/, 'fill it in first, for example with envsubst'],
  [/\{\{.*?\}\}/, 'fill it in first, for example with `helm template`'],
  [/^<[A-Za-z][\w .-]*>$/, 'write the value itself in its place'],
];

/** Finds a text that is still to be filled in. */
export function findPlaceholder(written: string): Placeholder | undefined {
  for (const [pattern, fix] of PLACEHOLDERS) {
    const [text] = pattern.exec(written) ?? [];
    if (text !== undefined) return { text, fix };
  }
  return undefined;
}
