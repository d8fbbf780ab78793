import { stringify } from 'yaml';
import * as z from 'zod';
import { CRDS, CUSTOM_KINDS } from '../../shared/api/custom-resources/crds.ts';
import { ANNOTATIONS, FINALIZERS, type KeyEntry, TAINTS } from '../../shared/api/keys/annotations.ts';
import { CONDITIONS } from '../../shared/api/keys/conditions.ts';
import { FEATURE_GATES } from '../../shared/api/keys/feature-gates.ts';
import { LABELS } from '../../shared/api/keys/labels.ts';
import { listEventExamples } from '../../shared/api/published-events/examples.ts';
import { buildEventJsonSchema } from '../../shared/api/published-events/schemas.ts';
import { PUBLISHED_KINDS, type PublishedKind } from '../../shared/model/published-events/kinds.ts';
import { DEFAULT_GATES } from '../../shared/model/settings.ts';
import { describeDefault, FIXED_SETTINGS, SETTINGS } from '../../shared/settings/all-settings.ts';
import { paragraphs, referencePage, table } from './page.ts';

/** A generated file, with its path in the repository. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the files that `npm run generate` writes from the definitions of the API. */
export const generatedFiles = (): readonly GeneratedFile[] => [
  ...CRDS.map((crd) => ({
    path: `manifests/crds/${crd.spec.group}_${crd.metadata.name.split('.')[0] ?? ''}.yaml`,
    // Quoted for YAML 1.1 readers such as kubectl.
    text: stringify(crd, { version: '1.1', lineWidth: 0 }),
  })),
  ...CUSTOM_KINDS.map((kind) => ({
    path: `docs/reference/${kind.singular}.md`,
    text: referencePage(kind),
  })),
  { path: 'docs/reference/keys.md', text: keysPage() },
  { path: 'docs/reference/settings.md', text: settingsPage() },
  { path: 'docs/reference/events.md', text: eventsPage() },
  ...PUBLISHED_KINDS.map((kind) => ({
    path: toEventSchemaPath(kind),
    text: eventSchemaText(kind),
  })),
];

const MEANINGS: Readonly<Record<PublishedKind, string>> = {
  NodeLaunched: 'EC2 has launched an instance, for pods or in place of other nodes.',
  NodeDisrupted: 'A node is going to be removed. One event for each node. A node that a user deletes has none.',
  LaunchRefused:
    'EC2 refuses a launch for a reason other than capacity, such as a missing permission. Mortise tries again. Missing capacity is an expected result, so it has no event.',
  PodsWaiting: 'Pods stay pending, and a launch does not help. `mortise explain pod` says more.',
  CapReached: 'A limit of the whole cluster holds launches back.',
  RolloutStopped: 'The first node of a changed EC2NodeClass did not become ready. The old nodes stay.',
};

/** The path of the JSON Schema of a kind, in the repository. */
export const toEventSchemaPath = (kind: PublishedKind): string => `manifests/events/${kind}.schema.json`;

/** Renders the events on EventBridge as Markdown. */
const eventsPage = (): string =>
  paragraphs([
    '# Events on EventBridge',
    'Mortise can publish what people react to on an event bus. It is off unless you name kinds: `eventKinds` of the [stack](stack-options.md), or `EVENT_KINDS` of [`mortise controller`](settings.md). [A guide](../guides/events.md) sends them to people.',
    '<!-- Made by `npm run generate` from shared/api/published-events. -->',
    table(
      ['`detail-type`', 'Published when', 'JSON Schema'],
      PUBLISHED_KINDS.map((kind) => [
        `[\`${kind}\`](#${kind.toLowerCase()})`,
        MEANINGS[kind],
        `[${kind}](../../${toEventSchemaPath(kind)})`,
      ]),
    ),
    'The source is `mortise`. `mortise schema <kind>` prints the JSON Schema as well. `detail.version` changes if a field is removed or changes its meaning. Fields may be added at any time, so ignore those that you do not know.',
    'Events are sent after the decision has taken effect, and no decision waits for them. An event may be missing: if EventBridge refuses or does not answer, the log has a line `events not published`. An event may come twice. An event about the same object for the same reason is left out for 15 minutes, as long as the same process runs. Events contain names of pods and nodes, also with `redactNames`.',
    ...PUBLISHED_KINDS.flatMap(describeKind),
  ]);

function describeKind(kind: PublishedKind): readonly string[] {
  const example = listEventExamples().get(kind);
  return [
    `## ${kind}`,
    MEANINGS[kind],
    table(['Field of `detail`', 'Type', 'Meaning'], listFields(kind)),
    `\`\`\`json\n${JSON.stringify(example, undefined, 2)}\n\`\`\``,
  ];
}

const fieldSchema = z.object({
  type: z.string().default(''),
  const: z.string().exactOptional(),
  enum: z.array(z.string()).exactOptional(),
  format: z.string().exactOptional(),
  description: z.string().default(''),
  items: z.object({ type: z.string() }).exactOptional(),
});

const eventSchema = z.object({
  properties: z.object({
    detail: z.object({
      properties: z.record(z.string(), fieldSchema),
      required: z.array(z.string()),
    }),
  }),
});

function listFields(kind: PublishedKind): readonly (readonly string[])[] {
  const { detail } = eventSchema.parse(buildEventJsonSchema(kind)).properties;
  return Object.entries(detail.properties).map(([name, field]) => {
    const note = detail.required.includes(name) ? '' : ', may be absent';
    return [`\`${name}\``, `${formatType(field)}${note}`, field.description];
  });
}

function formatType(field: z.infer<typeof fieldSchema>): string {
  const { type, const: fixed, enum: values, format, items } = field;
  if (fixed !== undefined) return `\`${JSON.stringify(fixed)}\``;
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (items) return `list of ${items.type}s`;
  return format === 'date-time' ? 'RFC 3339, UTC' : type;
}

/** Renders the JSON Schema of a kind as the text of its file. */
const eventSchemaText = (kind: PublishedKind): string =>
  `${JSON.stringify(buildEventJsonSchema(kind), undefined, 2)}\n`;

const MADE = '<!-- Made by `npm run generate` from shared/api/keys. -->';
const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

/** Renders labels, annotations, taints, finalizers and conditions as Markdown. */
const keysPage = (): string =>
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
const settingsPage = (): string =>
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
