import { describe, expect, it } from 'vitest';
import { nodePoolSchema, readNodePool } from '../../../shared/api/stored-objects/node-pool.ts';
import type { NodePool } from '../../../shared/model/nodes/node-pool.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';
import { documents, manifestsIn, nodeClass, nodePool, problemsIn } from '../support/read-text.ts';

type Fields = Readonly<Record<string, unknown>>;

const read = (spec: Fields = {}, template: Fields = {}, metadata: Fields = {}): NodePool => {
  const [pool] = manifestsIn(documents(nodeClass(), nodePool(spec, template, metadata))).pools;
  if (!pool) throw new Error('no pool was read');
  return pool;
};

/** Formats code, rule and field of refusals: `NP-05 spec.…`. */
const refusals = (pool: unknown): readonly string[] =>
  problemsIn(documents(nodeClass(), pool)).map(({ code, why, path }) => {
    const rule = /^((?:NP|LBL)-\d+)/.exec(why)?.[1] ?? code;
    return `${rule} ${path}`;
  });

const requirement = (one: Fields) => nodePool({}, { requirements: [{ key: 'a', ...one }] });
const label = (key: string, value = 'x') => nodePool({}, {}, { labels: { [key]: value } });
const budget = (one: Fields) => nodePool({ disruption: { budgets: [one] } });
const disruption = (one: Fields) => nodePool({ disruption: one });
const limits = (one: Fields) => nodePool({ limits: one });
const template = (one: Fields) => nodePool({}, one);
const taint = (one: Fields) => nodePool({}, { taints: [one] });
const AT = 'spec.template.spec.requirements[0]';

describe('a NodePool', () => {
  it('is complete with a class and no requirements', () => {
    const pool = read();

    expect(pool.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(pool).toEqual({
      name: 'general',
      uid: 'nodepool-general',
      weight: 0,
      nodeClass: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [],
      labels: {},
      annotations: {},
      taints: [],
      startupTaints: [],
      limits: {},
      disruption: {
        consolidateAfterMs: 0,
        policy: 'WhenEmptyOrUnderutilized',
        budgets: [{ nodes: '10%' }],
      },
      expireAfterMs: 30 * DAY_MS,
      hash: pool.hash,
      ready: true,
      deleting: false,
    });
  });

  it('is read with all its fields', () => {
    const pool = read(
      {
        weight: 10,
        limits: { cpu: '48', memory: '192Gi', nodes: 5 },
        disruption: {
          consolidateAfter: '1h30m',
          consolidationPolicy: 'WhenEmpty',
          budgets: [{ nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h', reasons: ['Drifted'] }, {}],
        },
      },
      {
        expireAfter: 'Never',
        terminationGracePeriod: '30m',
        requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'], minValues: 1 }],
        taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'cilium', effect: 'NoExecute' }],
      },
      { labels: { team: 'a' }, annotations: { note: 'b' } },
    );

    expect(pool).toMatchObject({
      weight: 10,
      limits: { cpu: 48_000, memory: 192 * 2 ** 30, nodes: 5 },
      disruption: {
        consolidateAfterMs: 90 * MINUTE_MS,
        policy: 'WhenEmpty',
        budgets: [
          {
            nodes: '0',
            schedule: '0 9 * * mon-fri',
            durationMs: 8 * HOUR_MS,
            reasons: ['Drifted'],
          },
          { nodes: '10%' },
        ],
      },
      terminationGracePeriodMs: 30 * MINUTE_MS,
      requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'], minValues: 1 }],
      labels: { team: 'a' },
      annotations: { note: 'b' },
      taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
      startupTaints: [{ key: 'cilium', effect: 'NoExecute' }],
    });
    expect(pool).not.toHaveProperty('expireAfterMs');
  });

  it('is static with replicas, and terminating with a deletion timestamp', () => {
    expect(read({ replicas: 0 })).toMatchObject({ replicas: 0, deleting: false });

    const deleted = nodePool();
    const metadata = { ...deleted.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    const text = documents(nodeClass(), { ...deleted, metadata });
    expect(manifestsIn(text).pools[0]).toMatchObject({ deleting: true });
  });

  it('without a disruption limit differs from one with the default limit', () => {
    expect(read({ disruption: { budgets: [] } }).disruption.budgets).toEqual([]);
    expect(read({ disruption: { budgets: null } }).disruption.budgets).toEqual([{ nodes: '10%' }]);
  });

  it.each<[number | string, unknown]>([
    [9, nodePool({ weight: 100 })],
    [10, nodePool({ replicas: 3, limits: { nodes: '5' } })],
    [19, disruption({ consolidationPolicy: 'Balanced' })],
    [21, disruption({ consolidateAfter: 'Never' })],
    [24, template({ expireAfter: 'Never' })],
    [27, template({ terminationGracePeriod: '30m1h' })],
    [28, budget({ nodes: '10' })],
    [31, budget({ nodes: '100%', schedule: '0 9 * * mon-fri', duration: '8h' })],
    [35, budget({ nodes: '1', schedule: '99 * * * *', duration: '1h' })],
    [37, budget({ nodes: '1', schedule: '@daily', duration: '8h0m0s' })],
    [38, budget({ reasons: ['Empty', 'Drifted'] })],
    [43, label('team', 'a')],
    [44, label('karpenter.sh/capacity-type', 'spot')],
    [49, label('karpenter.k8s.aws/instance-family', 'm7i')],
    [52, label('node-restriction.kubernetes.io/x')],
    [57, requirement({ operator: 'NotIn' })],
    [58, requirement({ operator: 'Gt', values: ['3'] })],
    [60, requirement({ operator: 'Lte', values: ['0'] })],
    ['60, signed', requirement({ operator: 'Gte', values: ['+5'] })],
    [62, requirement({ operator: 'Exists', minValues: 10 })],
    [72, requirement({ key: 'beta.kubernetes.io/arch', operator: 'In', values: ['arm64'] })],
    [73, taint({ key: 'a', effect: 'NoSchedule' })],
    ['status', { ...nodePool(), status: { nodes: 'any' } }],
    ['null fields', nodePool({ limits: null, weight: null }, { taints: null })],
  ])('is accepted in row %s', (_, pool) => {
    expect(refusals(pool)).toEqual([]);
  });

  it.each<[number | string, unknown, string]>([
    [2, template({ requirements: null }), 'rule-refused spec.template.spec.requirements'],
    [3, template({ nodeClassRef: null }), 'rule-refused spec.template.spec.nodeClassRef'],
    [
      4,
      template({ nodeClassRef: { group: 'a/v1', kind: 'b', name: 'c' } }),
      'rule-refused spec.template.spec.nodeClassRef.group',
    ],
    [5, template({ nodeClassRef: { group: 'a', kind: 'b', name: '' } }), 'NP-10 spec.template.spec.nodeClassRef.name'],
    [8, nodePool({ weight: 0 }), 'rule-refused spec.weight'],
    [8, nodePool({ weight: 101 }), 'rule-refused spec.weight'],
    [11, nodePool({ replicas: 3, limits: { cpu: '10' } }), 'NP-02 spec.limits'],
    [12, nodePool({ replicas: 3, limits: { nodes: '5', cpu: '1' } }), 'NP-02 spec.limits'],
    [13, nodePool({ replicas: 0, weight: 5 }), 'NP-03 spec.weight'],
    [16, nodePool({ replicas: -1 }), 'rule-refused spec.replicas'],
    [17, limits({ cpu: 'ten' }), 'bad-quantity spec.limits.cpu'],
    ['17, float', limits({ cpu: 1.5 }), 'rule-refused spec.limits.cpu'],
    [18, disruption({ consolidationPolicy: 'WhenUnderutilized' }), 'rule-refused spec.disruption.consolidationPolicy'],
    [22, disruption({ consolidateAfter: '1d' }), 'bad-duration spec.disruption.consolidateAfter'],
    [23, disruption({ consolidateAfter: '-1s' }), 'bad-duration spec.disruption.consolidateAfter'],
    [25, template({ expireAfter: 'never' }), 'bad-duration spec.template.spec.expireAfter'],
    [26, template({ terminationGracePeriod: 'Never' }), 'bad-duration spec.template.spec.terminationGracePeriod'],
    [29, budget({ nodes: 10 }), 'rule-refused spec.disruption.budgets[0].nodes'],
    [30, budget({ nodes: '101%' }), 'rule-refused spec.disruption.budgets[0].nodes'],
    [32, budget({ nodes: '0', schedule: '@daily' }), 'NP-04 spec.disruption.budgets[0]'],
    [33, budget({ nodes: '0', duration: '10m' }), 'NP-04 spec.disruption.budgets[0]'],
    [34, budget({ schedule: '*/5 *', duration: '1h' }), 'rule-refused spec.disruption.budgets[0].schedule'],
    [36, budget({ schedule: '@daily', duration: '30s' }), 'bad-duration spec.disruption.budgets[0].duration'],
    [39, budget({ reasons: ['Expired'] }), 'rule-refused spec.disruption.budgets[0].reasons[0]'],
    [40, budget({ reasons: ['Empty', 'Empty'] }), 'rule-refused spec.disruption.budgets[0].reasons[1]'],
    [41, disruption({ budgets: Array.from({ length: 51 }, () => ({})) }), 'rule-refused spec.disruption.budgets'],
    [45, label('karpenter.sh/nodepool'), 'LBL-2 spec.template.metadata.labels["karpenter.sh/nodepool"]'],
    [46, label('karpenter.sh/custom'), 'LBL-1 spec.template.metadata.labels["karpenter.sh/custom"]'],
    [47, label('notkarpenter.sh/x'), 'LBL-1 spec.template.metadata.labels["notkarpenter.sh/x"]'],
    [48, label('kubernetes.io/hostname'), 'LBL-3 spec.template.metadata.labels["kubernetes.io/hostname"]'],
    [50, label('karpenter.k8s.aws/whatever'), 'LBL-4 spec.template.metadata.labels["karpenter.k8s.aws/whatever"]'],
    [53, label('team', '-bad'), 'rule-refused spec.template.metadata.labels.team'],
    [55, requirement({ operator: 'In', values: [] }), `NP-05 ${AT}.values`],
    [55, requirement({ operator: 'In' }), `NP-05 ${AT}.values`],
    [56, requirement({ operator: 'Equals', values: ['a'] }), `unknown-operator ${AT}.operator`],
    [59, requirement({ operator: 'Gte', values: ['4', '8'] }), `NP-06 ${AT}.values`],
    [59, requirement({ operator: 'Gt', values: ['-1'] }), `NP-06 ${AT}.values`],
    [59, requirement({ operator: 'Lt', values: ['a'] }), `NP-06 ${AT}.values`],
    [59, requirement({ operator: 'Lte' }), `NP-06 ${AT}.values`],
    ['59, too large', requirement({ operator: 'Gt', values: ['9223372036854775808'] }), `NP-06 ${AT}.values`],
    [61, requirement({ operator: 'In', values: ['a', 'b'], minValues: 3 }), `NP-07 ${AT}.values`],
    [63, requirement({ operator: 'Exists', minValues: 51 }), `rule-refused ${AT}.minValues`],
    [
      64,
      template({
        requirements: Array.from({ length: 101 }, () => ({ key: 'a', operator: 'Exists' })),
      }),
      'rule-refused spec.template.spec.requirements',
    ],
    [65, requirement({ key: 'karpenter.sh/nodepool', operator: 'Exists' }), `LBL-2 ${AT}.key`],
    [66, requirement({ key: 'karpenter.k8s.aws/instance-pods', operator: 'Exists' }), `LBL-4 ${AT}.key`],
    [74, taint({ key: 'a' }), 'rule-refused spec.template.spec.taints[0].effect'],
    [75, taint({ key: 'a b', effect: 'NoSchedule' }), 'rule-refused spec.template.spec.taints[0].key'],
    ['typo', nodePool({ limit: {} }), 'unknown-field spec.limit'],
    ['typo', nodePool({}, {}, { label: {} }), 'unknown-field spec.template.metadata.label'],
    ['typo', { ...nodePool(), metadata: { name: 'a', label: {} } }, 'unknown-field metadata.label'],
    ['typo', { ...nodePool(), spek: {} }, 'unknown-field spek'],
    ['kubelet of v1beta1', template({ kubelet: {} }), 'unknown-field spec.template.spec.kubelet'],
    ['no spec', { ...nodePool(), spec: null }, 'rule-refused spec'],
    ['null item', template({ taints: [null] }), 'rule-refused spec.template.spec.taints[0]'],
  ])('is refused in row %s', (_, pool, refusal) => {
    expect(refusals(pool)).toEqual([refusal]);
  });

  it('requires its class in the files, and reports it together with other faults', () => {
    const pool = nodePool({ weight: 0 });

    expect(problemsIn(documents(pool)).map(({ code, what, fix }) => [code, what, fix])).toEqual([
      ['missing-reference', 'no EC2NodeClass default', 'add it'],
      ['rule-refused', 'weight is out of range', 'write at least 1'],
    ]);
  });

  it('does not report a class as missing that is refused', () => {
    const text = documents(nodeClass({ role: 5 }), nodePool());

    expect(problemsIn(text).map(({ object, path }) => [object, path])).toEqual([['EC2NodeClass default', 'spec.role']]);
  });
});

describe('a stored NodePool of a newer CRD', () => {
  const read = (raw: unknown): NodePool => readNodePool('general', nodePoolSchema.parse(raw));

  it('launches nothing if its template has an unknown field, and keeps its hash', () => {
    const pool = read(nodePool({}, { hibernation: { enabled: true } }));

    expect(pool).toMatchObject({
      ready: false,
      notReady: {
        condition: 'ValidationSucceeded',
        message:
          'UnknownField: this release of Mortise does not know spec.template.spec.hibernation: update it, or take the field out',
      },
      hash: read(nodePool()).hash,
    });
  });

  it('stays ready with an unknown field outside of its template', () => {
    expect(read(nodePool({ colour: 'blue' })).ready).toBe(true);
  });
});

describe('a stored NodePool with runtime faults', () => {
  const one = (fields: Fields) => ({ requirements: [{ key: 'a', ...fields }] });
  const capacity = (...values: readonly string[]) => one({ key: 'karpenter.sh/capacity-type', operator: 'In', values });
  const twice = { key: 'a', effect: 'NoSchedule' };

  it.each<[number, Fields, Fields, string]>([
    [51, {}, { 'karpenter.k8s.aws/ec2nodeclass': 'x' }, 'NP-R1: label karpenter.k8s.aws/ec2nodeclass is restricted'],
    [54, {}, { 'has space': 'x' }, 'NP-R1: "has space" is no label key'],
    [67, one({ operator: 'In', values: ['bad value!'] }), {}, 'NP-R4: "bad value!" is no label value'],
    [68, capacity('spott'), {}, 'NP-R6: capacity type "spott" is unknown: no node can have such a value'],
    [
      71,
      one({ key: 'karpenter.k8s.aws/instance-tenancy', operator: 'In', values: ['host'] }),
      {},
      'NP-R6: instance tenancy "host" is unknown: no node can have such a value',
    ],
    [76, { taints: [twice], startupTaints: [twice] }, {}, 'NP-R3: taint a:NoSchedule is there twice'],
    [
      78,
      { taints: [{ key: `${'a'.repeat(300)}/b`, effect: 'NoSchedule' }] },
      {},
      `NP-R2: "${'a'.repeat(60)}…" is not for a taint`,
    ],
  ])('is not Ready in row %i', (_, template, labels, message) => {
    expect(read({}, template, { labels })).toMatchObject({
      ready: false,
      notReady: { condition: 'ValidationSucceeded', message },
    });
  });

  it.each<[number, Fields]>([
    [69, capacity('spot', 'spott')],
    [77, { taints: [twice, { ...twice, effect: 'NoExecute' }] }],
  ])('does not include row %i', (_, template) => {
    expect(read({}, template)).toMatchObject({ ready: true });
  });
});

describe('a standalone NodeClaim', () => {
  const claim = (requirements: readonly unknown[]) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'by-hand' },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements,
      resources: { requests: { cpu: '500m' } },
    },
  });

  it('is validated, and reported as skipped', () => {
    const pool = { key: 'karpenter.sh/nodepool', operator: 'In', values: ['general'] };

    expect(manifestsIn(documents(claim([pool]))).skipped).toEqual([
      { file: 'test.yaml', kind: 'NodeClaim', name: 'by-hand' },
    ]);
  });

  it.each([
    [{ key: 'kubernetes.io/hostname', operator: 'Exists' }, 'LBL-3'],
    [{ key: 'a', operator: 'Gt', values: ['1', '2'] }, 'NP-06'],
  ])('is refused because of %j', (requirement, rule) => {
    expect(problemsIn(documents(claim([requirement]))).map(({ why }) => why)).toEqual([
      expect.stringMatching(`^${rule}: `),
    ]);
  });
});
