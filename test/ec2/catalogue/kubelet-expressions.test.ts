import { describe, expect, it } from 'vitest';
import { computeSize } from '../../../shared/api/cel/kubelet-cel.ts';
import { readKubelet, type WrittenKubelet } from '../../../shared/api/stored-objects/kubelet.ts';
import { listInstanceTypes } from '../../../shared/ec2/catalogue/instance-types.ts';
import type { InstanceType } from '../../../shared/model/offerings/instance-type.ts';
import { MIB } from '../../../shared/model/resources.ts';
import { DEFAULT_SIZES } from '../../../shared/model/settings.ts';
import { aNodeClass } from '../../support/builders.ts';
import { typeOf } from './ec2-type.ts';

/** With the feature gate NodeClassCEL. */
const COMPUTING = { ...DEFAULT_SIZES, compute: computeSize };

const sized = (name: string, kubelet: WrittenKubelet): InstanceType =>
  typeOf(name, { kubelet: readKubelet(kubelet) }, COMPUTING);

const kubeReserved = (name: string, kubelet: WrittenKubelet) => sized(name, kubelet).reserves?.kubeReserved;

describe('the number of pods', () => {
  it.each([
    ['m5.large', 'min(110, vcpus * 8)', 16],
    ['m5.8xlarge', 'min(110, vcpus * 8)', 110],
    ['m5.large', '((default_enis - 1) * (ips_per_eni - 1)) + 2', 20],
    ['m5.large', 'max(vcpus, 60.5)', 60],
    ['m5.large', 'max_pods + 1', 30],
    ['m5.large', 'instance_type == "m5.large" ? 7 : 8', 7],
    ['m5.large', '42', 42],
  ])('on %s with "%s" is %i', (name, maxPods, pods) => {
    expect(sized(name, { maxPods }).capacity.pods).toBe(pods);
  });

  it.each(['1 / (vcpus - vcpus)', '0 - 1', '2147483647 + 1'])(
    'that cannot be computed, "%s", leaves no launchable type',
    (maxPods) => {
      const nodeClass = aNodeClass({ kubelet: readKubelet({ maxPods }) });

      expect(listInstanceTypes(nodeClass, undefined, COMPUTING)).toEqual([]);
    },
  );

  it('is the default while the gate is off', () => {
    const kubelet = readKubelet({ maxPods: 'min(110, vcpus * 8)' });

    expect(typeOf('t3.large', { kubelet }).capacity.pods).toBe(35);
  });
});

describe("the kubelet's reserves", () => {
  it.each([
    ['m5.4xlarge', 'cpu', 'max(60, vcpus * 30)', '480m'],
    ['m5.large', 'cpu', 'max(60, vcpus * 30)', '60m'],
    ['m5.large', 'cpu', 'max(vcpus, 60.5)', '60m'],
    ['m5.large', 'cpu', '70 + vcpus', '80m'],
    ['m5.large', 'memory', 'memory_mib / 100', '96Mi'],
    ['m5.large', 'memory', 'memory_mib / 64', '128Mi'],
    ['m5.large', 'ephemeral-storage', '1 + 1', '2Gi'],
    ['m5.large', 'memory', 'vcpus - vcpus', '0Mi'],
  ])('on %s of %s with "%s" are %s', (name, resource, expression, amount) => {
    expect(kubeReserved(name, { kubeReserved: { [resource]: expression } })?.[resource]).toBe(amount);
  });

  it('are computed from the effective number of pods, not from the default', () => {
    const kubelet = {
      maxPods: '((default_enis - 1) * (ips_per_eni - 1)) + 2',
      kubeReserved: { memory: 'max_pods * 11' },
      systemReserved: { pid: 'max_pods * 10' },
    };

    expect(sized('m5.large', kubelet).reserves).toEqual({
      kubeReserved: { memory: '224Mi' },
      systemReserved: { pid: '200' },
    });
    expect(kubeReserved('m5.large', { ...kubelet, maxPods: 'min(110, vcpus * 8)' })?.memory).toBe('176Mi');
  });

  it('are subtracted from allocatable, in addition to written amounts', () => {
    const plain = sized('m5.large', { kubeReserved: { memory: '176Mi', cpu: '100m' } });
    const computed = sized('m5.large', { kubeReserved: { memory: '88 * vcpus', cpu: '100m' } });

    expect(computed.allocatable).toEqual(plain.allocatable);
    expect(computed.allocatable.memory).toBe((7577 - 176 - 100) * MIB);
  });

  it.each(['0 - 1', '1 / (vcpus - vcpus)'])('are the default if "%s" gives an impossible amount', (memory) => {
    const type = sized('m5.large', { kubeReserved: { memory } });

    expect(type.reserves).toEqual({ kubeReserved: {} });
    expect(type.allocatable).toEqual(typeOf('m5.large').allocatable);
  });
});

describe('lists of types', () => {
  it('differ for other expressions, and for other settings of the cluster', () => {
    const kubelet = readKubelet({ maxPods: 'vcpus * 8' });
    const nodeClass = aNodeClass({ kubelet });
    const list = listInstanceTypes(nodeClass, undefined, COMPUTING);

    expect(listInstanceTypes(aNodeClass({ kubelet }), undefined, COMPUTING)).toBe(list);
    expect(listInstanceTypes(nodeClass)).not.toEqual(list);
    expect(listInstanceTypes(nodeClass, undefined, { ...COMPUTING, memoryOverhead: 0.05 })).not.toEqual(list);
  });
});
