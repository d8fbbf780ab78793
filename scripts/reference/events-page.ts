import * as z from 'zod';
import { listEventExamples } from '../../shared/api/published-events/examples.ts';
import { buildEventJsonSchema } from '../../shared/api/published-events/schemas.ts';
import { PUBLISHED_KINDS, type PublishedKind } from '../../shared/model/published-events/kinds.ts';
import { paragraphs, table } from './page.ts';

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
export const eventsPage = (): string =>
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
export const eventSchemaText = (kind: PublishedKind): string =>
  `${JSON.stringify(buildEventJsonSchema(kind), undefined, 2)}\n`;
