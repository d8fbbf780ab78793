import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasBit } from '../../../shared/scheduling/data-structures/bitset.ts';
import { hasRoom } from '../../../shared/scheduling/data-structures/resource-vectors.ts';
import { prepare } from '../../../shared/scheduling/input/problem.ts';
import { listOptions, listTypesByPrice, listUndominatedTypes } from '../../../shared/scheduling/packing/pool-prices.ts';
import { aTypicalPool, createEc2Snapshot } from '../../benchmarks/inputs/ec2-snapshot.ts';
import { aPodSpec } from '../../support/builders.ts';

const problem = prepare(createEc2Snapshot({ pools: [aTypicalPool({ name: 'one' }), aTypicalPool({ name: 'two' })] }));
const options = listOptions(aPodSpec(), problem);

describe('undominated types', () => {
  it('contain the cheapest type with room for any request', () => {
    const amount = fc.nat({ max: 200 });
    fc.assert(
      fc.property(fc.constantFrom(...options), amount, amount, (option, cpus, gib) => {
        const request = new Float64Array(problem.columns.names.length);
        request[problem.columns.indexOf.get('cpu') ?? 0] = cpus * 1000;
        request[problem.columns.indexOf.get('memory') ?? 0] = gib * 2 ** 30;
        const holds = ({ allocatable }: { readonly allocatable: Float64Array }): boolean =>
          hasRoom(allocatable, request, [...request.keys()]);
        const all = listTypesByPrice(option.where, problem);

        expect(listUndominatedTypes(option, problem).find(holds)).toEqual(
          all.find((one) => holds(one) && hasBit(option.types, one.type)),
        );
      }),
    );
  });

  it('are a small part of all types, and the same list for equal pools', () => {
    const [one, two] = options.map((option) => listUndominatedTypes(option, problem));
    const [first] = options;
    const all = first ? listTypesByPrice(first.where, problem) : [];

    expect(one?.length).toBeLessThan(all.length / 5);
    expect(two).toBe(one);
  });
});
