import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { UnreadableRecordError } from '../../shared/record/errors.ts';
import { readRows } from '../../shared/record/read-rows.ts';

const schema = z.looseObject({
  name: z.string(),
  labels: z.record(z.string(), z.string()),
});
const LABELS = { app: 'web' };
const frame = ['a', 'b'].map((name) => ({ name, '@labels': 0 }));

const read = (json: string) =>
  readRows(schema, z.array(z.any()).parse(JSON.parse(json)), {
    frame,
    values: [LABELS, { labels: LABELS }],
    table: 'rows.pods',
  });

describe('the rows of a snapshot', () => {
  it('are those of its frame and its own, with the values that they refer to', () => {
    expect(read('[[0,2],{"name":"c","@labels":0}]')).toEqual(['a', 'b', 'c'].map((name) => ({ name, labels: LABELS })));
  });

  it.each([
    ['a span beyond the frame', '[[1,2]]', 'names rows up to 3 of a frame of 2'],
    ['spans that name the rows of the frame again and again', '[[0,2],[0,2]]', 'names more rows'],
    ['a value that is not referred to', '[{"name":"c","labels":{"app":7}}]', 'must be a reference'],
    ['a prototype', '[{"name":"c","__proto__":1}]', '__proto__'],
    ['a prototype from the values', '[{"name":"c","@__proto__":1}]', '__proto__'],
    ['a field that plain objects inherit', '[{"name":"c","@constructor":9}]', 'no value 9'],
    ['a value that is missing', '[{"name":"c","@labels":7}]', 'there is no value 7'],
    ['a value of another form', '[{"name":"c","@labels":1}]', 'rows.pods[0].labels'],
  ])('are refused with %s', (_, json, why) => {
    expect(() => read(json)).toThrow(UnreadableRecordError);
    expect(() => read(json)).toThrow(why);
  });

  it('may have fields of later releases, whatever plain objects inherit under their names', () => {
    expect(read('[{"name":"c","@labels":0,"@constructor":0}]')).toHaveLength(1);
  });
});
