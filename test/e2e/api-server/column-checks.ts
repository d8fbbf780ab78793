import { deepStrictEqual } from 'node:assert/strict';
import type { Kubectl } from '../lab/kubernetes/kubectl.ts';
import { type KubectlChecks, patchStatus } from './checks.ts';
import { CLAIM, conditionOf } from './samples.ts';

const HEADS: Readonly<Record<string, string>> = {
  nodepools: 'NAME NODECLASS NODES READY AGE',
  'nodepools -o wide': 'NAME NODECLASS NODES READY AGE WEIGHT CPU MEMORY',
  nodeclaims: 'NAME TYPE CAPACITY ZONE NODE READY AGE',
  'nodeclaims -o wide': 'NAME TYPE CAPACITY ZONE NODE READY AGE IMAGEID ID NODEPOOL NODECLASS DRIFTED',
  'ec2nc -o wide': 'NAME READY AGE ROLE',
  'overlays -o wide': 'NAME READY AGE WEIGHT',
  cb: 'NAME STRATEGY PODTEMPLATE REPLICAS CONDITIONSTYPE CONDITIONSSTATUS CONDITIONSREASON AGE',
};

const words = (line: string): string => line.split(/\s+/).filter(Boolean).join(' ');

/** Returns the row that `kubectl get -o wide` prints for an object, without its age. */
async function rowOf(kubectl: Kubectl, name: string): Promise<string> {
  const row = await kubectl(['get', name, '--no-headers', '-o', 'wide']);
  return words(row).replace(/ (\d+m)?\d+s( |$)/, ' AGE$2');
}

/** Checks of the columns that `kubectl get` prints. */
export const COLUMN_CHECKS: KubectlChecks = {
  'kubectl get shows the columns that people know': async (kubectl) => {
    for (const [what, expected] of Object.entries(HEADS)) {
      const [head = ''] = (await kubectl(['get', ...what.split(' ')])).split('\n');

      deepStrictEqual(words(head), expected);
    }
  },

  'kubectl get shows what the status says': async (kubectl) => {
    await patchStatus(kubectl, 'nodepool/general', {
      nodes: 3,
      resources: { cpu: '12', memory: '48Gi' },
      conditions: [conditionOf('Ready', 'True')],
    });
    await patchStatus(kubectl, `nodeclaim/${CLAIM}`, {
      nodeName: 'ip-10-0-1-2',
      imageID: 'ami-1',
      providerID: 'aws:///us-east-1a/i-1',
      conditions: [conditionOf('Ready', 'True'), conditionOf('Drifted', 'True')],
    });
    await patchStatus(kubectl, 'ec2nc/default', { conditions: [conditionOf('Ready', 'False')] });

    deepStrictEqual(await rowOf(kubectl, 'nodepool/general'), 'general default 3 True AGE 5 12 48Gi');
    deepStrictEqual(
      await rowOf(kubectl, `nodeclaim/${CLAIM}`),
      `${CLAIM} m7i.large spot us-east-1a ip-10-0-1-2 True AGE ami-1 aws:///us-east-1a/i-1 general default True`,
    );
    deepStrictEqual(await rowOf(kubectl, 'ec2nc/default'), 'default False AGE node-role');
  },

  'the category lists what Karpenter’s does': async (kubectl) => {
    const names = await kubectl(['get', 'karpenter', '-o', 'name']);

    deepStrictEqual(names.trim().split('\n').toSorted(), [
      'ec2nodeclass.karpenter.k8s.aws/default',
      `nodeclaim.karpenter.sh/${CLAIM}`,
      'nodeoverlay.karpenter.sh/cheaper-arm',
      'nodepool.karpenter.sh/general',
    ]);
  },
};
