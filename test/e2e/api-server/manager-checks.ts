import { deepStrictEqual } from 'node:assert/strict';
import { nodePool } from '../../api/support/read-text.ts';
import type { Kubectl } from '../lab/kubernetes/kubectl.ts';
import { expect } from '../scenario.ts';
import { type KubectlChecks, refusalOf } from './checks.ts';
import { conditionOf } from './samples.ts';

/**
 * Returns a function that applies fields of the pool `shared` by server-side apply, as one field
 * manager.
 */
const managing =
  (kubectl: Kubectl) =>
  (manager: string, fields: object, ...flags: string[]) =>
    kubectl(['apply', '--server-side', `--field-manager=${manager}`, ...flags, '-f', '-'], {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'shared' },
      ...fields,
    });

const read = (kubectl: Kubectl, path: string): Promise<string> =>
  kubectl(['get', 'nodepool/shared', '-o', `jsonpath={${path}}`]);

/** Checks of objects that several field managers write. */
export const MANAGER_CHECKS: KubectlChecks = {
  'two managers share the annotations of a pool, and labels are the last one’s': async (kubectl) => {
    const apply = (manager: string, metadata: Record<string, unknown>) =>
      managing(kubectl)(manager, { spec: nodePool({}, {}, metadata).spec }, '--force-conflicts');
    await apply('a', { annotations: { one: '1' }, labels: { one: '1' } });
    await apply('b', { annotations: { two: '2' }, labels: { two: '2' } });

    deepStrictEqual(JSON.parse(await read(kubectl, '.spec.template.metadata')), {
      annotations: { one: '1', two: '2' },
      labels: { two: '2' },
    });
  },

  'a list of budgets has one manager, and another is told so': async (kubectl) => {
    const apply = managing(kubectl);
    const budgets = (...nodes: readonly string[]) => ({
      spec: { disruption: { budgets: nodes.map((count) => ({ nodes: count })) } },
    });
    // This apply omits the other fields, so the API server removes them: no other manager owns
    // them.
    await apply('c', budgets('1', '2'), '--force-conflicts');
    const conflict = await refusalOf(apply('d', budgets('3')));
    await apply('d', budgets('3'), '--force-conflicts');

    expect(conflict.includes('.spec.disruption.budgets'), conflict);
    deepStrictEqual(await read(kubectl, '.spec.disruption.budgets[*].nodes'), '3');
  },

  'two managers of a status each keep their condition': async (kubectl) => {
    for (const type of ['Ready', 'ValidationSucceeded']) {
      const status = { conditions: [conditionOf(type, 'True')] };
      await managing(kubectl)(type.toLowerCase(), { status }, '--subresource=status');
    }

    deepStrictEqual(await read(kubectl, '.status.conditions[*].type'), 'Ready ValidationSucceeded');
  },

  'status is written apart from spec': async (kubectl) => {
    const patch = JSON.stringify({ spec: { weight: 9 }, status: { nodes: 7 } });
    const shared = ['nodepool/shared', '--type=merge', `-p=${patch}`];
    await kubectl(['patch', ...shared, '--subresource=status']);
    deepStrictEqual(await read(kubectl, '.spec.weight}{.status.nodes'), '7');

    const again = JSON.stringify({ spec: { weight: 9 }, status: { nodes: 8 } });
    await kubectl(['patch', 'nodepool/shared', '--type=merge', `-p=${again}`]);
    deepStrictEqual(await read(kubectl, '.spec.weight}{.status.nodes'), '97');
  },

  'kubectl scale changes a static pool, and its count is that of the status': async (kubectl) => {
    const fixed = { ...nodePool({ replicas: 1 }), metadata: { name: 'fixed' } };
    await kubectl(['apply', '-f', '-'], fixed);
    await kubectl(['scale', 'nodepool/fixed', '--replicas=4']);
    const scale = await kubectl(['get', 'nodepool/fixed', '--subresource=scale', '-o', 'json']);
    const { spec, status } = JSON.parse(scale) as Readonly<Record<'spec' | 'status', unknown>>;

    deepStrictEqual({ spec, status }, { spec: { replicas: 4 }, status: { replicas: 0 } });
  },
};
