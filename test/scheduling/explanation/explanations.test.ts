import { describe, expect, it } from 'vitest';
import { explain } from './explain.ts';
import { LIMITS } from './limits.ts';
import { NEIGHBOURS } from './neighbours.ts';
import { PLACES } from './places.ts';
import { POOLS } from './pools.ts';
import { REQUIREMENTS } from './requirements.ts';
import { ROOM } from './room.ts';
import { VOLUMES } from './volumes.ts';

const CASES = [LIMITS, PLACES, POOLS, REQUIREMENTS, VOLUMES, NEIGHBOURS, ROOM].flat();

describe('the explanation of a pending pod', () => {
  it.each(CASES)('$title', (one) => {
    expect(explain(one)).toEqual(one.says);
  });
});
