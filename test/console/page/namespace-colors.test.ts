import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { colorNamespaces } from '../../../console/page/controls/namespace-colors.ts';

const anyNames = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 6 });

describe('the colours of namespaces', () => {
  it('do not depend on the order of the six largest, which changes with their size', () => {
    fc.assert(
      fc.property(
        anyNames.chain((names) =>
          fc.tuple(
            fc.constant(names),
            fc.shuffledSubarray(names, { minLength: names.length, maxLength: names.length }),
          ),
        ),
        ([names, shuffled]) => {
          expect(colorNamespaces(shuffled)).toEqual(colorNamespaces(names));
        },
      ),
    );
  });

  it('differ from each other', () => {
    fc.assert(
      fc.property(anyNames, (names) => {
        const colors = [...colorNamespaces(names).values()];

        expect(new Set(colors).size).toBe(names.length);
      }),
    );
  });

  it('are given to the six largest namespaces only', () => {
    const names = ['web', 'shop', 'batch', 'data', 'ml', 'ops', 'late'];

    expect([...colorNamespaces(names).keys()].toSorted()).toEqual(
      ['web', 'shop', 'batch', 'data', 'ml', 'ops'].toSorted(),
    );
  });
});
