import { DEFAULT_GATES } from '../../model/feature-gates.ts';
import { ANNOTATIONS, FINALIZERS, type KeyEntry, TAINTS } from '../keys/annotations.ts';
import { CONDITIONS } from '../keys/conditions.ts';
import { FEATURE_GATES } from '../keys/feature-gates.ts';
import { LABELS } from '../keys/labels.ts';
import { SETTINGS, SETTINGS_WITHOUT_EFFECT } from '../keys/settings.ts';
import { paragraphs, table } from './markdown.ts';

const MADE = '<!-- Made by `npm run generate` from shared/api/keys. -->';
const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** Labels, annotations, taints, finalizers and conditions, as Markdown. */
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

/** Feature gates and settings, as Markdown. */
export const settingsPage = (): string =>
  paragraphs([
    '# Settings',
    'Environment variables, by the names that Karpenter gave them. A wrong one fails the deployment, with all problems listed.',
    MADE,
    table(
      ['Variable', 'Default', 'Valid', 'Meaning'],
      SETTINGS.map(({ name, usual, valid, meaning }) => [code(name), code(usual), valid, meaning]),
    ),
    `Accepted and without effect, for nothing runs in the cluster: ${SETTINGS_WITHOUT_EFFECT.map(code).join(', ')}.`,
    '## Feature gates',
    'Written as `A=true,B=false`; unknown names are left alone.',
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
  ]);
