import { describe, expect, it } from 'vitest';
import type { Reason, ReasonCode } from '../../../shared/model/explanations/reasons.ts';
import { awaitsNewClass, formatRefusals, rankRefusals } from '../../../shared/model/explanations/refusals.ts';
import type { Funnel, PoolRefusal } from '../../../shared/model/plans.ts';
import { formatInstant } from '../../../shared/model/time.ts';
import { NOON } from '../../support/builders.ts';

const refusal = (
  pool: string,
  code: ReasonCode,
  fields: Reason['fields'] = {},
  funnel?: Partial<Funnel>,
): PoolRefusal => ({
  pool,
  reasons: [{ code, fields }],
  ...(funnel && {
    funnel: {
      ...{ all: 9, allowedByPool: 0, allowedByPod: 0, fitting: 0, available: 0, withinLimits: 0 },
      ...funnel,
    },
  }),
});
const unselected = (pool: string): PoolRefusal =>
  refusal(pool, 'requirement-conflict', {
    ...{ key: 'karpenter.sh/nodepool', wanted: 'In [limited]', given: `In [${pool}]` },
  });

const limited = refusal('limited', 'limit-reached', {}, { allowedByPool: 9, available: 4 });
const large = refusal('large', 'too-large', {}, { allowedByPool: 9, allowedByPod: 9 });
const arm = refusal('arm', 'requirement-conflict', { key: 'kubernetes.io/arch' });
const broken = refusal('broken', 'pool-not-ready', { condition: 'SubnetsNotFound', message: 'x' });
const gpu = refusal('gpu', 'taint-not-tolerated', { taint: 'gpu' });

describe('the refusals of a pod', () => {
  it('begin with the NodePool that comes closest, and leave out those that the pod does not select', () => {
    const { near, unselected: count } = rankRefusals([
      ...[gpu, broken, unselected('a'), arm, large, unselected('b'), limited],
    ]);

    expect(near.map(({ pool }) => pool)).toEqual(['limited', 'large', 'arm', 'broken', 'gpu']);
    expect(count).toBe(2);
  });

  it('are one line, which ends with the number of the others', () => {
    expect(formatRefusals([unselected('a'), broken, unselected('b')])).toBe(
      'broken: not Ready: SubnetsNotFound, x; 2 other NodePools: not selected',
    );
  });

  it('say that there is no NodePool to launch from', () => {
    expect(formatRefusals([])).toBe('no NodePool of an EC2NodeClass that could launch a node');
  });

  it('name one NodePool if the pod selects none that exists', () => {
    expect(formatRefusals([unselected('b'), unselected('a')])).toBe(
      'a: pod needs karpenter.sh/nodepool In [limited], pool gives In [a]; 1 other NodePool: not selected',
    );
  });
});

describe('the refusal because of an EC2NodeClass that was not evaluated', () => {
  const notEvaluated = (ageMs: number) =>
    refusal('general', 'pool-not-ready', {
      condition: 'NodeClassReadinessUnknown',
      message: 'the EC2NodeClass was not evaluated yet',
      classWrittenAt: formatInstant(NOON - ageMs),
    });

  it.each([
    [9_000, true],
    [10_000, false],
  ])('is of a new class for ten seconds: %i ms is %s', (ageMs, isNew) => {
    expect(awaitsNewClass(notEvaluated(ageMs), NOON)).toBe(isNew);
    expect(awaitsNewClass(broken, NOON)).toBe(false);
  });
});
