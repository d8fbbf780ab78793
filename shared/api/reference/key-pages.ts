import { DEFAULT_GATES } from '../../model/settings.ts';
import { ANNOTATIONS, FINALIZERS, type KeyEntry, TAINTS } from '../keys/annotations.ts';
import { CONDITIONS } from '../keys/conditions.ts';
import { FEATURE_GATES } from '../keys/feature-gates.ts';
import { LABELS } from '../keys/labels.ts';
import { FIXED_SETTINGS, SETTINGS } from '../keys/settings.ts';
import { paragraphs, table } from './page.ts';

const MADE = '<!-- Made by `npm run generate` from shared/api/keys. -->';
const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** Renders labels, annotations, taints, finalizers and conditions as Markdown. */
export const keysPage = (): string =>
  paragraphs([
    '# Keys',
    'Labels, annotations, taints, finalizers and conditions that mean something to the autoscaler.',
    MADE,
    '## Labels',
    'A well-known label may be asked for by NodePools and selected by pods before there is a node.',
    table(
      ['Label', 'Values', 'Meaning', 'Well known', 'Written at'],
      LABELS.map(({ key, values, meaning, isWellKnown, writer }) => [
        code(key),
        values,
        meaning,
        isWellKnown ? 'yes' : '',
        writer,
      ]),
    ),
    '## Annotations',
    keyTable('Annotation', 'Value', ANNOTATIONS),
    '## Taints',
    keyTable('Taint', 'Effect', TAINTS),
    '## Finalizers',
    table(
      ['Finalizer', 'On', 'Meaning'],
      FINALIZERS.map(({ key, on, meaning }) => [code(key), on, meaning]),
    ),
    '## Conditions',
    '`Ready` is True when all conditions that it needs are, and were judged at the current generation.',
    table(
      ['Kind', 'Condition', 'Needed for Ready', 'True when', 'Else'],
      CONDITIONS.map(({ kind, type, isNeeded, whenTrue, otherwise }) => [
        kind,
        code(type),
        isNeeded ? 'yes' : '',
        whenTrue,
        otherwise.map(code).join(', '),
      ]),
    ),
  ]);

const keyTable = (name: string, value: string, entries: readonly KeyEntry[]): string =>
  table(
    [name, 'On', value, 'Meaning'],
    entries.map((entry) => [code(entry.key), entry.on, entry.value, entry.meaning]),
  );

/** Renders feature gates and settings as Markdown. */
export const settingsPage = (): string =>
  paragraphs([
    '# Settings',
    "By the environment variables that Karpenter gave them. The stack is told by options, as `cdk deploy -c <option>=<value>` or under `context` in `cdk.json`; `mortise controller` by the variable itself. A wrong one fails the deployment, or the start, with all problems listed. The stack's other options are described in `infra/options/options.ts`.",
    MADE,
    table(
      ['Variable', 'Default', 'Valid', 'Option of the stack', '`mortise controller`', 'Meaning'],
      SETTINGS.map(({ name, usual, valid, option = '', controller = '', meaning }) => [
        code(name),
        code(usual),
        valid,
        code(option),
        controller === 'variable' ? 'the variable' : code(controller),
        meaning,
      ]),
    ),
    'Durations are whole milliseconds as options: `-c batchIdleMs=1000`.',
    '## Feature gates',
    'Written as `A=true,B=false`; unknown names are left alone. While a gate is off, `mortise validate` warns of objects that need it, and so do their conditions where they have some.',
    table(
      ['Gate', 'Stage', 'Default', 'Variable', 'Effect'],
      FEATURE_GATES.map(({ name, stage, setting, effect }) => [
        code(name),
        stage,
        DEFAULT_GATES[name] ? 'on' : 'off',
        code(setting),
        effect,
      ]),
    ),
    '## Variables without effect',
    "Of Karpenter's, left alone here.",
    table(
      ['Variable', 'Instead'],
      FIXED_SETTINGS.map(({ name, instead }) => [code(name), instead]),
    ),
  ]);
