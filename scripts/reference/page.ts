import { apiVersionOf, type CustomKind, type PrinterColumn } from '../../shared/api/schema/custom-kind.ts';
import type { SchemaNode } from '../../shared/api/schema/schema.ts';
import { formatConstraints, formatType, listReferenceFields, listReferenceRules } from './fields.ts';

/** Renders the reference page of a kind as Markdown. */
export const referencePage = (kind: CustomKind): string =>
  paragraphs([
    `# ${kind.kind}`,
    kind.description,
    '<!-- Made by `npm run generate` from shared/api/objects. -->',
    factsOf(kind),
    `## spec`,
    kind.spec.description,
    fieldTable(kind.spec),
    ...rulesSection(kind),
    `## status`,
    kind.status.description,
    fieldTable(kind.status),
    `## kubectl get`,
    table(['Column', 'Field', 'Shown'], kind.columns.map(columnRow)),
  ]);

function factsOf(kind: CustomKind): string {
  const { scope, plural, shortNames, categories, gate, scale } = kind;
  const facts: readonly (readonly [string, string])[] = [
    ['apiVersion', `\`${apiVersionOf(kind)}\``],
    ['Scope', scope],
    ['kubectl', [plural, ...shortNames].map((name) => `\`${name}\``).join(', ')],
    ['Category', categories.map((name) => `\`${name}\``).join(', ')],
    ...(scale ? [['kubectl scale', `\`${scale.specPath.slice(1)}\``] as const] : []),
    ...(gate ? [['Feature gate', `\`${gate}\`, off unless set`] as const] : []),
  ];
  return table(['', ''], facts);
}

const fieldTable = (node: SchemaNode): string =>
  table(
    ['Field', 'Type', 'Default', 'Allowed', 'Meaning'],
    listReferenceFields(node).map(({ path, node: field, isRequired }) => [
      `\`${path}\``,
      formatType(field),
      isRequired ? '**required**' : defaultText(field),
      formatConstraints(field).join('; '),
      field.description ?? '',
    ]),
  );

const defaultText = ({ default: value }: SchemaNode): string =>
  value === undefined ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

function rulesSection({ spec }: CustomKind): readonly string[] {
  const rows = listReferenceRules(spec).map(({ path, rule }) => [
    rule.id,
    `\`${path === '' ? 'spec' : path}\``,
    rule.why,
    rule.fix,
  ]);
  if (rows.length === 0) return [];
  return [
    '### Rules',
    'The API server refuses an object that breaks one of these; `mortise validate` says the same without a cluster.',
    table(['Rule', 'Of', 'Holds', 'Else'], rows),
  ];
}

const columnRow = ({ name, path, isWide }: PrinterColumn): readonly string[] => [
  name,
  `\`${path.slice(1)}\``,
  isWide ? 'with `-o wide`' : 'always',
];

/** Joins blocks with an empty line, and ends with one line feed. */
export const paragraphs = (blocks: readonly (string | undefined)[]): string =>
  `${blocks.filter((block) => block !== undefined && block !== '').join('\n\n')}\n`;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

// Escapes bars, which would end the cell, and line feeds, which would end the table.
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
