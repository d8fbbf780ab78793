import { deepStrictEqual } from 'node:assert/strict';
import { admit } from '../../shared/api/admission/admit.ts';
import { EC2_NODE_CLASS } from '../../shared/api/objects/ec2-node-class.ts';
import { NODE_POOL } from '../../shared/api/objects/node-pool.ts';
import type { CustomKind } from '../../shared/api/schema/custom-kind.ts';
import { nodeClass, nodePool } from '../api/reading.ts';
import type { Kubectl } from './lab/kubectl.ts';
import { waitUntil } from './lab/wait-until.ts';
import { expect } from './scenario.ts';

/** What people do with our objects through kubectl, as a fact and how it is seen. */
export const CHECKS: Readonly<Record<string, (kubectl: Kubectl) => Promise<void>>> = {
  'kubectl explain tells what a field means': async (kubectl) => {
    // A definition that is served shows in the API server's own description seconds later.
    const text = await waitUntil('kubectl to know NodePools', () =>
      kubectl(['explain', 'nodepool.spec.template.spec.expireAfter']),
    );

    expect(text.includes('The age at which a node is replaced.'), text);
  },

  'what is read back is what was applied, and the defaults': async (kubectl) => {
    for (const [kind, object] of [
      [NODE_POOL, nodePool({ weight: 5, limits: { cpu: '10', memory: 1024 } })],
      [EC2_NODE_CLASS, nodeClass({ kubelet: { maxPods: 60 }, tags: { team: 'a' } })],
    ] as const) {
      await kubectl(['apply', '-f', '-'], object);
      deepStrictEqual(
        await specOf(kubectl, kind, object.metadata.name),
        admittedSpec(kind, object),
      );
    }
  },

  'kubectl get shows the columns that people know': async (kubectl) => {
    const headOf = async (...words: readonly string[]): Promise<string> => {
      const [head = ''] = (await kubectl(['get', ...words])).split('\n');
      return head.split(/\s+/).filter(Boolean).join(' ');
    };
    await kubectl(['apply', '-f', '-'], claim());

    deepStrictEqual(await headOf('nodepools'), 'NAME NODECLASS NODES READY AGE');
    deepStrictEqual(
      await headOf('nodepools', '-o', 'wide'),
      'NAME NODECLASS NODES READY AGE WEIGHT CPU MEMORY',
    );
    deepStrictEqual(await headOf('nodeclaims'), 'NAME TYPE CAPACITY ZONE NODE READY AGE');
    deepStrictEqual(
      await headOf('nodeclaims', '-o', 'wide'),
      'NAME TYPE CAPACITY ZONE NODE READY AGE IMAGEID ID NODEPOOL NODECLASS DRIFTED',
    );
    deepStrictEqual(await headOf('ec2nc', '-o', 'wide'), 'NAME READY AGE ROLE');
  },

  'a field that nobody knows is refused': async (kubectl) => {
    const text = await refusalOf(kubectl(['apply', '-f', '-'], nodePool({ wieght: 1 })));

    expect(text.includes('unknown field "spec.wieght"'), text);
  },

  'a rule that is broken is named at its field': async (kubectl) => {
    const broken = nodePool({}, { requirements: [{ key: 'a', operator: 'In' }] });
    const text = await refusalOf(kubectl(['apply', '-f', '-'], broken));

    expect(text.includes('spec.template.spec.requirements[0]'), text);
    expect(text.includes('NP-05: In needs at least one value'), text);
  },

  'two managers share the annotations of a pool, and labels are the last one’s': async (
    kubectl,
  ) => {
    const apply = (manager: string, metadata: object) =>
      kubectl(
        ['apply', '--server-side', '--force-conflicts', `--field-manager=${manager}`, '-f', '-'],
        { ...nodePool({}, {}, metadata as Record<string, unknown>), metadata: { name: 'shared' } },
      );
    await apply('a', { annotations: { one: '1' }, labels: { one: '1' } });
    await apply('b', { annotations: { two: '2' }, labels: { two: '2' } });
    const { template } = (await specOf(kubectl, NODE_POOL, 'shared')) as {
      readonly template: { readonly metadata: unknown };
    };

    deepStrictEqual(template.metadata, {
      annotations: { one: '1', two: '2' },
      labels: { two: '2' },
    });
  },

  'status is written apart from spec': async (kubectl) => {
    const patch = { spec: { weight: 9 }, status: { nodes: 3 } };
    await kubectl([
      'patch',
      'nodepool/general',
      '--subresource=status',
      '--type=merge',
      `-p=${JSON.stringify(patch)}`,
    ]);
    const text = await kubectl([
      'get',
      'nodepool/general',
      '-o',
      'jsonpath={.spec.weight} {.status.nodes}',
    ]);

    deepStrictEqual(text, '5 3');
  },

  'kubectl scale changes a static pool': async (kubectl) => {
    const fixed = { ...nodePool({ replicas: 1 }), metadata: { name: 'fixed' } };
    await kubectl(['apply', '-f', '-'], fixed);
    await kubectl(['scale', 'nodepool/fixed', '--replicas=4']);

    deepStrictEqual(
      await kubectl(['get', 'nodepool/fixed', '-o', 'jsonpath={.spec.replicas}']),
      '4',
    );
  },
};

const claim = () => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'general-x7k2p' },
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [],
  },
});

async function specOf(kubectl: Kubectl, { plural }: CustomKind, name: string): Promise<unknown> {
  const text = await kubectl(['get', plural, name, '-o', 'jsonpath={.spec}']);
  return JSON.parse(text) as unknown;
}

function admittedSpec(kind: CustomKind, object: object): unknown {
  const admission = admit(kind, object);
  return admission.outcome === 'accepted' ? admission.object.spec : admission.objections;
}

/** @throws Error - it was not refused */
async function refusalOf(running: Promise<string>): Promise<string> {
  const refusal = await running.then(
    () => undefined,
    (error: unknown) => String(error),
  );
  if (refusal !== undefined) return refusal;
  throw new Error('it was not refused');
}
