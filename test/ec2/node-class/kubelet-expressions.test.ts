import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { computeSize } from '../../../shared/api/cel/kubelet-cel.ts';
import { readEC2NodeClass } from '../../../shared/api/stored-objects/ec2-node-class.ts';
import { listInstanceTypes } from '../../../shared/ec2/catalogue/instance-types.ts';
import type { TemplateContent } from '../../../shared/ec2/node-class/launch-template/template-content.ts';
import { groupByTemplate } from '../../../shared/ec2/node-class/launch-template/template-groups.ts';
import { validateNodeClass } from '../../../shared/ec2/node-class/validation.ts';
import { DEFAULT_SIZES } from '../../../shared/model/settings.ts';
import { aNodeClaim } from '../../support/builders.ts';
import { aResolvedClass, aWrittenClass, CLUSTER_FACTS } from '../../support/node-classes.ts';

type Fields = Readonly<Record<string, unknown>>;

const COMPUTING = { ...DEFAULT_SIZES, compute: computeSize };

function groupsOf(spec: Fields, names: readonly string[]) {
  const written = aWrittenClass(spec);
  const reading = readEC2NodeClass('default', written);
  if (reading.outcome !== 'read') throw new Error('the class cannot be read');
  const all = listInstanceTypes(reading.value, undefined, COMPUTING);
  const types = names.flatMap((name) => all.find((type) => type.name === name) ?? []);
  const resolved = aResolvedClass({ written });
  return groupByTemplate(aNodeClaim(), resolved, reading.value, 'on-demand', types);
}

const nodeConfig = z.object({
  spec: z.object({ kubelet: z.object({ config: z.record(z.string(), z.unknown()) }) }),
});

/** Returns the settings that nodeadm would give to the kubelet. */
function kubeletOf({ userData }: TemplateContent): Fields {
  const [, ours = ''] = userData.split('application/node.eks.aws');
  const document: unknown = parse(ours.slice(0, ours.lastIndexOf('--//--')).trim());
  return nodeConfig.parse(document).spec.kubelet.config;
}

describe('kubelet expressions with the gate on', () => {
  const kubelet = {
    maxPods: 'min(110, vcpus * 8)',
    kubeReserved: { memory: 'max_pods * 11', cpu: '100m' },
  };

  it('reach a node as the values for its type', () => {
    const [group] = groupsOf({ kubelet }, ['m7i.large']);

    expect(group && kubeletOf(group.content)).toMatchObject({
      maxPods: 16,
      kubeReserved: { memory: '176Mi', cpu: '100m' },
    });
  });

  it('give a template to each value, not to each type', () => {
    const names = ['m7i.large', 'c7i.large', 'm7i.xlarge', 'c7i.xlarge'];

    expect(groupsOf({ kubelet }, names).map(({ instanceTypes }) => instanceTypes)).toEqual([
      ['m7i.large', 'c7i.large'],
      ['m7i.xlarge', 'c7i.xlarge'],
    ]);
    const byMemory = { ...kubelet, kubeReserved: { memory: 'memory_mib / 64' } };
    expect(groupsOf({ kubelet: byMemory }, names).map((group) => group.instanceTypes)).toEqual([
      ['m7i.large'],
      ['c7i.large'],
      ['m7i.xlarge'],
      ['c7i.xlarge'],
    ]);
  });

  it("that fail for a reserve leave the node's default, and no text that the kubelet cannot parse", () => {
    const spec = { kubelet: { kubeReserved: { memory: '0 - 1', cpu: '100m' } } };
    const [group] = groupsOf(spec, ['m7i.large']);

    expect(group && kubeletOf(group.content).kubeReserved).toEqual({ cpu: '100m' });
  });

  it.each(['AL2', 'Bottlerocket', 'Windows2022'])('reach nodes of %s as well', (amiFamily) => {
    const spec = { amiFamily, amiSelectorTerms: [{ id: 'ami-1' }], kubelet };
    const [group] = groupsOf(spec, ['m7i.large']);

    expect(group?.content.userData).toMatch(/memory *= *"?176Mi/);
    expect(group?.content.userData).not.toContain('max_pods');
  });
});

describe('invalid expressions', () => {
  const judge = (kubelet: Fields, isOn = true) =>
    validateNodeClass('default', aWrittenClass({ kubelet }), CLUSTER_FACTS, {
      takesExpressions: isOn,
    });

  it.each<[Fields]>([
    [{ maxPods: 'vcpus > 2' }],
    [{ maxPods: 'cores * 8' }],
    [{ maxPods: '"many"' }],
    [{ maxPods: 'vcpus *' }],
    [{ maxPods: `vcpus${' + 1'.repeat(600)}` }],
    [{ systemReserved: { cpu: 'memory' } }],
    [{ kubeReserved: { memory: '[vcpus]' } }],
  ])('are refused with a reason: %j', (kubelet) => {
    expect(judge(kubelet)).toMatchObject({
      outcome: 'refused',
      reason: 'KubeletExpressionInvalid',
    });
  });

  it('are all refused while the gate is off', () => {
    expect(judge({ maxPods: 'vcpus' }, false)).toMatchObject({
      reason: 'KubeletExpressionsDisabled',
    });
    expect(judge({ maxPods: 'vcpus' })).toMatchObject({ outcome: 'found' });
  });
});
