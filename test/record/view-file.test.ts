import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { StoredView } from '../../shared/ports/view-store.ts';
import { UnreadableRecordError } from '../../shared/record/errors.ts';
import { readViewFile, writeViewFile } from '../../shared/record/view-file.ts';
import { aNode, aPod, NOON } from '../support/builders.ts';

const RELEASE = '1.2.3';

const VIEW: StoredView = {
  takenAt: NOON,
  pods: {
    resourceVersion: '900',
    objects: [
      { version: '7', value: { pod: aPod({ name: 'a', nodeName: 'n1' }), eventAt: NOON - 5 } },
      { version: '8', value: { pod: aPod({ name: 'b' }) } },
    ],
    unreadable: [
      {
        version: '9',
        value: { kind: 'Pod', namespace: 'x', name: 'c', why: 'spec: wrong', forbids: ['remove'] },
      },
    ],
  },
  nodes: {
    resourceVersion: '901',
    objects: [{ version: '3', value: aNode({ name: 'n1' }) }],
    unreadable: [],
  },
  lastPodEventAt: { n1: NOON - 5 },
};

type Content = Record<string, Record<string, unknown>>;
const contentSchema = z.custom<Content>();
const content = (): Content => contentSchema.parse(JSON.parse(writeViewFile(VIEW, RELEASE)));

describe('the file of a stored view', () => {
  it('holds the view with all versions', () => {
    expect(readViewFile(content(), RELEASE)).toEqual(VIEW);
  });

  it('is refused if another release wrote it', () => {
    expect(() => readViewFile(content(), '1.2.4')).toThrow(UnreadableRecordError);
  });

  const damages: Readonly<Record<string, (file: Content) => unknown>> = {
    'lacks a table': ({ pods: _, ...file }) => file,
    'has a version too few': (file) => ({ ...file, pods: { ...file.pods, versions: ['7'] } }),
    'has an event time too many': (file) => ({
      ...file,
      pods: { ...file.pods, eventAt: [null, null, null] },
    }),
    'has a resourceVersion that is no number': (file) => ({
      ...file,
      nodes: { ...file.nodes, resourceVersion: 'latest' },
    }),
    'refers to a value that is missing': (file) => ({ ...file, values: [] }),
    'has a value of another form': (file) => ({
      ...file,
      values: Array.from({ length: 50 }, () => ({ requests: 'all' })),
    }),
    'has another format': (file) => ({ ...file, format: 2 }),
  };
  for (const [what, damage] of Object.entries(damages)) {
    it(`is refused if it ${what}`, () => {
      expect(() => readViewFile(damage(content()), RELEASE)).toThrow(UnreadableRecordError);
    });
  }
});
