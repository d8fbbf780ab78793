import { formatQuantities } from '../../../shared/kubernetes/writers/format-quantities.ts';
import { ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { Situation, WrittenPod } from '../../vectors/case-schema.ts';
import type { ReplayedNode } from '../../vectors/replay/replayed-nodes.ts';

/** An object and the API path of the collection in which it is created. */
export interface ObjectManifest {
  readonly path: string;
  readonly body: object;
}

/** Label that marks the pods of one binding order. No selector of a case matches it. */
export const ARRIVING_LABEL = 'replay.mortise.sh/arriving';

const EBS_ZONE = 'topology.ebs.csi.aws.com/zone';

export function buildNodeManifest({ name, labels, taints, allocatable }: ReplayedNode): ObjectManifest {
  const amounts = formatQuantities(allocatable);
  const zone = labels[ZONE_LABEL];
  return {
    path: '/api/v1/nodes',
    body: {
      // The EBS CSI driver adds its own zone label.
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

/** The pods by `namespace/name`, with all fields of the case, also those that planning ignores. */
export const buildPodManifests = ({ pods, boundPods }: Situation): ReadonlyMap<string, ObjectManifest> =>
  new Map(
    [...pods, ...boundPods].flatMap((written) =>
      namesOf(written).map((name) => {
        const { namespace, labels, annotations } = written.metadata;
        const metadata = { name, labels, annotations };
        return [`${namespace}/${name}`, buildPodManifest(namespace, metadata, written.spec)] as const;
      }),
    ),
  );

const namesOf = ({ metadata: { name }, replicas }: WrittenPod): string[] =>
  replicas === undefined ? [name] : Array.from({ length: replicas }, (_, index) => `${name}-${index}`);

/** The pod that a DaemonSet has on a node. */
export function buildDaemonPodManifest(
  { metadata: { name, namespace }, spec: { template } }: Situation['daemonSets'][number],
  nodeName: string,
): ObjectManifest {
  const { metadata, spec } = template;
  const labels = isRecord(metadata) && isRecord(metadata.labels) ? metadata.labels : {};
  const podMetadata = { name: `${name}-${nodeName}`, labels };
  return buildPodManifest(namespace, podMetadata, { ...(isRecord(spec) ? spec : {}), nodeName });
}

export const withNodeName = ({ path, body }: ObjectManifest, nodeName: string): ObjectManifest => ({
  path,
  body: withSpec(body, { nodeName }),
});

/** A pending pod with the label by which it is removed later. */
export const toArrivingPod = ({ path, body }: ObjectManifest): ObjectManifest => {
  const { metadata } = { metadata: {}, ...body };
  const { labels } = { labels: {}, ...metadata };
  return {
    path,
    body: {
      ...withSpec(body, { nodeName: undefined }),
      metadata: { ...metadata, labels: { ...labels, [ARRIVING_LABEL]: 'true' } },
    },
  };
};

const withSpec = (body: object, fields: object): object => {
  const { spec } = { spec: {}, ...body };
  return { ...body, spec: { ...spec, ...fields } };
};

const buildPodManifest = (
  namespace: string,
  metadata: object,
  spec: Readonly<Record<string, unknown>>,
): ObjectManifest => ({
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

/** Cases omit container images, which an API server requires. */
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
