import { HOSTNAME_LABEL } from '../../model/labels.ts';
import type { NodeRefusal } from '../../model/plans.ts';
import { formatAmount } from '../../model/quantity.ts';
import type { Reason } from '../../model/reasons.ts';
import { findConflict } from '../../model/requirements.ts';
import { formatTaint, untoleratedTaint } from '../../model/taints.ts';
import { devicesInUse } from './device-reasons.ts';
import type { ExistingBin } from '../input/existing-nodes.ts';
import { type Alternative, leastDemanding } from '../pods/relaxations.ts';
import type { PodClass } from '../pods/pod-classes.ts';
import type { Problem } from '../input/problem.ts';
import { takenPort } from '../topology/host-rules.ts';
import type { ClassTopology, Topology } from '../topology/topology.ts';
import { at, timesWithin, toVector, type Vector } from '../data-structures/resource-vectors.ts';
import { conflictReason } from './requirement-reasons.ts';
import { topologyReasonOfNode } from './topology-reasons.ts';

/** The nodes that come closest to taking the pod: those with most of its CPU and memory free. */
export function nodeRefusals(cls: PodClass, topology: Topology, problem: Problem): NodeRefusal[] {
  const [alternative] = leastDemanding(cls.spec);
  const rules = topology.of(cls, alternative);
  const request = toVector(problem.columns, cls.spec.requests);
  return problem.bins
    .filter(({ leaving }) => !leaving)
    .map((bin) => ({ bin, missing: missingShare(request, bin.free) }))
    .toSorted((a, b) => a.missing - b.missing || (a.bin.name < b.bin.name ? -1 : 1))
    .slice(0, 10)
    .map(({ bin }) => ({
      node: bin.name,
      reason: whyNot(bin, cls, alternative, rules, request, problem),
    }));
}

function missingShare(request: Vector, free: Vector): number {
  let missing = 0;
  for (let column = 0; column < request.length; column++) {
    const wanted = at(request, column);
    if (wanted > 0) missing += Math.max(0, wanted - Math.max(0, at(free, column))) / wanted;
  }
  return missing;
}

function whyNot(
  bin: ExistingBin,
  cls: PodClass,
  alternative: Alternative,
  rules: ClassTopology,
  request: Vector,
  problem: Problem,
): Reason {
  const { columns } = problem;
  const { requirements, tolerations } = alternative;
  const node = bin.name;
  if (cls.spec.settled?.refusal) return cls.spec.settled.refusal;
  const taint = untoleratedTaint(bin.taints, tolerations);
  if (taint) return { code: 'taint-not-tolerated', fields: { node, taint: formatTaint(taint) } };
  const conflict = findConflict(bin.requirements, requirements);
  if (conflict) return conflictReason(node, conflict, problem);
  if (timesWithin(request, bin.free) === 0) {
    const column = request.findIndex((wanted, at_) => wanted > 0 && wanted > at(bin.free, at_));
    const resource = columns.names[column] ?? '';
    const fields = {
      node,
      resource,
      request: formatAmount(resource, at(request, column)),
      free: formatAmount(resource, Math.max(0, at(bin.free, column))),
    };
    return { code: 'no-room', fields };
  }
  const port = takenPort(cls.spec.hostPorts, bin.hostPorts);
  if (port) {
    const fields = { node, port: `${port.protocol}/${port.port}`, other: 'a pod that runs there' };
    return { code: 'host-port-conflict', fields };
  }
  const devices = devicesInUse(cls.spec, bin, problem);
  if (devices) return devices;
  const labels = { [HOSTNAME_LABEL]: node, ...bin.labels };
  return topologyReasonOfNode(node, labels, rules, alternative);
}
