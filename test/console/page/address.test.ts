import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AREAS } from '../../../console/page/map/layout/box-content.ts';
import { GROUPINGS } from '../../../console/page/map/layout/lanes.ts';
import { readAddress, writeAddress } from '../../../console/page/ui/address.ts';

describe('deep links', () => {
  it('are parsed as the specification writes them', () => {
    expect(readAddress('#/cluster?sel=pod/ml/train-bert-0&group=pool&area=cpu')).toEqual({
      selected: { kind: 'pod', name: 'ml/train-bert-0' },
      grouping: 'pool',
      area: 'cpu',
    });
  });

  it('contain only differences from the default', () => {
    expect(writeAddress({ grouping: 'zone', area: 'dominant' })).toBe('#/cluster');
  });

  it.each(['', '#', '#/nonsense?sel=', '#/cluster?sel=secret/x&group=colour&area=%'])(
    'fall back to the default for the unreadable %j',
    (hash) => {
      expect(readAddress(hash)).toEqual({ grouping: 'zone', area: 'dominant' });
    },
  );

  it('are parsed into the address that was written', () => {
    const address = fc.record({
      grouping: fc.constantFrom(...GROUPINGS),
      area: fc.constantFrom(...AREAS),
      selected: fc.record({
        kind: fc.constantFrom('pod' as const, 'node' as const),
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
