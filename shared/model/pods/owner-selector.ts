import type { Labels } from '../labels.ts';
import type { Pod } from './pod.ts';

/**
 * Finds the labels by which kube-scheduler's default spread constraints find the other pods of the pod's
 * owner; empty for an owner without a selector, such as a Job. All labels that the owner's pods got from its template
 * stand for its selector, which takes some of them and selects the same pods, because two owners must not claim each
 * other's pods. So the owner need not be read.
 *
 * @see kube-scheduler, `DefaultSelector`
 */
export const findOwnerLabels = ({ labels, owner }: Pick<Pod, 'labels' | 'owner'>): Labels =>
  owner && OWNERS_WITH_SELECTOR.has(owner.kind)
    ? Object.fromEntries(Object.entries(labels).filter(([key]) => !LABELS_OF_ONE_POD.has(key)))
    : {};

const OWNERS_WITH_SELECTOR: ReadonlySet<string> = new Set(['ReplicaSet', 'ReplicationController', 'StatefulSet']);

/** @see Kubernetes, StatefulSet controller */
const LABELS_OF_ONE_POD: ReadonlySet<string> = new Set([
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
]);
