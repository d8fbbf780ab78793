import { quantitiesOf } from '../../../shared/kubernetes/writers/format-quantities.ts';
import { ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Situation, WrittenPod } from '../../vectors/case-schema.ts';
import type { ReplayedNode } from '../../vectors/replay/replayed-nodes.ts';

/** An object and the path of the list that it is created in. */
export interface Manifest {
  readonly path: string;
  readonly body: object;
}

/** Marks what an order of pods leaves behind; no selector of a case knows it. */
export const ARRIVING = 'replay.mortise.sh/arriving';

const EBS_ZONE = 'topology.ebs.csi.aws.com/zone';

export function nodeManifest({ name, labels, taints, allocatable }: ReplayedNode): Manifest {
  const amounts = quantitiesOf(allocatable);
  const zone = labels[ZONE_LABEL];
  return {
    path: '/api/v1/nodes',
    body: {
      // The driver of EBS adds its own name of the zone.
      metadata: { name, labels: { ...labels, ...(zone && { [EBS_ZONE]: zone }) } },
      spec: { taints },
      status: {
        capacity: amounts,
        allocatable: amounts,
        conditions: [{ type: 'Ready', status: 'True', reason: 'Replayed' }],
      },
    },
  };
}

/** By `namespace/name`, as the case has them: nothing that planning leaves out is lost here. */
export const podManifests = ({ pods, boundPods }: Situation): ReadonlyMap<string, Manifest> =>
  new Map(
    [...pods, ...boundPods].flatMap((written) =>
      namesOf(written).map((name) => {
        const { namespace, labels, annotations } = written.metadata;
        const metadata = { name, labels, annotations };
        return [`${namespace}/${name}`, podManifest(namespace, metadata, written.spec)] as const;
      }),
    ),
  );

const namesOf = ({ metadata: { name }, replicas }: WrittenPod): string[] =>
  replicas === undefined
    ? [name]
    : Array.from({ length: replicas }, (_, index) => `${name}-${index}`);

/** The pod that a DaemonSet has on a node. */
export function daemonManifest(
  { metadata: { name, namespace }, spec: { template } }: Situation['daemonSets'][number],
  nodeName: string,
): Manifest {
  const { metadata, spec } = template;
  const labels = isRecord(metadata) && isRecord(metadata.labels) ? metadata.labels : {};
  const own = { name: `${name}-${nodeName}`, labels };
  return podManifest(namespace, own, { ...(isRecord(spec) ? spec : {}), nodeName });
}

export const boundTo = ({ path, body }: Manifest, nodeName: string): Manifest => ({
  path,
  body: withSpec(body, { nodeName }),
});

/** A pod that waits, with the mark by which it is removed. */
export const arriving = ({ path, body }: Manifest): Manifest => {
  const { metadata } = { metadata: {}, ...body };
  const { labels } = { labels: {}, ...metadata };
  return {
    path,
    body: {
      ...withSpec(body, { nodeName: undefined }),
      metadata: { ...metadata, labels: { ...labels, [ARRIVING]: 'true' } },
    },
  };
};

const withSpec = (body: object, more: object): object => {
  const { spec } = { spec: {}, ...body };
  return { ...body, spec: { ...spec, ...more } };
};

const podManifest = (
  namespace: string,
  metadata: object,
  spec: Readonly<Record<string, unknown>>,
): Manifest => ({
  path: `/api/v1/namespaces/${namespace}/pods`,
  body: {
    metadata: { ...metadata, namespace },
    spec: {
      ...spec,
      terminationGracePeriodSeconds: 0,
      containers: withImages(spec.containers, 'main'),
      initContainers: withImages(spec.initContainers, 'init'),
    },
  },
});

/** Cases leave out what is no matter for scheduling, but an API server wants it. */
const withImages = (containers: unknown, name: string): unknown[] =>
  Array.isArray(containers)
    ? containers.map((one: unknown, index) => ({
        name: `${name}-${index}`,
        image: 'none',
        ...(isRecord(one) ? one : {}),
      }))
    : [];

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
