import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AREAS } from '../../../console/page/map/layout/box-content.ts';
import { GROUPINGS } from '../../../console/page/map/layout/lanes.ts';
import { readAddress, SCREENS, writeAddress } from '../../../console/page/ui/address.ts';
import { OBJECT_KINDS } from '../../../console/views.ts';
import { NOON } from '../../support/builders.ts';

const START = {
  screen: 'cluster',
  compare: 'before',
  grouping: 'zone',
  area: 'dominant',
  filter: '',
} as const;

describe('deep links', () => {
  it('are parsed as the specification writes them', () => {
    const link =
      '#/timeline?sel=pod/ml/train-bert-0&at=2026-03-04T14:32:07Z&compare=now&group=pool&area=cpu&q=spot%20m7g';
    expect(readAddress(link)).toEqual({
      screen: 'timeline',
      at: Date.UTC(2026, 2, 4, 14, 32, 7),
      compare: 'now',
      selected: { kind: 'pod', name: 'ml/train-bert-0' },
      grouping: 'pool',
      area: 'cpu',
      filter: 'spot m7g',
    });
  });

  it('contain only differences from the default', () => {
    expect(writeAddress(START)).toBe('#/cluster');
  });

  it.each(['', '#', '#/nonsense?sel=', '#/cluster?sel=secret/x&at=soon&group=colour&area=%'])(
    'fall back to the default for the unreadable %j',
    (hash) => {
      expect(readAddress(hash)).toEqual(START);
    },
  );

  it('are parsed into the address that was written', () => {
    const address = fc.record({
      screen: fc.constantFrom(...SCREENS),
      compare: fc.constantFrom('before' as const, 'now' as const),
      at: fc.integer({ min: 0, max: NOON }),
      grouping: fc.constantFrom(...GROUPINGS),
      area: fc.constantFrom(...AREAS),
      filter: fc.string(),
      selected: fc.record({
        kind: fc.constantFrom(...OBJECT_KINDS),
        name: fc.stringMatching(/^[a-z0-9.-]{1,20}(\/[a-z0-9.-]{1,20})?$/),
      }),
    });
    fc.assert(
      fc.property(address, (written) => {
        expect(readAddress(writeAddress(written))).toEqual(written);
      }),
    );
  });
});
