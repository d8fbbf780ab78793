import { describe, expect, it } from 'vitest';
import { answerOf } from '../../../cli/doctor/doctor.ts';
import { evaluateFacts } from '../../../cli/doctor/evaluate.ts';
import type { Facts } from '../../../cli/doctor/facts.ts';
import { doctorText } from '../../../cli/render/doctor.ts';
import { terminalOf } from '../../../cli/terminal/terminal.ts';
import type { Installation } from '../../../shared/ports/cluster-setup.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const MINUTE_MS = 60_000;
const ROLE = { name: 'Nodes', classes: ['default'], arn: 'arn:aws:iam::123456789012:role/Nodes' };

const INSTALLED: Installation = {
  release: '0.1.0',
  eventSource: 'hook',
  why: 'the endpoint is public',
  isEgressRouted: false,
  hasOtherHooks: false,
  hooks: { state: 'placed', since: NOW },
};

/** A cluster without a finding. */
const HEALTHY: Facts = {
  cluster: 'shop',
  now: NOW,
  eks: { value: { version: '1.36', clockSkewMs: 200 } },
  crds: {
    value: [{ name: 'nodepools.karpenter.sh', version: 'v1', isInstalled: true, isUsable: true }],
  },
  stack: { value: { name: 'Mortise-shop', status: 'UPDATE_COMPLETE' } },
  installation: { value: INSTALLED },
  hooks: { value: [{ name: 'claims.mortise.sh', url: 'https://intake/h/shop/secret' }] },
  repair: {
    value: {
      ...{ setup: 'Setup', webhookControl: 'Control', hookAddress: 'https://intake/' },
      subnets: [],
    },
  },
  queues: {
    value: [
      { name: 'Plan', isDeadLetters: false, messages: 2 },
      { name: 'PlanDeadLetters', isDeadLetters: true, messages: 0 },
    ],
  },
  nodeRoles: { value: [{ ...ROLE, entryType: 'EC2_LINUX' }] },
  nodeClasses: { value: [{ name: 'default', falseConditions: [] }] },
  nodePools: { value: [{ name: 'general', falseConditions: [] }] },
  karpenterRenewedAt: { value: NOW - 10 * MINUTE_MS },
  uninstalledUntil: { value: undefined },
  quietUntil: { value: undefined },
  liveNodes: { value: { unhealthy: [], blockedDrains: [] } },
};

/** The findings of a set-up that differs from the healthy one. */
const findings = (broken: Partial<Facts>) =>
  evaluateFacts({ ...HEALTHY, ...broken }).filter(({ status }) => status !== 'ok');

describe('the checks of a cluster', () => {
  it('are all ok in a healthy cluster', () => {
    expect(findings({})).toEqual([]);
  });

  it('find a node role without access entry, and give the command that creates it', () => {
    expect(findings({ nodeRoles: { value: [ROLE] } })).toEqual([
      {
        id: 'nodes/access-entry',
        group: 'nodes',
        status: 'fail',
        evidence: 'no access entry for role Nodes: nodes of EC2NodeClass default cannot join',
        fix: 'aws eks create-access-entry --cluster-name shop --type EC2_LINUX --principal-arn arn:aws:iam::123456789012:role/Nodes',
      },
    ]);
  });

  it('find an access entry that is not for nodes, and a role that does not exist', () => {
    const nodeRoles = {
      value: [
        { ...ROLE, entryType: 'STANDARD' },
        { name: 'Gone', classes: ['gpu', 'batch'] },
      ],
    };

    expect(findings({ nodeRoles }).map(({ evidence }) => evidence)).toEqual([
      'the access entry of role Nodes is of type STANDARD: nodes of EC2NodeClass default cannot join',
      'no IAM role Gone, which EC2NodeClass gpu, batch names',
    ]);
  });

  it('find subnets without tags, and name the selector that needs them', () => {
    const falseConditions = [
      { type: 'Ready', reason: 'Refused', message: 'SubnetsReady=False' },
      { type: 'SubnetsReady', reason: 'Refused', message: 'no subnet matches' },
    ];

    expect(findings({ nodeClasses: { value: [{ name: 'default', falseConditions }] } })).toEqual([
      expect.objectContaining({
        status: 'fail',
        evidence: 'EC2NodeClass default: SubnetsReady: no subnet matches',
        fix: 'aws ec2 create-tags with the tags of spec.subnetSelectorTerms, or correct the selector',
      }),
    ]);
  });

  it('take a rollout for no fault, and warn if it has stopped', () => {
    const aPool = (reason: string, message: string) => {
      const falseConditions = [{ type: 'RolloutComplete', reason, message }];
      return evaluateFacts({
        ...HEALTHY,
        nodePools: { value: [{ name: 'general', falseConditions }] },
      })
        .filter(({ group }) => group === 'pools')
        .map(({ status, evidence }) => [status, evidence]);
    };

    expect(aPool('RolloutInProgress', '1 node to replace')).toEqual([
      ['ok', 'NodePool general is ready: 1 node to replace'],
    ]);
    expect(aPool('RolloutStopped', 'two nodes did not join')).toEqual([
      ['warn', 'NodePool general: two nodes did not join'],
    ]);
  });

  it('name no selector for a condition whose name objects inherit', () => {
    const falseConditions = [{ type: 'constructor', reason: 'Refused', message: 'no' }];

    expect(findings({ nodeClasses: { value: [{ name: 'default', falseConditions }] } })).toEqual([
      expect.objectContaining({ fix: 'kubectl describe ec2nodeclass default shows the condition' }),
    ]);
  });

  it('find CRDs that are missing, too old, or kept by another tool', () => {
    const crds = {
      value: [
        { name: 'nodepools.karpenter.sh', version: 'v1', isInstalled: false, isUsable: false },
        {
          name: 'nodeclaims.karpenter.sh',
          version: 'v1',
          isInstalled: true,
          isUsable: false,
          keeper: 'Helm',
        },
        {
          name: 'nodeoverlays.karpenter.sh',
          version: 'v1alpha1',
          isInstalled: true,
          isUsable: true,
          keeper: 'Argo CD',
        },
      ],
    };

    expect(findings({ crds }).map(({ status, fix }) => [status, fix])).toEqual([
      [
        'fail',
        `aws lambda invoke --function-name Setup --cli-binary-format raw-in-base64-out --payload '{"action":"repair"}' /dev/stdout`,
      ],
      ['fail', 'upgrade it with Helm'],
      ['warn', 'upgrade it with Argo CD when you upgrade Mortise'],
    ]);
  });

  it('find deleted webhooks, and give the call that places them again', () => {
    expect(findings({ hooks: { value: undefined } })).toEqual([
      {
        id: 'hook/placed',
        group: 'hook',
        status: 'fail',
        evidence: 'the webhook configuration mortise is missing',
        fix: `aws lambda invoke --function-name Control --cli-binary-format raw-in-base64-out --payload '{"action":"keep"}' /dev/stdout`,
      },
    ]);
    expect(findings({ hooks: { value: undefined }, repair: { unread: 'Lambda: no' } })).toMatchObject([
      { status: 'fail', fix: 'the functions of the stack repair it within the hour' },
    ]);
  });

  it('find webhooks that call another address, and do not show the token', () => {
    const hooks = [
      { name: 'claims.mortise.sh', url: 'https://intake/h/shop/secret' },
      { name: 'config.mortise.sh', url: 'https://elsewhere/h/shop/secret' },
      { name: 'node-ready.mortise.sh', url: 'https://intake/h/other/secret' },
      { name: 'node-object.mortise.sh' },
    ];

    expect(findings({ hooks: { value: hooks } }).map(({ evidence }) => evidence)).toEqual([
      'the webhook config.mortise.sh calls https://elsewhere/h/shop/, not https://intake/h/shop/',
      'the webhook node-ready.mortise.sh calls https://intake/h/other/, not https://intake/h/shop/',
      'the webhook node-object.mortise.sh calls a Service, not https://intake/h/shop/',
    ]);
  });

  it('find webhooks that the breaker or an operator took off, and those of a removed stack', () => {
    const withHooks = (hooks: Installation['hooks']) => ({
      hooks: { value: undefined },
      installation: { value: { ...INSTALLED, hooks } },
    });
    const off = { state: 'withdrawn', since: NOW, why: 'p99 910 ms' } as const;

    expect(findings(withHooks({ ...off, by: 'breaker' }))).toMatchObject([
      { status: 'warn', evidence: 'the webhooks are off: p99 910 ms' },
    ]);
    expect(findings(withHooks({ ...off, by: 'operator' }))).toMatchObject([
      { status: 'warn', fix: expect.stringContaining('{"action":"restore-hooks"}') as unknown },
    ]);
    expect(findings(withHooks({ state: 'none' }))).toMatchObject([
      { status: 'fail', fix: 'mortise deploy --cluster shop' },
    ]);
  });

  it('find a deleted queue, which no update of the stack brings back', () => {
    const queues = [
      { name: 'Interruption', isDeadLetters: false },
      { name: 'PlanDeadLetters', isDeadLetters: true, messages: 0 },
    ];

    expect(findings({ queues: { value: queues } })).toMatchObject([
      {
        id: 'queue/exists',
        status: 'fail',
        evidence: 'the queue Interruption of the stack was deleted',
        fix: expect.stringContaining('mortise destroy --cluster shop --keep-nodes') as unknown,
      },
    ]);
  });

  it('find a running Karpenter, dead letters and a wrong clock', () => {
    const broken = findings({
      karpenterRenewedAt: { value: NOW - 5_000 },
      queues: { value: [{ name: 'PlanDeadLetters', isDeadLetters: true, messages: 3 }] },
      eks: {
        value: { version: '1.36', clockSkewMs: 7 * MINUTE_MS },
      },
    });

    expect(broken.map(({ id, status }) => [id, status])).toEqual([
      ['cluster/clock', 'warn'],
      ['queue/dead-letters', 'warn'],
      ['foreign/karpenter', 'warn'],
    ]);
    expect(broken.every(({ fix }) => fix !== undefined)).toBe(true);
  });

  it('find that an uninstallation has stopped all decisions', () => {
    expect(findings({ uninstalledUntil: { value: NOW + 60 * MINUTE_MS } })).toMatchObject([
      {
        id: 'stack/uninstalled',
        status: 'warn',
        evidence: 'mortise uninstall has stopped all decisions until 2026-11-23T13:00:00Z',
      },
    ]);
  });

  it('name the deployment as the fix of a missing CRD if there is no stack yet', () => {
    const crds = [{ name: 'nodepools.karpenter.sh', version: 'v1', isInstalled: false, isUsable: false }];
    const fixes = findings({
      crds: { value: crds },
      stack: { value: undefined },
      repair: { value: undefined },
    }).map(({ fix }) => fix);

    expect(fixes).toEqual(['mortise deploy --cluster shop', 'mortise deploy --cluster shop']);
  });

  it('find a cluster without stack, and a stack whose update failed', () => {
    const failed = { name: 'Mortise-shop', status: 'UPDATE_ROLLBACK_FAILED' };

    expect(findings({ stack: { value: undefined } })).toMatchObject([
      { id: 'stack/deployed', fix: 'mortise deploy --cluster shop' },
    ]);
    expect(findings({ stack: { value: failed } })).toMatchObject([
      { evidence: 'Mortise-shop is UPDATE_ROLLBACK_FAILED' },
    ]);
  });
});

describe('the answer of the checks', () => {
  const answer = (broken: Partial<Facts>, flags: Partial<Parameters<typeof answerOf>[2]> = {}) =>
    answerOf('shop', evaluateFacts({ ...HEALTHY, ...broken }), { strict: false, ...flags });
  const warned: Partial<Facts> = { karpenterRenewedAt: { value: NOW - 5_000 } };

  it('has exit code 1 for a failure, and with --strict for a warning', () => {
    expect(answer({ stack: { value: undefined } }).exitCode).toBe(1);
    expect(answer(warned).exitCode).toBeUndefined();
    expect(answer(warned, { strict: true }).exitCode).toBe(1);
    expect(answer(warned, { strict: true, only: 'nodes' }).exitCode).toBeUndefined();
  });

  it('is incomplete if a check could not be made, and says why', () => {
    const { complete, result } = answer({ nodeRoles: { unread: 'EKS: not allowed' } });

    expect(complete).toBe(false);
    expect(result).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({ status: 'unknown', evidence: 'EKS: not allowed' }),
      ]) as unknown,
    });
  });

  it('shows each finding with its fix below', () => {
    const checks = evaluateFacts({ ...HEALTHY, ...warned }).filter(
      ({ group }) => group === 'queue' || group === 'foreign',
    );
    const terminal = terminalOf({ write: () => undefined }, {}, {});

    expect(doctorText(checks, terminal)).toBe(
      [
        'ok       queue    the 2 queues of the stack exist',
        'ok       queue    no message in 1 dead-letter queues',
        'warn     foreign  Karpenter runs: Mortise stands by and launches nothing',
        '         fix: kubectl scale deployment karpenter --namespace kube-system --replicas 0',
        '',
      ].join('\n'),
    );
  });
});
