import { type Draw, foreignObject, type Manifest, makeObject } from './objects.ts';

const provisioner = (name: string, draw: Draw): Manifest => ({
  apiVersion: 'karpenter.sh/v1alpha5',
  kind: 'Provisioner',
  metadata: { name },
  spec: {
    requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }],
    limits: { resources: { cpu: '400' } },
    ttlSecondsAfterEmpty: Math.floor(draw.share(`${name} ttl`) * 600),
    providerRef: { name: 'default' },
  },
});

const nodeTemplate = (name: string): Manifest => ({
  apiVersion: 'karpenter.k8s.aws/v1alpha1',
  kind: 'AWSNodeTemplate',
  metadata: { name },
  spec: {
    instanceProfile: 'nodes',
    subnetSelector: { 'karpenter.sh/discovery': 'shop' },
    securityGroupSelector: { 'karpenter.sh/discovery': 'shop' },
  },
});

const betaPool = (name: string): Manifest => ({
  apiVersion: 'karpenter.sh/v1beta1',
  kind: 'NodePool',
  metadata: { name },
  spec: {
    disruption: { consolidationPolicy: 'WhenUnderutilized', expireAfter: '720h' },
    template: {
      spec: {
        nodeClassRef: {
          apiVersion: 'karpenter.k8s.aws/v1beta1',
          kind: 'EC2NodeClass',
          name: 'default',
        },
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }],
      },
    },
  },
});

/**
 * Makes an object of one of Karpenter's APIs, or of another kind. Some have equal names, so that some files have two
 * that become one.
 */
export function drawOldObject(at: number, draw: Draw): Manifest {
  const name = `object-${draw.oneOf(`name ${at}`, [at, at, at, 0])}`;
  const make = draw.oneOf<() => Manifest>(`kind ${at}`, [
    () => provisioner(name, draw),
    () => nodeTemplate(name),
    () => betaPool(name),
    () => makeObject(name, draw, true).value,
    () => foreignObject(name),
  ]);
  return make();
}
