import type { Reason } from '../../model/explanations/reasons.ts';
import { HOSTNAME_LABEL } from '../../model/labels.ts';
import type { NodeRefusal } from '../../model/plans.ts';
import { formatAmount } from '../../model/quantity.ts';
import { findConflict } from '../../model/requirements/requirements.ts';
import { findUntoleratedTaint, formatTaint } from '../../model/requirements/taints.ts';
import { at, countFits, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import type { ExistingNode } from '../input/existing-nodes.ts';
import type { Problem } from '../input/problem.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import { findExcess } from '../pods/pod-complexity.ts';
import { listFullyRelaxed, type Relaxation } from '../pods/relaxations.ts';
import { findPortConflict } from '../topology/host-rules.ts';
import type { ClassTopology, Topology } from '../topology/topology.ts';
import { findDevicesInUse } from './device-reasons.ts';
import { createConflictReason } from './requirement-reasons.ts';
import { findTopologyReasonOfNode } from './topology-reasons.ts';

/**
 * Explains why the ten nodes that come closest to taking the pod refuse it: those that lack the
 * least of its requests.
 */
export function explainNodeRefusals(cls: PodClass, topology: Topology, problem: Problem): NodeRefusal[] {
  if (findExcess(cls.spec) || problem.tooComplex.has(cls.spec)) return [];
  problem.work.spend(problem.existingNodes.length);
  const [relaxation] = listFullyRelaxed(cls.spec);
  const rules = topology.of(cls, relaxation);
  const request = toVector(problem.columns, cls.spec.requests);
  return problem.existingNodes
    .filter(({ leaving }) => !leaving)
    .map((existingNode) => ({
      existingNode,
      missing: computeMissingShare(request, existingNode.free),
    }))
    .toSorted((a, b) => a.missing - b.missing || (a.existingNode.name < b.existingNode.name ? -1 : 1))
    .slice(0, 10)
    .map(({ existingNode }) => ({
      node: existingNode.name,
      reason: findNodeRefusalReason(existingNode, cls, relaxation, rules, request, problem),
    }));
}

function computeMissingShare(request: Vector, free: Vector): number {
  let missing = 0;
  for (let column = 0; column < request.length; column++) {
    const requested = at(request, column);
    if (requested > 0) missing += Math.max(0, requested - Math.max(0, at(free, column))) / requested;
  }
  return missing;
}

function findNodeRefusalReason(
  existingNode: ExistingNode,
  cls: PodClass,
  relaxation: Relaxation,
  rules: ClassTopology,
  request: Vector,
  problem: Problem,
): Reason {
  const { columns } = problem;
  const { requirements, tolerations } = relaxation;
  const node = existingNode.name;
  if (cls.spec.resolved?.refusal) return cls.spec.resolved.refusal;
  const taint = findUntoleratedTaint(existingNode.taints, tolerations);
  if (taint) return { code: 'taint-not-tolerated', fields: { node, taint: formatTaint(taint) } };
  const conflict = findConflict(existingNode.requirements, requirements);
  if (conflict) return createConflictReason(node, conflict, problem);
  if (countFits(request, existingNode.free) === 0) {
    const column = request.findIndex(
      (requested, position) => requested > 0 && requested > at(existingNode.free, position),
    );
    const resource = columns.names[column] ?? '';
    const fields = {
      node,
      resource,
      request: formatAmount(resource, at(request, column)),
      free: formatAmount(resource, Math.max(0, at(existingNode.free, column))),
    };
    return { code: 'no-room', fields };
  }
  const port = findPortConflict(cls.spec.hostPorts, existingNode.hostPorts);
  if (port) {
    const fields = { node, port: `${port.protocol}/${port.port}`, other: 'a pod that runs there' };
    return { code: 'host-port-conflict', fields };
  }
  const devices = findDevicesInUse(cls.spec, existingNode, problem);
  if (devices) return devices;
  const labels = { [HOSTNAME_LABEL]: node, ...existingNode.labels };
  return findTopologyReasonOfNode(node, labels, rules, relaxation);
}
