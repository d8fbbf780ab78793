import { describe, expect, it } from 'vitest';
import { AFFINITY_CASES } from './affinity-cases.ts';
import { CAPACITY_CASES } from './capacity-cases.ts';
import { explain } from './explain.ts';
import { LIMIT_CASES } from './limit-cases.ts';
import { NODE_POOL_CASES } from './node-pool-cases.ts';
import { REQUEST_CASES } from './request-cases.ts';
import { REQUIREMENT_CASES } from './requirement-cases.ts';
import { VOLUME_CASES } from './volume-cases.ts';

const CASES = [
  LIMIT_CASES,
  CAPACITY_CASES,
  NODE_POOL_CASES,
  REQUIREMENT_CASES,
  VOLUME_CASES,
  AFFINITY_CASES,
  REQUEST_CASES,
].flat();

describe('the explanation of a pending pod', () => {
  it.each(CASES)('$title', (one) => {
    expect(explain(one)).toEqual(one.says);
  });
});
