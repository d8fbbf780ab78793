import { STEERING_TAINTS } from '../../shared/model/requirements/taints.ts';
import type { Remainder, UninstallStep } from '../documents/uninstall.ts';
import { counted } from '../render/numbers.ts';
import type { Survey } from './survey.ts';

export interface UninstallChoice {
  readonly nodes: 'drain' | 'hand-over';
  readonly crds: boolean;
}

/** Plans the steps in their order. */
export function planUninstall(survey: Survey, choice: UninstallChoice): readonly UninstallStep[] {
  const planned = (step: UninstallStep['step'], detail: string): UninstallStep => ({
    step,
    outcome: 'planned',
    detail,
  });
  const leaveAlone = (step: UninstallStep['step'], detail: string): UninstallStep => ({
    step,
    outcome: 'left',
    detail,
  });
  const { claims, nodes, pods } = survey;
  const isDrain = choice.nodes === 'drain';
  return [
    planned('hooks', survey.hasHooks ? 'the API server calls us no more' : 'there are none'),
    planned('decisions', 'stop: functions and controllers stand by from now on'),
    isDrain
      ? planned('nodes', `${counted(claims.length, 'node')} drained and ended, ${counted(pods, 'pod')} evicted`)
      : leaveAlone('nodes', `${counted(nodes.length, 'node')} left running, for Karpenter to adopt`),
    isDrain
      ? leaveAlone('taints', 'gone with the nodes')
      : planned('taints', `${STEERING_TAINTS.map(({ key }) => key).join(', ')} removed from the nodes`),
    isDrain
      ? planned('finalizers', 'freed on nodes, NodeClaims and EC2NodeClasses')
      : leaveAlone('finalizers', 'left on nodes, NodeClaims and EC2NodeClasses: Karpenter has the same'),
    isDrain
      ? planned('profiles', 'launch templates and instance profiles of the cluster deleted')
      : leaveAlone('profiles', 'left: nodes authenticate with their role'),
    crdStep(survey, choice, planned, leaveAlone),
  ];
}

type MakeStep = (step: UninstallStep['step'], detail: string) => UninstallStep;

function crdStep(
  { crds, pools }: Survey,
  choice: UninstallChoice,
  planned: MakeStep,
  leaveAlone: MakeStep,
): UninstallStep {
  const ours = crds.filter(({ keeper }) => keeper === undefined);
  if (!choice.crds) return leaveAlone('crds', 'left: without them every NodePool would be gone');
  const withPools = pools.length > 0 ? `, and with them ${pools.map((name) => `NodePool ${name}`).join(', ')}` : '';
  return planned('crds', `${counted(ours.length, 'definition')} deleted${withPools}`);
}

const STAYING: Readonly<Record<UninstallChoice['nodes'], string>> = {
  drain: 'table and bucket',
  'hand-over': 'table, bucket, node role and access entry of the role',
};

/** Lists the resources that remain, with reasons. */
export function remainderOf(
  { claims, nodes, instances, crds }: Survey,
  { nodes: fate }: UninstallChoice,
  stack: string,
): readonly Remainder[] {
  const why = fate === 'drain' ? 'not drained yet' : 'for Karpenter';
  const all = (kind: string, names: readonly string[], because = why): Remainder[] =>
    names.map((name) => ({ kind, name, why: because }));
  return [
    ...all('NodeClaim', claims),
    ...all('Node', nodes),
    ...all('instance', instances),
    ...crds.flatMap(({ name, keeper }) =>
      all('CustomResourceDefinition', [name], keeper === undefined ? 'kept' : `kept by ${keeper}`),
    ),
    { kind: 'stack', name: stack, why: `cdk destroy; its ${STAYING[fate]} stay after that` },
  ];
}
