import { readFileSync } from 'node:fs';
import packageJson from '../package.json' with { type: 'json' };
import { paragraphs, table } from './reference/page.ts';

const ROOT = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/** A documented member of an interface or class, as its source has it. */
interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  /** Type of a property, or parameters and result of a method. */
  readonly type: string;
  readonly meaning: string;
  readonly byDefault: string;
}

/** Renders the CDK construct's properties and members as Markdown, from their comments. */
export const buildConstructPage = (): string =>
  paragraphs([
    '# CDK construct',
    '<!-- Made by `npm run generate` from infra/mortise.ts and infra/mortise-props.ts. -->',
    '`Mortise` is a construct for a CDK app of your own. The npm package contains the code of its functions, so that the app needs no bundler. `aws-cdk-lib` and `constructs` are peer dependencies.',
    [
      '```ts',
      `import { Mortise } from '${packageJson.name}/cdk';`,
      '',
      "const mortise = new Mortise(this, 'Autoscaler', { cluster, alarmTopic: topic });",
      'mortise.grantReadDecisions(engineers);',
      "mortise.metricOldestPendingPod().createAlarm(this, 'PodsWait', { threshold: 300, evaluationPeriods: 1 });",
      '```',
    ].join('\n'),
    'An app may have several: each has its own cluster, table, bucket and functions. Wrong values fail the synthesis, with a sentence for each. [Options of the stack](stack-options.md) has their valid values.',
    '## Properties',
    table(
      ['Property', 'Type', 'Default', 'Meaning'],
      listMembers(blockOf(read('infra/mortise-props.ts'), 'export interface MortiseProps')).map(
        ({ name, isOptional, type, meaning, byDefault }) => [
          `\`${name}\``,
          `\`${type}\``,
          isOptional ? byDefault : 'required',
          meaning,
        ],
      ),
    ),
    '## Members',
    table(
      ['Member', 'Meaning'],
      listMembers(blockOf(read('infra/mortise.ts'), 'export class Mortise')).map(({ name, type, meaning }) => [
        `\`${name}${type}\``,
        meaning,
      ]),
    ),
    '`grantReadDecisions` returns a `Grant` and includes the decryption with `encryptionKey`. Metrics have a period of one minute and the statistic `Maximum` unless `options` says otherwise; [Metrics](metrics.md) lists those that are in CloudWatch. [Operations](../operations.md#monitor) explains the alarms.',
  ]);

/** @returns the lines between a declaration and the brace that ends it */
function blockOf(source: string, declaration: string): string {
  const start = source.indexOf(declaration);
  return source.slice(source.indexOf('{\n', start) + 2, source.indexOf('\n}\n', start) + 1);
}

const PROPERTY = /^ {2}readonly (?<name>\w+)(?<optional>\??): (?<type>.+);$/;
const ACCESSOR = /^ {2}get (?<name>\w+)\(\)(?<type>: .+) \{$/;
const METHOD = /^ {2}(?<name>[a-z]\w*)(?<type>\(.*\): .+) \{$/;

function listMembers(block: string): readonly Member[] {
  const documented = /^ {2}\/\*\*([\s\S]*?)\*\/\n( {2}.*(?:\n {4}.*)*)/gm;
  return [...block.matchAll(documented)].flatMap(([, comment = '', declaration = '']) => {
    const line = declaration.split('\n')[0] ?? '';
    const match = [PROPERTY, ACCESSOR, METHOD].map((form) => form.exec(line)).find(Boolean);
    const { name, optional, type = '' } = match?.groups ?? {};
    if (name === undefined) throw new Error(`cannot read the member ${line}`);
    const text = comment
      .replaceAll(/^\s*\* ?/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const [meaning = '', ...tags] = text.split(/ @(?=default|param)/);
    const byDefault = tags.find((tag) => tag.startsWith('default'))?.replace(/^default (- )?/, '');
    return [{ name, isOptional: optional === '?', type, meaning, byDefault: byDefault ?? '' }];
  });
}
