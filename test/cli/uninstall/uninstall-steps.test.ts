import { describe, expect, it } from 'vitest';
import { planText, uninstallText } from '../../../cli/render/uninstall.ts';
import { processIo } from '../../../cli/terminal/io.ts';
import { isConfirmed } from '../../../cli/uninstall/confirm.ts';
import type { Survey } from '../../../cli/uninstall/survey.ts';
import { planUninstall, remainderOf } from '../../../cli/uninstall/uninstall-steps.ts';

const FOUND: Survey = {
  hasHooks: true,
  claims: ['general-1', 'general-2'],
  nodes: ['node-1'],
  instances: ['aws:///us-east-1a/i-1'],
  pods: 34,
  pools: ['general'],
  crds: [{ name: 'nodepools.karpenter.sh' }, { name: 'nodeclaims.karpenter.sh', keeper: 'Helm' }],
};
const NOTHING: Survey = {
  hasHooks: false,
  claims: [],
  nodes: [],
  instances: [],
  pods: 0,
  pools: [],
  crds: [],
};

const outcomes = (...args: Parameters<typeof planUninstall>) =>
  Object.fromEntries(planUninstall(...args).map(({ step, outcome }) => [step, outcome]));

describe('the plan of an uninstall', () => {
  it('drains the nodes, removes our finalizers and keeps the definitions', () => {
    expect(outcomes(FOUND, { nodes: 'drain', crds: false })).toEqual({
      hooks: 'planned',
      decisions: 'planned',
      nodes: 'planned',
      taints: 'left',
      finalizers: 'planned',
      profiles: 'planned',
      crds: 'left',
    });
  });

  it('hands the cluster over to Karpenter with nodes, claims and finalizers', () => {
    expect(outcomes(FOUND, { nodes: 'hand-over', crds: false })).toMatchObject({
      hooks: 'planned',
      decisions: 'planned',
      nodes: 'left',
      taints: 'planned',
      finalizers: 'left',
      profiles: 'left',
    });
  });

  it('names the NodePools that are deleted with the definitions, and the definitions that stay', () => {
    const plan = planUninstall(FOUND, { nodes: 'drain', crds: true });

    expect(plan.at(-1)?.detail).toBe('1 definition deleted, and with them NodePool general');
    const remaining = remainderOf(FOUND, { nodes: 'drain', crds: true }, 'Mortise-shop');
    expect(remaining).toContainEqual({
      kind: 'CustomResourceDefinition',
      name: 'nodeclaims.karpenter.sh',
      why: 'kept by Helm',
    });
  });

  it('names the remaining stack in every case', () => {
    expect(remainderOf(NOTHING, { nodes: 'drain', crds: false }, 'Mortise-shop')).toEqual([
      {
        kind: 'stack',
        name: 'Mortise-shop',
        why: 'cdk destroy; its table and bucket stay after that',
      },
    ]);
  });
});

describe('the text of an uninstall', () => {
  const report = {
    cluster: 'shop',
    nodes: 'drain' as const,
    steps: [...planUninstall(FOUND, { nodes: 'drain', crds: false })],
    remaining: [...remainderOf(FOUND, { nodes: 'drain', crds: false }, 'Mortise-shop')],
  };

  it('shows what would happen, and how to start it', () => {
    expect(uninstallText({ ...report, act: false })).toBe(`to uninstall from shop
  hooks       the API server calls us no more
  decisions   stop: functions and controllers stand by from now on
  nodes       2 nodes drained and ended, 34 pods evicted
  taints      gone with the nodes
  finalizers  freed on nodes, NodeClaims and EC2NodeClasses
  profiles    launch templates and instance profiles of the cluster deleted
  crds        left: without them every NodePool would be gone
nothing was changed; --yes shop does it
`);
  });

  it('names unfinished steps and remaining objects', () => {
    const steps = report.steps.map((step) =>
      step.step === 'nodes' ? { ...step, outcome: 'unfinished' as const } : step,
    );
    const text = uninstallText({ ...report, steps, act: true });

    expect(text).toContain('  nodes       not finished: 2 nodes drained');
    expect(text).toContain('remains\n  NodeClaim general-1 general-2: not drained yet\n');
    expect(text).toContain('  stack Mortise-shop: cdk destroy');
    expect(planText({ ...report, act: true })).toContain('to uninstall from shop');
  });
});

describe('a confirmation', () => {
  const request = { cluster: 'shop', mayAsk: true, plan: '' };
  const offTerminal = { ...processIo(), stdin: Object.assign(process.stdin, { isTTY: false }) };

  it('is the name of the cluster', async () => {
    expect(await isConfirmed({ ...request, yes: 'shop' }, offTerminal)).toBe(true);
  });

  it('is not another name', async () => {
    await expect(isConfirmed({ ...request, yes: 'shopp' }, offTerminal)).rejects.toThrow(
      '"shopp" is not the cluster\'s name',
    );
  });

  it('is missing if the user cannot be asked, and then nothing is changed', async () => {
    expect(await isConfirmed(request, offTerminal)).toBe(false);
    expect(await isConfirmed({ ...request, mayAsk: false }, offTerminal)).toBe(false);
  });
});
