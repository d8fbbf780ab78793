import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { toEventSchemaPath } from '../../../scripts/reference/files.ts';
import { DETAIL_SCHEMAS } from '../../../shared/api/published-events/schemas.ts';
import { EVENT_SOURCE, PUBLISHED_KINDS } from '../../../shared/model/published-events/kinds.ts';
import { toPublishedEvents } from '../../../shared/model/published-events/to-published-events.ts';
import { codeBlocksIn } from '../../docs/code-blocks.ts';
import { anOffering, NOON } from '../../support/builders.ts';

const eventSchema = z.looseObject({
  source: z.string(),
  'detail-type': z.enum(PUBLISHED_KINDS),
  detail: z.record(z.string(), z.unknown()),
});

/** The examples as readers of the page see them. */
const examples = codeBlocksIn(readFileSync('docs/reference/events.md', 'utf8')).flatMap(({ language, text }) =>
  language === 'json' ? [eventSchema.parse(JSON.parse(text))] : [],
);

/** The JSON Schema of the file, as a consumer in another language reads it. */
const readSchema = (kind: (typeof PUBLISHED_KINDS)[number]) =>
  z.fromJSONSchema(z.record(z.string(), z.unknown()).parse(JSON.parse(readFileSync(toEventSchemaPath(kind), 'utf8'))));

describe('the page of published events', () => {
  it('has an example of each kind', () => {
    expect(examples.map((example) => example['detail-type'])).toEqual(PUBLISHED_KINDS);
  });

  it.each(examples)('has an example of $detail-type that its JSON Schema accepts', (example) => {
    expect(example.source).toBe(EVENT_SOURCE);
    expect(readSchema(example['detail-type']).safeParse(example)).toMatchObject({ success: true });
  });
});

describe('the JSON Schema of a published event', () => {
  it.each(examples)('accepts fields of later releases in $detail-type', (example) => {
    const later = { ...example, detail: { ...example.detail, addedLater: 1 } };
    expect(readSchema(example['detail-type']).safeParse(later)).toMatchObject({ success: true });
  });

  it.each(examples)('refuses another kind, another version and a missing field: $detail-type', (example) => {
    const schema = readSchema(example['detail-type']);
    const { cluster: _, ...incomplete } = example.detail;
    for (const wrong of [
      { ...example, 'detail-type': 'NodeDied' },
      { ...example, detail: { ...example.detail, version: '2' } },
      { ...example, detail: incomplete },
    ]) {
      expect(schema.safeParse(wrong).success).toBe(false);
    }
  });

  it('accepts the largest events, whose lists and texts are cut off', () => {
    const pods = Array.from({ length: 500 }, (_, index) => `shop/cart-${index}`);
    const launch = { claim: 'a', cpuMilli: 1, offering: anOffering() };
    const events = [
      ...toPublishedEvents({ kind: 'launch', at: NOON, pods, replaces: pods, ...launch }, 'shop'),
      ...toPublishedEvents({ kind: 'unplaced', at: NOON, pods, text: 'x'.repeat(5_000) }, 'shop'),
    ];

    expect(events).toHaveLength(2);
    for (const { kind, detail } of events) {
      expect(DETAIL_SCHEMAS[kind].safeParse(detail)).toMatchObject({ success: true });
    }
  });
});
