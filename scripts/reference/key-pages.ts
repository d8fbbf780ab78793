import { ANNOTATIONS, FINALIZERS, type KeyEntry, TAINTS } from '../../shared/api/keys/annotations.ts';
import { CONDITIONS } from '../../shared/api/keys/conditions.ts';
import { FEATURE_GATES } from '../../shared/api/keys/feature-gates.ts';
import { LABELS } from '../../shared/api/keys/labels.ts';
import { DEFAULT_GATES } from '../../shared/model/settings.ts';
import { describeDefault, FIXED_SETTINGS, SETTINGS } from '../../shared/settings/all-settings.ts';
import { paragraphs, table } from './page.ts';

const MADE = '<!-- Made by `npm run generate` from shared/api/keys. -->';
const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** Renders labels, annotations, taints, finalizers and conditions as Markdown. */
export const keysPage = (): string =>
  paragraphs([
    '# Keys',
    'The labels, annotations, taints, finalizers and conditions that Mortise reads or writes.',
    MADE,
    '## Labels',
    'NodePools may require a well-known label, and pods may select it, before a node with it exists.',
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
    '`Ready` is True when all conditions that it needs are True for the current generation of the object.',
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
    "Settings have the names of Karpenter's environment variables. For the stack, set the option: `cdk deploy -c <option>=<value>`, or `context` in `cdk.json`. For `mortise controller`, set the variable. If a value is wrong, the deployment or the start fails and lists all problems. [Options of the stack](stack-options.md) lists the other options of the stack.",
    MADE,
    table(
      ['Variable', 'Default', 'Valid', 'Option of the stack', '`mortise controller`', 'Meaning'],
      SETTINGS.filter(({ controller, option }) => controller !== undefined || option === undefined).map((setting) => [
        code(setting.variable),
        describeDefault(setting),
        setting.form.valid,
        code(setting.option ?? ''),
        setting.controller === 'variable' ? 'the variable' : code(setting.controller ?? ''),
        setting.meaning,
      ]),
    ),
    'As an option of the stack, a duration is a whole number of milliseconds: `-c batchIdleMs=1000`.',
    '## Feature gates',
    'Write them as `A=true,B=false`. Mortise ignores unknown names. While a gate is off, `mortise validate` warns of objects that need it, and the conditions of these objects say so.',
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
    'These variables of Karpenter have no effect in Mortise.',
    table(
      ['Variable', 'Instead'],
      FIXED_SETTINGS.map(({ variable, instead }) => [code(variable), instead]),
    ),
  ]);
